import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LIVE_MS, newestStampedDay, stampsOf } from '../../src/backfill/sample-times.ts';
import { monthsOf } from '../../src/backfill/target.ts';
import { addDays, endOf } from '../../src/catalog/day.ts';
import { dayNamed } from '../support/day.ts';

const HOUR = 3_600_000;
const day = dayNamed('2026-03-01');
const later = Date.parse('2026-06-01T00:00:00Z');

function texts(stamps: readonly number[]): readonly string[] {
  return stamps.map((stamp) => new Date(stamp).toISOString());
}

describe('the timestamps of a day', () => {
  test('without a step it is the next day at 12:00 UTC', () => {
    expect(texts(stampsOf(day, undefined, later))).toEqual(['2026-03-02T12:00:00.000Z']);
  });

  test('with a step there is one after each, and the one at 12:00 in any case', () => {
    expect(texts(stampsOf(day, 8 * HOUR, later))).toEqual([
      '2026-03-02T08:00:00.000Z',
      '2026-03-02T12:00:00.000Z',
      '2026-03-02T16:00:00.000Z',
    ]);
    expect(stampsOf(day, HOUR, later)).toHaveLength(23);
  });

  test('are all within the 24 hours in which the day was the newest one, in order, and before the live series', () => {
    fc.assert(
      fc.property(
        fc.option(fc.integer({ min: 60_000, max: 12 * HOUR }), { nil: undefined }),
        fc.integer({ min: -30 * HOUR, max: 60 * HOUR }),
        (step, after) => {
          const now = endOf(day) + after;
          const stamps = stampsOf(day, step, now);
          expect(stamps.toSorted((a, b) => a - b)).toEqual(stamps);
          expect(new Set(stamps).size).toBe(stamps.length);
          for (const stamp of stamps) {
            expect(stamp).toBeGreaterThan(endOf(day));
            expect(stamp).toBeLessThan(endOf(addDays(day, 1)));
            expect(stamp).toBeLessThanOrEqual(now - LIVE_MS);
          }
        },
      ),
    );
  });

  test.each([
    ['2026-03-02T14:59:59Z', '2026-02-28'],
    ['2026-03-02T15:00:00Z', '2026-03-01'],
    ['2026-03-03T14:59:59Z', '2026-03-01'],
  ])('at %s the newest day that has one is %s', (now, newest) => {
    expect(newestStampedDay(undefined, Date.parse(now))).toBe(newest);
  });

  test('with a step, the newest day has some timestamps before its last one', () => {
    expect(newestStampedDay(HOUR, Date.parse('2026-03-02T04:00:00Z'))).toBe('2026-03-01');
  });
});

test('a range is cut into calendar months', () => {
  const months = monthsOf(dayNamed('2026-01-30'), dayNamed('2026-03-02'));
  expect(months.map(({ name, days }) => [name, days.length, days[0], days.at(-1)])).toEqual([
    ['2026-01', 2, '2026-01-30', '2026-01-31'],
    ['2026-02', 28, '2026-02-01', '2026-02-28'],
    ['2026-03', 2, '2026-03-01', '2026-03-02'],
  ]);
  expect(monthsOf(dayNamed('2026-03-02'), dayNamed('2026-03-01'))).toEqual([]);
});
