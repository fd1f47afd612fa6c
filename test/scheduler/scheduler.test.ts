import { describe, expect, test } from 'vitest';

import { type Job, Scheduler } from '../../src/scheduler/scheduler.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { createFakeTicker } from '../support/fake-ticker.ts';

/** `draws`: what the jitter is drawn as, one after another; the middle if there is none. */
function harness(jitterMs = 0, draws: number[] = []) {
  const clock = createFakeClock(0);
  const ticker = createFakeTicker(clock);
  const log = createFakeLogger();
  const runs: string[] = [];
  const releases = new Map<string, () => void>();
  /** Of jobs that fail, the instant before which a retry is useless. */
  const failing = new Map<string, number>();
  function job(name: string, blocking = false): Job {
    return {
      name,
      schedule: '* * * * *',
      jitterMs,
      run(mode) {
        runs.push(`${name} ${mode}`);
        if (!blocking) return Promise.resolve(failing.get(name));
        return new Promise((resolve) => releases.set(name, () => resolve(failing.get(name))));
      },
    };
  }
  function create(jobs: readonly Job[]) {
    const scheduler = new Scheduler({ ticker, clock, random: () => draws.shift() ?? 0.5, log });
    scheduler.adopt(jobs);
    return scheduler;
  }
  /** Removes `a` while it runs, and stops the scheduler while `b` does. */
  async function endBoth(scheduler: Scheduler): Promise<void> {
    const ended = [scheduler.retire(['a'])];
    releases.get('a')?.();
    await clock.advance(0);
    ended.push(scheduler.stop());
    releases.get('b')?.();
    await Promise.all(ended);
  }
  return { ticker, clock, log, runs, releases, failing, job, create, endBoth };
}

describe('the scheduler', () => {
  test('runs every job at start and again at each tick', async () => {
    const { create, job, ticker, clock, runs } = harness();
    const scheduler = create([job('a'), job('b')]);
    scheduler.start();
    await clock.advance(0);
    ticker.tick('* * * * *');
    await clock.advance(0);
    expect(runs).toEqual(['a scheduled', 'b scheduled', 'a scheduled', 'b scheduled']);
    await scheduler.stop();
  });

  test('spreads the runs of a tick by jitter', async () => {
    const { create, job, ticker, clock, runs } = harness(60_000);
    const scheduler = create([job('a')]);
    scheduler.start();
    await clock.advance(0);
    ticker.tick('* * * * *');
    await clock.advance(29_999);
    expect(runs).toHaveLength(1);
    await clock.advance(1);
    expect(runs).toHaveLength(2);
    await scheduler.stop();
  });

  test('never runs a job concurrently with itself, and a stuck job delays no other', async () => {
    const { create, job, ticker, clock, runs, releases } = harness();
    const scheduler = create([job('stuck', true), job('free')]);
    scheduler.start();
    await clock.advance(0);
    ticker.tick('* * * * *');
    await clock.advance(0);
    expect(runs).toEqual(['stuck scheduled', 'free scheduled', 'free scheduled']);
    releases.get('stuck')?.();
    await scheduler.stop();
  });

  test('lets other work run while many jobs begin', async () => {
    const { create, job, clock, runs } = harness();
    const slow = (name: string): Job => ({
      ...job(name),
      async run(mode) {
        runs.push(`${name} ${mode}`);
        clock.set(clock.now() + 100);
      },
    });
    const scheduler = create([slow('a'), slow('b'), slow('c')]);
    scheduler.start();
    expect(runs).toEqual(['a scheduled']);
    const refreshed = scheduler.refresh(new Set(['c']));
    await scheduler.retire(['b']);
    await refreshed;
    await clock.advance(0);
    await clock.advance(0);
    expect(runs).toEqual(['a scheduled', 'c thorough']);
    await scheduler.stop();
  });

  test('begins no further job once it is stopped', async () => {
    const { create, job, clock, runs } = harness();
    const slow = (name: string): Job => ({
      ...job(name),
      async run(mode) {
        runs.push(`${name} ${mode}`);
        clock.set(clock.now() + 100);
      },
    });
    const scheduler = create([slow('a'), slow('b')]);
    scheduler.start();
    await scheduler.stop();
    await clock.advance(0);
    expect(runs).toEqual(['a scheduled']);
  });

  test('a refresh during a run makes the job run thoroughly right after, once', async () => {
    const { create, job, clock, runs, releases } = harness();
    const scheduler = create([job('a', true)]);
    scheduler.start();
    await clock.advance(0);
    const refreshed = Promise.all([scheduler.refresh(), scheduler.refresh()]);
    expect(runs).toEqual(['a scheduled']);
    releases.get('a')?.();
    await clock.advance(0);
    expect(runs).toEqual(['a scheduled', 'a thorough']);
    releases.get('a')?.();
    await refreshed;
    expect(runs).toHaveLength(2);
    await scheduler.stop();
  });

  test('a refresh before the start is made then, also of jobs that were added meanwhile', async () => {
    const { create, job, runs } = harness();
    const scheduler = create([]);
    const refreshed = scheduler.refresh();
    scheduler.adopt([job('a')]);
    expect(runs).toEqual([]);
    scheduler.start();
    await refreshed;
    expect(runs.at(-1)).toBe('a thorough');
    await scheduler.stop();
  });

  test('a refresh without a start ends with the scheduler', async () => {
    const { create, job, runs } = harness();
    const scheduler = create([job('a')]);
    const refreshed = scheduler.refresh();
    await scheduler.stop();
    await refreshed;
    expect(runs).toEqual([]);
  });

  test('a refresh during a run is not made if the job is removed, or the scheduler stopped, meanwhile', async () => {
    const { create, job, clock, runs, endBoth } = harness();
    const scheduler = create([job('a', true), job('b', true)]);
    scheduler.start();
    await clock.advance(0);
    const refreshed = scheduler.refresh();
    await clock.advance(0);
    await Promise.all([refreshed, endBoth(scheduler)]);
    expect(runs).toEqual(['a scheduled', 'b scheduled']);
  });

  test('a job that throws is logged and runs again at the next tick', async () => {
    const { create, ticker, clock, log } = harness();
    let runs = 0;
    const scheduler = create([
      {
        name: 'a',
        schedule: '* * * * *',
        jitterMs: 0,
        run: async () => {
          runs++;
          throw new Error('boom');
        },
      },
    ]);
    scheduler.start();
    await clock.advance(0);
    ticker.tick('* * * * *');
    await clock.advance(0);
    expect(runs).toBe(2);
    expect(log.events.map((event) => event.level)).toEqual(['error', 'error']);
    await scheduler.stop();
  });

  test('stopping waits for running jobs and starts none', async () => {
    const { create, job, ticker, clock, runs, releases } = harness(1000);
    const scheduler = create([job('a', true)]);
    scheduler.start();
    await clock.advance(0);
    ticker.tick('* * * * *');
    let stopped = false;
    const stopping = scheduler.stop().then(() => {
      stopped = true;
    });
    await clock.advance(5000);
    expect(stopped).toBe(false);
    releases.get('a')?.();
    await stopping;
    expect(runs).toEqual(['a scheduled']);
  });
});

test('a run that is delayed by jitter is not made if the job is removed, or the scheduler stopped, meanwhile', async () => {
  const { create, job, ticker, clock, runs } = harness(60_000);
  const scheduler = create([job('a'), job('b')]);
  scheduler.start();
  await clock.advance(0);
  ticker.tick('* * * * *');
  await scheduler.retire(['a']);
  await clock.advance(30_000);
  expect(runs.slice(2)).toEqual(['b scheduled']);
  ticker.tick('* * * * *');
  await scheduler.stop();
  await clock.advance(30_000);
  ticker.tick('* * * * *');
  ticker.jump();
  await clock.advance(30_000);
  expect(runs).toHaveLength(3);
});

describe('catching up', () => {
  test('runs the named jobs now, and one that is running once more afterwards', async () => {
    const { create, job, clock, runs, releases } = harness(60_000);
    const scheduler = create([job('a', true), job('b'), job('c')]);
    scheduler.start();
    await clock.advance(0);
    expect(['a', 'b', 'none'].map((name) => scheduler.isRunning(name))).toEqual([true, false, false]);
    scheduler.catchUp(['a', 'b', 'none']);
    scheduler.catchUp(['a']);
    await clock.advance(0);
    expect(runs.slice(3)).toEqual(['b scheduled']);
    releases.get('a')?.();
    await clock.advance(0);
    expect(runs.slice(4)).toEqual(['a scheduled']);
    releases.get('a')?.();
    await clock.advance(0);
    expect(runs).toHaveLength(5);
    expect(scheduler.isRunning('a')).toBe(false);
    await scheduler.stop();
  });

  test('runs no job that is removed meanwhile, and none after the end', async () => {
    const { create, job, clock, runs, endBoth } = harness();
    const scheduler = create([job('a', true), job('b', true)]);
    scheduler.start();
    await clock.advance(0);
    scheduler.catchUp(['a', 'b']);
    await clock.advance(0);
    await endBoth(scheduler);
    await clock.advance(0);
    expect(runs).toEqual(['a scheduled', 'b scheduled']);
  });
});

describe('after a jump of the clock', () => {
  test('every job runs once', async () => {
    const { create, job, ticker, clock, runs } = harness();
    const scheduler = create([job('a'), job('b')]);
    scheduler.start();
    await clock.advance(0);
    ticker.jump();
    await clock.advance(0);
    await clock.advance(0);
    expect(runs.slice(2)).toEqual(['a scheduled', 'b scheduled']);
    await scheduler.stop();
  });

  test('there is one additional run in ten minutes, however often it jumps', async () => {
    const { create, job, ticker, clock, runs } = harness();
    const scheduler = create([job('a')]);
    scheduler.start();
    await clock.advance(0);
    for (let jumps = 0; jumps < 5; jumps += 1) {
      ticker.jump();
      for (let steps = 0; steps < 6; steps += 1) await clock.advance(10_000);
    }
    expect(runs).toHaveLength(2);
    await clock.advance(290_000);
    expect(runs).toHaveLength(2);
    for (let steps = 0; steps < 3; steps += 1) await clock.advance(10_000);
    expect(runs).toHaveLength(3);
    await clock.advance(3_600_000);
    expect(runs).toHaveLength(3);
    await scheduler.stop();
  });

  test('several jumps are one run, and a tick that came before them is none', async () => {
    const { create, job, ticker, clock, runs } = harness(60_000, [0.1, 0.3, 0.5, 0.7, 0.9, 0.2]);
    const scheduler = create([job('a')]);
    scheduler.start();
    await clock.advance(0);
    ticker.jump();
    for (let steps = 0; steps < 7; steps += 1) await clock.advance(10_000);
    expect(runs).toHaveLength(2);
    for (let jumps = 0; jumps < 3; jumps += 1) ticker.jump();
    await clock.advance(530_000);
    ticker.tick('* * * * *');
    ticker.jump();
    for (let steps = 0; steps < 7; steps += 1) await clock.advance(10_000);
    expect(runs).toHaveLength(3);
    await scheduler.stop();
  });

  test('a run in progress ends first, and a waiting tick is skipped', async () => {
    const { create, job, ticker, clock, runs, releases } = harness(60_000);
    const scheduler = create([job('a', true), job('b')]);
    scheduler.start();
    await clock.advance(0);
    ticker.tick('* * * * *');
    ticker.jump();
    await clock.advance(0);
    await clock.advance(30_000);
    await clock.advance(30_000);
    expect(runs.slice(2)).toEqual(['b scheduled']);
    releases.get('a')?.();
    await clock.advance(0);
    await clock.advance(30_000);
    expect(runs.slice(3)).toEqual(['a scheduled']);
    releases.get('a')?.();
    await scheduler.stop();
  });
});

describe('adding and removing jobs', () => {
  test('a new one runs at once, the others are unaffected', async () => {
    const { create, job, ticker, clock, runs } = harness();
    const scheduler = create([job('a')]);
    scheduler.start();
    scheduler.adopt([job('a'), job('b')]);
    await clock.advance(0);
    expect(runs).toEqual(['a scheduled', 'b scheduled']);
    ticker.tick('* * * * *');
    await clock.advance(0);
    expect(runs).toEqual(['a scheduled', 'b scheduled', 'a scheduled', 'b scheduled']);
    await scheduler.stop();
  });

  test('a removed one ends first, and never runs again', async () => {
    const { create, job, ticker, clock, runs, releases } = harness(60_000);
    const scheduler = create([job('a', true), job('b')]);
    scheduler.start();
    await clock.advance(0);
    ticker.tick('* * * * *');
    let isGone = false;
    const retired = scheduler.retire(['a']).then(() => {
      isGone = true;
    });
    await clock.advance(30_000);
    expect(isGone).toBe(false);
    releases.get('a')?.();
    await retired;
    ticker.tick('* * * * *');
    await clock.advance(60_000);
    await scheduler.refresh();
    expect(runs.filter((run) => run.startsWith('a'))).toEqual(['a scheduled']);
    expect(scheduler.nextRunOf('a')).toBeUndefined();
    await scheduler.stop();
  });

  test('another schedule takes effect from the next tick on, without a run', async () => {
    const { create, job, ticker, clock, runs } = harness();
    const scheduler = create([job('a')]);
    scheduler.start();
    await clock.advance(0);
    scheduler.adopt([{ ...job('a'), schedule: '5 * * * *' }]);
    ticker.tick('* * * * *');
    await clock.advance(0);
    expect(runs).toHaveLength(1);
    ticker.tick('5 * * * *');
    await clock.advance(0);
    expect(runs).toHaveLength(2);
    await scheduler.stop();
  });

  test('before the start, or after the end, begins nothing', async () => {
    const { create, job, ticker, clock, runs } = harness();
    const scheduler = create([job('a'), job('b')]);
    scheduler.adopt([{ ...job('a'), schedule: '5 * * * *' }, job('c')]);
    await scheduler.retire(['b', 'none']);
    for (const schedule of ['* * * * *', '5 * * * *']) ticker.tick(schedule);
    await clock.advance(0);
    expect([runs, scheduler.nextRunOf('a')]).toEqual([[], undefined]);
    scheduler.start();
    await clock.advance(0);
    expect(runs).toEqual(['a scheduled', 'c scheduled']);
    await scheduler.stop();
    scheduler.adopt([{ ...job('a'), schedule: '6 * * * *' }, job('d')]);
    for (const schedule of ['* * * * *', '5 * * * *', '6 * * * *']) ticker.tick(schedule);
    await clock.advance(0);
    expect(runs).toHaveLength(2);
  });

  test('one that ran thoroughly when it was removed does so if it is added again', async () => {
    const { create, job, clock, runs, releases } = harness();
    const scheduler = create([job('a', true), job('b', true), job('c')]);
    scheduler.start();
    await clock.advance(0);
    releases.get('a')?.();
    await clock.advance(0);
    void scheduler.refresh();
    await clock.advance(0);
    expect(runs.splice(0)).toEqual(['a scheduled', 'b scheduled', 'c scheduled', 'a thorough', 'c thorough']);
    for (let round = 0; round < 2; round++) {
      const retired = scheduler.retire(['a', 'b', 'c']);
      releases.get('a')?.();
      releases.get('b')?.();
      await retired;
      scheduler.adopt([job('a'), job('b'), job('c')]);
      await clock.advance(0);
    }
    expect(runs).toEqual([
      ...['a thorough', 'b thorough', 'c scheduled'],
      ...['a scheduled', 'b scheduled', 'c scheduled'],
    ]);
    await scheduler.stop();
  });

  test('a removed one can be added again, and the schedule of one that stays goes on', async () => {
    const { create, job, ticker, clock, runs } = harness();
    const begun: string[] = [];
    const { start } = ticker;
    ticker.start = (expression, onTick) => {
      begun.push(expression);
      return { ...start(expression, onTick), next: () => 7 };
    };
    const scheduler = create([job('a'), job('b')]);
    scheduler.start();
    await scheduler.retire(['a']);
    scheduler.adopt([job('a'), job('b')]);
    await clock.advance(0);
    expect(runs.toSorted()).toEqual(['a scheduled', 'a scheduled', 'b scheduled']);
    expect([begun.length, scheduler.nextRunOf('b'), scheduler.nextRunOf('c')]).toEqual([3, 7, undefined]);
    await scheduler.stop();
  });
});

describe('a failed run that may succeed later', () => {
  const MINUTE = 60_000;
  const HOURLY = '20 * * * *';

  /** Starts an hourly job `a`, which fails for now; `minutes` lets time pass, and resolves with the minutes of its runs since. */
  async function failed({ jitterMs = 0, notBefore = 0 } = {}) {
    const parts = harness(jitterMs);
    const { create, job, clock, failing } = parts;
    failing.set('a', notBefore);
    const ran: number[] = [];
    const hourly: Job = {
      ...job('a'),
      schedule: HOURLY,
      run(mode) {
        ran.push(clock.now() / MINUTE);
        return job('a').run(mode);
      },
    };
    const scheduler = create([hourly]);
    scheduler.start();
    await clock.advance(0);
    ran.length = 0;
    async function minutes(count: number): Promise<readonly number[]> {
      for (const end = clock.now() + count * MINUTE; clock.now() < end; ) await clock.advance(MINUTE / 2);
      return ran.splice(0);
    }
    const next = () => (scheduler.nextRunOf('a') ?? Number.NaN) / MINUTE;
    return { ...parts, hourly, scheduler, minutes, next };
  }

  test('is repeated after 1, 2, 4 … minutes unless a tick comes first, until it succeeds', async () => {
    const { scheduler, minutes, next, ticker, clock, failing } = await failed();
    expect([next(), await minutes(20)]).toEqual([1, [1, 3, 7, 15]]);
    // The next one would come after the tick.
    expect(next()).toBe(80);
    ticker.tick(HOURLY);
    await clock.advance(0);
    expect([next(), scheduler.nextRunOf('a', clock.now())]).toEqual([52, 80 * MINUTE]);
    failing.clear();
    expect(await minutes(35)).toEqual([20, 52]);
    failing.set('a', 0);
    ticker.tick(HOURLY);
    await clock.advance(0);
    expect([next(), await minutes(4)]).toEqual([56, [55, 56, 58]]);
    await scheduler.stop();
  });

  test('is spread by jitter', async () => {
    const { scheduler, minutes } = await failed({ jitterMs: MINUTE });
    expect(await minutes(4)).toEqual([1.5, 4]);
    await scheduler.stop();
  });

  test.each([
    [10, 10],
    [20, 20],
    [70, 20],
  ])('is not repeated before minute %d where that is useless', async (earliest, expected) => {
    const { scheduler, next } = await failed({ notBefore: earliest * MINUTE });
    expect(next()).toBe(expected);
    await scheduler.stop();
  });

  test('is not repeated if no tick follows', async () => {
    const { create, job, ticker, clock, runs, failing } = harness();
    const { start } = ticker;
    ticker.start = (expression, onTick) => ({ ...start(expression, onTick), next: () => undefined });
    failing.set('a', 0);
    const scheduler = create([job('a')]);
    scheduler.start();
    await clock.advance(0);
    await clock.advance(MINUTE);
    expect(runs).toEqual(['a scheduled']);
    await scheduler.stop();
  });

  test.each(['dropped', 'removed', 'stopped'])('is not repeated once it is %s', async (end) => {
    const { scheduler, minutes } = await failed();
    if (end === 'dropped') scheduler.dropRetries();
    else if (end === 'removed') await scheduler.retire(['a']);
    else await scheduler.stop();
    expect(await minutes(19)).toEqual([]);
    await scheduler.stop();
  });

  test('is not repeated if it was removed or stopped meanwhile', async () => {
    const { create, job, clock, runs, releases, failing, endBoth } = harness();
    failing.set('a', 0).set('b', 0);
    const scheduler = create([job('a', true), job('b', true)]);
    scheduler.start();
    await clock.advance(0);
    await endBoth(scheduler);
    await clock.advance(MINUTE);
    expect([runs.length, releases.size]).toEqual([2, 2]);
  });

  test('is not repeated by itself if another run comes first', async () => {
    const { scheduler, clock, minutes } = await failed();
    expect(await minutes(0.5)).toEqual([]);
    scheduler.catchUp(['a']);
    await clock.advance(0);
    // Another failure in a row: two minutes from now.
    expect(await minutes(2.5)).toEqual([0.5, 2.5]);
    await scheduler.stop();
  });

  test('is repeated with other settings if these were changed meanwhile', async () => {
    const { scheduler, hourly, job, minutes, runs } = await failed();
    scheduler.adopt([{ ...hourly, run: job('b').run }]);
    expect(await minutes(19)).toEqual([]);
    expect(runs).toEqual(['a scheduled', 'b scheduled']);
    await scheduler.stop();
  });
});
