import { afterEach, describe, expect, test } from 'vitest';
import { dayOf, startOf, yesterdayOf } from '../../src/catalog/day.ts';
import { readCron } from '../../src/scheduler/cron.ts';
import { CronTicker } from '../../src/scheduler/ticker.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const own = process.env['TZ'];

afterEach(() => {
  if (own === undefined) delete process.env['TZ'];
  else process.env['TZ'] = own;
});

/** Nights in which the clocks of a place are set back, forward, or by half an hour, and by how much. */
const NIGHTS = [
  ['Europe/Berlin', Date.UTC(2026, 9, 25, 1), -60],
  ['Europe/Berlin', Date.UTC(2026, 2, 29, 1), 60],
  ['America/St_Johns', Date.UTC(2026, 10, 1, 4, 30), -60],
  ['Australia/Lord_Howe', Date.UTC(2026, 3, 4, 15), -30],
] as const;

describe.each(NIGHTS)('while the clocks of %s change (%i, by %i minutes)', (zone, change, by) => {
  test('every tick comes once and in time, no change of the clock is seen, and days begin at midnight, UTC', async () => {
    process.env['TZ'] = zone;
    const offset = (at: number) => -new Date(at).getTimezoneOffset();
    expect(offset(change + MINUTE) - offset(change - MINUTE)).toBe(by);

    const start = change - 3 * HOUR;
    const clock = createFakeClock(start);
    const log = createFakeLogger();
    const ticker = new CronTicker({ clock, log });
    const ticks: number[] = [];
    ticker.start('*/20 * * * *', () => ticks.push(clock.now()));
    for (let minutes = 0; minutes < 6 * 60 * 6; minutes += 1) await clock.advance(MINUTE / 6);
    expect(ticks).toEqual(
      Array.from({ length: 18 }, (_, index) => ceilTo(start, 20 * MINUTE) + index * 20 * MINUTE),
    );
    expect(log.events).toEqual([]);

    for (let at = start; at < start + 6 * HOUR; at += 7 * MINUTE) {
      expect(startOf(dayOf(at))).toBe(at - (at % (24 * HOUR)));
      expect(startOf(yesterdayOf(at))).toBe(at - (at % (24 * HOUR)) - 24 * HOUR);
      expect(readCron('35 2 * * *').next(at)).toBe(ceilTo(at - 155 * MINUTE + 1, 24 * HOUR) + 155 * MINUTE);
    }
  });
});

function ceilTo(at: number, step: number): number {
  return Math.floor(at / step) * step + step;
}
