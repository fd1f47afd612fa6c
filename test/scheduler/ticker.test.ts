import fc from 'fast-check';
import { createTask } from 'node-cron';
import { describe, expect, test } from 'vitest';
import { readCron } from '../../src/scheduler/cron.ts';
import { CronTicker } from '../../src/scheduler/ticker.ts';
import { createSlices } from '../../src/work/slices.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { propertyRuns } from '../support/thoroughness.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 10, 20, 12);

/** A clock whose wall time can be set, and which can stop; timers use monotonic time. */
function createMachine() {
  let elapsed = 0;
  let offset = START;
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();
  async function settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }
  async function wakeDue(): Promise<void> {
    for (const sleeper of [...sleepers].filter(({ at }) => at <= elapsed)) {
      sleepers.delete(sleeper);
      sleeper.wake();
    }
    await settle();
  }
  return {
    clock: {
      now: () => elapsed + offset,
      elapsed: () => elapsed,
      slices: createSlices({ elapsed: () => elapsed }),
      wait(ms: number, signal?: AbortSignal) {
        return new Promise<void>((resolve, reject) => {
          const sleeper = { at: elapsed + ms, wake: resolve };
          sleepers.add(sleeper);
          signal?.addEventListener('abort', () => {
            sleepers.delete(sleeper);
            reject(signal.reason);
          });
        });
      },
    },
    /** Lets time pass; every timer fires when it is due. */
    async pass(ms: number) {
      const end = elapsed + ms;
      for (;;) {
        await settle();
        const next = Math.min(...[...sleepers].map(({ at }) => at));
        if (next > end) break;
        elapsed = Math.max(elapsed, next);
        await wakeDue();
      }
      elapsed = end;
    },
    set(ms: number) {
      offset += ms;
    },
    /** How many wait for a timer. */
    async waiting() {
      await settle();
      return sleepers.size;
    },
    /** Stops the process: monotonic time continues, and no timer fires before the process continues. */
    async stop(ms: number) {
      elapsed += ms;
      await wakeDue();
    },
  };
}

function harness(expression = '20 * * * *') {
  const machine = createMachine();
  const log = createFakeLogger();
  const ticker = new CronTicker({ clock: machine.clock, log });
  const ticks: string[] = [];
  const jumps: string[] = [];
  const at = () => new Date(machine.clock.now()).toISOString().slice(0, 16);
  const ticking = ticker.start(expression, () => ticks.push(at()));
  ticker.onJump(() => jumps.push(at()));
  return { ...machine, ticker, ticking, ticks, jumps, log };
}

describe('the ticker', () => {
  test('ticks at the times of the expression, in UTC', async () => {
    const { pass, ticks, jumps, ticking } = harness();
    expect(ticking.next()).toBe(START + 20 * MINUTE);
    expect(ticking.next(START - 41 * MINUTE)).toBe(START - 40 * MINUTE);
    await pass(3 * HOUR);
    expect(ticks).toEqual(['2026-11-20T12:20', '2026-11-20T13:20', '2026-11-20T14:20']);
    expect(jumps).toEqual([]);
    ticking.stop();
    await pass(3 * HOUR);
    expect(ticks).toHaveLength(3);
  });

  test.each([
    ['set back by eight hours', -8 * HOUR],
    ['set forward by a year', 365 * DAY],
    ['set forward by a minute', MINUTE],
    ['set back by a minute', -MINUTE],
  ])('a clock %s is one jump, and ticks follow the new time', async (_what, step) => {
    const { clock, pass, set, ticks, jumps, ticking } = harness();
    await pass(30 * MINUTE);
    set(step);
    await pass(30_000);
    expect(jumps).toHaveLength(1);
    expect(ticks).toHaveLength(1);
    const next = ticking.next() ?? 0;
    expect(next - clock.now()).toBeLessThanOrEqual(HOUR);
    await pass(next - clock.now());
    expect(ticks).toHaveLength(2);
    expect(jumps).toHaveLength(1);
  });

  test('a correction of the clock by less than a minute is not a jump', async () => {
    const { pass, set, ticks, jumps } = harness();
    for (let steps = 0; steps < 100; steps += 1) {
      set(steps % 2 === 0 ? 59_000 : -59_000);
      await pass(MINUTE);
    }
    expect(jumps).toEqual([]);
    expect(ticks.length).toBeGreaterThan(0);
  });

  test('a process that was stopped, and a machine that was suspended, is one jump without the ticks missed', async () => {
    const { pass, stop, set, ticks, jumps } = harness();
    await pass(MINUTE);
    await stop(5 * HOUR);
    await pass(MINUTE);
    expect([ticks.length, jumps.length]).toEqual([0, 1]);
    set(5 * HOUR);
    await pass(MINUTE);
    expect([ticks.length, jumps.length]).toEqual([0, 2]);
  });

  test.each([
    [59_999, 0],
    [60_000, 1],
  ])('a process that goes on %i ms late has %i jumps', async (late, expected) => {
    const { pass, stop, ticker, jumps, log } = harness('0 0 1 1 *');
    ticker.start('0 0 29 2 *', () => undefined);
    await pass(0);
    await stop(30_000 + late);
    expect(jumps).toHaveLength(expected);
    expect(log.events.map(({ level, fields }) => [level, fields])).toEqual(
      jumps.map(() => ['info', { stepped_seconds: 0, stalled_seconds: 60 }]),
    );
  });

  test('a schedule that never comes ticks not, and delays no other', async () => {
    const { ticker, pass, ticks } = harness();
    const never: string[] = [];
    const ticking = ticker.start('0 0 29 2 1', () => never.push(''));
    expect(ticking.next()).toBeUndefined();
    await pass(HOUR);
    expect([ticks.length, never.length]).toEqual([1, 0]);
  });

  test('waits while there is a schedule only', async () => {
    const { ticker, ticking, waiting } = harness();
    const other = ticker.start('20 * * * *', () => undefined);
    expect(await waiting()).toBe(1);
    ticking.stop();
    expect(await waiting()).toBe(1);
    other.stop();
    expect(await waiting()).toBe(0);
    other.stop();
    expect(await waiting()).toBe(0);
  });

  test('a schedule that is added while others wait has its first tick in time', async () => {
    const { ticker, ticking, pass, ticks } = harness('0 0 1 1 *');
    ticking.stop();
    await pass(10_000);
    ticker.start('0 0 29 2 *', () => ticks.push(''));
    await pass(35_000);
    const soon: string[] = [];
    ticker.start('* * * * *', () => soon.push(''));
    await pass(15_000);
    expect(soon).toHaveLength(1);
    expect(ticks).toEqual([]);
  });
});

describe('schedules with the same expression', () => {
  test('tick together, begin and end apart', async () => {
    const { ticker, pass, ticks, ticking } = harness();
    await pass(30 * MINUTE);
    const second: string[] = [];
    const other = ticker.start('20 * * * *', () => second.push(''));
    expect(other.next()).toBe(ticking.next());
    expect([ticks.length, second.length]).toEqual([1, 0]);
    await pass(HOUR);
    expect([ticks.length, second.length]).toEqual([2, 1]);
    ticking.stop();
    ticking.stop();
    await pass(HOUR);
    expect([ticks.length, second.length]).toEqual([2, 2]);
    other.stop();
    await pass(HOUR);
    expect([ticks.length, second.length]).toEqual([2, 2]);
    const third: string[] = [];
    ticker.start('20 * * * *', () => third.push(''));
    other.stop();
    await pass(HOUR);
    expect([ticks.length, second.length, third.length]).toEqual([2, 2, 1]);
  });
});

describe('a cron expression', () => {
  test.each([
    ['0 0 29 2 *', '2028-02-29T00:00:00.000Z'],
    ['0 0 L * *', '2026-11-30T00:00:00.000Z'],
    ['35 */3 * * *', '2026-11-20T12:35:00.000Z'],
    ['0 12 * * *', '2026-11-21T12:00:00.000Z'],
    ['0 9 * * 1', '2026-11-23T09:00:00.000Z'],
    ['45,15 13,9 * * *', '2026-11-20T13:15:00.000Z'],
  ])('%s is next due at %s', (expression, expected) => {
    expect(new Date(readCron(expression).next(START) ?? 0).toISOString()).toBe(expected);
  });

  test('of a day that does not come in eight years has no times', () => {
    expect(readCron('0 0 29 2 1').next(START)).toBeUndefined();
  });

  test('is due exactly when node-cron says, minute by minute', () => {
    const field = (max: number, min = 0) =>
      fc.oneof(fc.constant('*'), fc.constant('*/7'), fc.integer({ min, max }).map(String));
    const expressions = fc.tuple(field(59), field(23), field(28, 1), fc.constant('*'), field(6));
    fc.assert(
      fc.property(expressions, fc.integer({ min: 0, max: 400 * 24 * 60 }), (fields, minutes) => {
        const expression = fields.join(' ');
        const after = START + minutes * MINUTE;
        const next = readCron(expression).next(after);
        const task = createTask(expression, () => undefined, { timezone: 'UTC' });
        const horizon = Math.min(next ?? after, after + 200 * MINUTE);
        for (let at = after + MINUTE; at < horizon; at += MINUTE)
          expect(task.match(new Date(at))).toBe(false);
        if (next !== undefined) expect(task.match(new Date(next))).toBe(true);
      }),
      { numRuns: propertyRuns(50) },
    );
  });
});
