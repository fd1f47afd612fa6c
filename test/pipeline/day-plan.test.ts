import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Window } from '../../src/catalog/collector.ts';
import { addDays, type Day, daysBetween } from '../../src/catalog/day.ts';
import {
  type Ask,
  afterAnswer,
  afterFailure,
  nextAsk,
  planDays,
  withDays,
  withNewest,
} from '../../src/pipeline/day-plan.ts';
import { daysDescending, TARGET_BYTES } from '../../src/pipeline/days-to-fetch.ts';
import {
  type FetchMemory,
  NOTHING_LEARNED,
  withAnswer,
  withFailedDay,
  withTooMuch,
} from '../../src/pipeline/fetch-memory.ts';
import { PlatformError } from '../../src/text/errors.ts';
import { dayNamed } from '../support/day.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const newest = dayNamed('2026-11-19');
const start = dayNamed('2026-01-14');
const all = daysDescending(start, newest);

type Platform = (window: Window, asks: number) => PlatformError | undefined;

const broken = new PlatformError('server', 'answered 500', { status: 500 });

interface Outcome {
  readonly asks: readonly Ask[];
  readonly answered: ReadonlySet<Day>;
  readonly failure: PlatformError | undefined;
  readonly memory: FetchMemory;
}

/** Runs a plan against a platform of which only the answers are known. */
function runPlan(
  platform: Platform,
  given: {
    readonly toFetch?: readonly Day[];
    readonly memory?: FetchMemory;
    readonly now?: number;
    readonly isThorough?: boolean;
    /** The days that are answered as not there yet. */
    readonly unready?: ReadonlySet<Day>;
  } = {},
): Outcome {
  const { toFetch = all, memory = NOTHING_LEARNED, now = 0, isThorough = false, unready = new Set() } = given;
  let plan = planDays({ newest, toFetch, historyStart: start, memory, limit: 30, isThorough, now });
  const asks: Ask[] = [];
  const answered = new Set<Day>();
  for (let ask = nextAsk(plan); ask !== undefined; ask = nextAsk(plan)) {
    asks.push(ask);
    if (asks.length > 5_000) throw new Error('the plan does not end');
    const days = daysDescending(ask.window.from, ask.window.to);
    const error = platform(ask.window, asks.length);
    if (error === undefined) for (const day of days) answered.add(day);
    plan =
      error === undefined
        ? afterAnswer(plan, ask, days.length, 100, new Set(days.filter((day) => unready.has(day))))
        : afterFailure(plan, ask, error, now);
  }
  return { asks, answered, failure: plan.failure, memory: plan.memory };
}

function failsOn(days: readonly Day[], error = broken): Platform {
  return ({ from, to }) => (days.some((day) => from <= day && day <= to) ? error : undefined);
}

function texts(asks: readonly Ask[]): string[] {
  return asks.map(({ kind, window }) => `${kind} ${window.from} ${daysBetween(window.from, window.to) + 1}`);
}

describe('a plan', () => {
  test('requests the newest day by itself first, then larger windows', () => {
    const { asks, answered, failure } = runPlan(() => undefined);
    expect(texts(asks).slice(0, 3)).toEqual([
      'newest 2026-11-19 1',
      'window 2026-11-11 8',
      'window 2026-10-12 30',
    ]);
    expect(answered.size).toBe(all.length);
    expect(failure).toBeUndefined();
  });

  test('lets one bad day cost one day and a dozen requests, and counts the run as a success', () => {
    const bad = dayNamed('2026-10-20');
    const whole = runPlan(() => undefined).asks.length;
    const { asks, answered, failure, memory } = runPlan(failsOn([bad]));
    expect(all.filter((day) => !answered.has(day))).toEqual([bad]);
    expect(failure).toBeUndefined();
    expect([...memory.setAside.keys()]).toEqual([bad]);
    expect(asks.length).toBeLessThanOrEqual(whole + 10);
    expect(asks.filter(({ kind }) => kind === 'part').every(({ retries }) => !retries)).toBe(true);
  });

  test('lets a bad newest day cost that day, as the failure of the run', () => {
    const { answered, failure, memory } = runPlan(failsOn([newest]));
    expect(all.filter((day) => !answered.has(day))).toEqual([newest]);
    expect(failure).toBe(broken);
    expect(memory.setAside.size).toBe(0);
  });

  test('takes the day before one that is not there yet for the newest, also if it was set aside', () => {
    const [, second = newest, third = newest] = all;
    const unready = new Set([newest, second]);
    const early = { platform: failsOn([third]), unready, toFetch: all.slice(0, 9) };
    const memory = withFailedDay(NOTHING_LEARNED, third, 0);
    for (const learned of [NOTHING_LEARNED, memory]) {
      const { failure, answered, ...after } = runPlan(early.platform, { ...early, memory: learned });
      expect(failure).toBe(broken);
      expect(early.toFetch.filter((day) => !answered.has(day))).toEqual([third]);
      expect(after.memory.setAside.size).toBe(0);
    }
    expect(runPlan(() => undefined, early).failure).toBeUndefined();
    // Answers about days that are not there do not show that the platform serves any.
    const refused = new PlatformError('network', 'connect ECONNREFUSED');
    expect(runPlan(failsOn(all.slice(2), refused), { unready }).asks.length).toBeLessThanOrEqual(3);
  });

  test('has every good day in one run, unless three adjacent ones fail', () => {
    const toFetch = all.slice(0, 60);
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 29 }), { maxLength: 20 }), (places) => {
        // No three in a row: of each pair of days, one at most.
        const bad = places.map((place) => addDays(newest, -2 * place));
        const { answered, memory, failure, asks } = runPlan(failsOn(bad), { toFetch });
        expect(new Set(answered)).toEqual(new Set(toFetch.filter((day) => !bad.includes(day))));
        expect(new Set(memory.setAside.keys())).toEqual(new Set(bad));
        expect(failure).toBeUndefined();
        expect(asks.length).toBeLessThan(12 * (bad.length + 1) + 10);
      }),
    );
  });

  test('has every good day after some runs, even if the newest and adjacent days fail', () => {
    const toFetch = all.slice(0, 60);
    fc.assert(
      fc.property(fc.uniqueArray(fc.integer({ min: 0, max: 59 }), { maxLength: 30 }), (places) => {
        const bad = places.map((place) => addDays(newest, -place));
        const answered = new Set<Day>();
        let memory = NOTHING_LEARNED;
        for (let run = 0; run < 40; run += 1) {
          const open = toFetch.filter((day) => day === newest || !answered.has(day));
          const outcome = runPlan(failsOn(bad), { toFetch: open, memory, now: run * HOUR });
          memory = outcome.memory;
          for (const day of outcome.answered) answered.add(day);
        }
        expect(answered).toEqual(new Set(toFetch.filter((day) => !bad.includes(day))));
      }),
    );
  });

  test('ends after three days where the platform as a whole fails, and the next run starts there', () => {
    const first = runPlan(() => broken);
    expect(texts(first.asks)).toEqual(['newest 2026-11-19 1', 'window 2026-11-18 1', 'window 2026-11-17 1']);
    expect(first.failure).toBe(broken);
    const second = runPlan(() => broken, { memory: first.memory, now: HOUR });
    expect(texts(second.asks)[1]).toBe('window 2026-11-16 1');
    expect(runPlan(() => undefined, { memory: second.memory, now: 2 * HOUR }).answered.size).toBe(all.length);
  });

  test('leaves the other days alone where the platform fails from some request on', () => {
    const { asks, failure, memory } = runPlan((_window, asked) => (asked > 2 ? broken : undefined));
    expect(failure).toBeUndefined();
    expect(memory.setAside.size).toBe(3);
    expect(asks.length).toBeLessThan(15);
    const next = runPlan(() => undefined, { memory, now: HOUR });
    expect(next.answered.size).toBe(all.length);
    expect(next.memory.setAside.size).toBe(0);
  });

  test.each(['auth', 'role', 'throttled'] as const)('ends at once for the reason %s', (reason) => {
    const { asks, failure } = runPlan((_window, asked) =>
      asked === 2 ? new PlatformError(reason, '') : undefined,
    );
    expect(asks).toHaveLength(2);
    expect(failure?.reason).toBe(reason);
  });

  test.each([
    new PlatformError('limit', 'too large', { tooLarge: true }),
    new PlatformError('timeout', 'no answer within the timeout'),
  ])('halves a window that is too much ($reason), and requests no larger one again', (error) => {
    const tooMuch: Platform = ({ from, to }) => (daysBetween(from, to) >= 4 ? error : undefined);
    const { asks, answered, failure } = runPlan(tooMuch);
    expect(failure).toBeUndefined();
    expect(answered.size).toBe(all.length);
    expect(texts(asks).slice(0, 5)).toEqual([
      'newest 2026-11-19 1',
      'window 2026-11-11 8',
      'part 2026-11-15 4',
      'part 2026-11-11 4',
      'window 2026-11-07 4',
    ]);
  });
});

describe('a day set aside', () => {
  const bad = dayNamed('2026-10-20');

  test('is retried with increasing pauses of at most a day, by itself and after all others', () => {
    let { memory } = runPlan(failsOn([bad]));
    const tries: number[] = [];
    for (let now = 0; now < 10 * 24 * HOUR; now += HOUR) {
      const outcome = runPlan(failsOn([bad]), { toFetch: [newest, bad], memory, now });
      if (outcome.asks.some(({ kind }) => kind === 'retry')) tries.push(now / HOUR);
      memory = outcome.memory;
    }
    const pauses = tries.slice(1).map((hour, place) => hour - (tries[place] ?? 0));
    expect(pauses.slice(0, 5)).toEqual([1, 2, 4, 7, 14]);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(24);
    expect(tries.at(-1)).toBeGreaterThan(9 * 24 - 24);
  });

  test('is requested by a thorough run regardless of its pause, and forgotten once it is answered', () => {
    const { memory } = runPlan(failsOn([bad]));
    const soon = { toFetch: [newest, bad], memory, now: MINUTE };
    expect(texts(runPlan(() => undefined, soon).asks)).toEqual(['newest 2026-11-19 1']);
    const thorough = runPlan(() => undefined, { ...soon, isThorough: true });
    expect(texts(thorough.asks)).toEqual(['newest 2026-11-19 1', 'retry 2026-10-20 1']);
    expect(thorough.memory.setAside.size).toBe(0);
  });

  test('is forgotten once it is older than the history, or the newest one, which is always asked for', () => {
    for (const [day, isKept] of [
      [addDays(start, -1), false],
      [start, true],
      [addDays(newest, -1), true],
      [newest, false],
    ] as const) {
      const memory = withFailedDay(NOTHING_LEARNED, day, 0);
      const { setAside } = runPlan(() => undefined, { toFetch: [newest], memory }).memory;
      expect([...setAside.keys()], day).toEqual(isKept ? [day] : []);
    }
  });

  test('is retried before older ones, and not again if it is the newest one now', () => {
    const [one, other] = [addDays(newest, -1), addDays(newest, -9)];
    const memory = withFailedDay(withFailedDay(NOTHING_LEARNED, other, 0), one, 0);
    const soon = { toFetch: [newest], memory, now: HOUR };
    expect(texts(runPlan(() => undefined, soon).asks)).toEqual([
      ...[`newest ${newest} 1`, `retry ${one} 1`, `retry ${other} 1`],
    ]);
    const plan = planDays({ ...soon, newest, historyStart: start, limit: 30, isThorough: false });
    expect(withNewest(plan, one).due).toEqual([other]);
    expect(nextAsk(withNewest(plan, one))).toMatchObject({ kind: 'newest', window: { from: one, to: one } });
  });

  test('is left alone with the other ones once three of them have failed again', () => {
    const days = [1, 2, 3, 4, 5].map((back) => addDays(newest, -back));
    const memory = days.reduce((known, day) => withFailedDay(known, day, 0), NOTHING_LEARNED);
    const { asks, failure } = runPlan(failsOn(days), { toFetch: [newest], memory, now: HOUR });
    expect(asks.map(({ kind, retries }) => [kind, retries])).toEqual([
      ['newest', true],
      ...Array.from({ length: 3 }, () => ['retry', false]),
    ]);
    expect(failure).toBeUndefined();
  });

  test.each([
    ['server', true],
    ['throttled', false],
  ] as const)('is not one whose answer only says when to ask again: %s %s', (reason, isSetAside) => {
    const later = new PlatformError(reason, 'later', { retryAt: HOUR });
    const { asks, failure, memory } = runPlan(failsOn([bad], later), { toFetch: [newest, bad] });
    expect([asks.length, failure]).toEqual([2, later]);
    expect(memory.setAside.has(bad)).toBe(isSetAside);
  });

  test('keeps its pause when other days are added to the plan', () => {
    const memory = withFailedDay(NOTHING_LEARNED, bad, 0);
    const plan = planDays({
      ...{ newest, toFetch: [newest], historyStart: start, memory, limit: 30 },
      ...{ isThorough: false, now: MINUTE },
    });
    const others = [addDays(bad, -1), addDays(bad, 1)];
    expect(withDays(withDays(plan, [bad, ...others]), others).days).toEqual([...others].reverse());
  });

  test('that is answered with a time to retry at does not block older days permanently', () => {
    const later = new PlatformError('server', '503', { status: 503, retryAt: HOUR });
    let memory = NOTHING_LEARNED;
    const answered = new Set<Day>();
    for (let run = 0; run < 8; run += 1) {
      const toFetch = all.filter((day) => day === newest || !answered.has(day));
      const outcome = runPlan(failsOn([bad], later), { toFetch, memory, now: 2 * HOUR * run });
      for (const day of outcome.answered) answered.add(day);
      memory = outcome.memory;
    }
    expect(all.filter((day) => !answered.has(day))).toEqual([bad]);
  });
});

describe('days that the platform does not serve', () => {
  const oldest = dayNamed('2026-08-01');
  const served: Platform = ({ from }) => (from < oldest ? broken : undefined);

  test('cost a few requests of each run, and none of the others', () => {
    let memory = NOTHING_LEARNED;
    let open: readonly Day[] = all;
    for (let run = 0; run < 24; run += 1) {
      const outcome = runPlan(served, { toFetch: open, memory, now: run * HOUR });
      memory = outcome.memory;
      open = open.filter((day) => day === newest || !outcome.answered.has(day));
      expect(outcome.failure).toBeUndefined();
      if (run > 0) expect(outcome.asks.length).toBeLessThan(16);
    }
    expect(open.filter((day) => day >= oldest)).toEqual([newest]);
  });

  test('are fetched once they are served', () => {
    const { memory, answered } = runPlan(served);
    const toFetch = all.filter((day) => day === newest || !answered.has(day));
    expect(runPlan(() => undefined, { toFetch, memory, now: HOUR }).answered.size).toBe(toFetch.length);
  });
});

describe('the size of windows', () => {
  test('starts at one day and grows with the observed size of a day', () => {
    const first = withAnswer(NOTHING_LEARNED, 1, 1000);
    const second = withAnswer(first, 8, 8000);
    const heavy = withAnswer(second, 30, 30 * (TARGET_BYTES / 4));
    expect([first, second, heavy].map(({ windowDays }) => windowDays)).toEqual([8, 30, 4]);
  });

  test('is halved when an answer is too large, and stays so', () => {
    const halved = withTooMuch(withAnswer(NOTHING_LEARNED, 1, 10), 8);
    expect(halved.windowDays).toBe(4);
    expect(withAnswer(halved, 4, 40).windowDays).toBe(4);
    expect(withTooMuch(halved, 1).windowDays).toBe(1);
  });

  test('grows with answers without rows, and learns no size from them', () => {
    const empty = withAnswer(NOTHING_LEARNED, 0, 80);
    expect(empty).toMatchObject({ windowDays: 8, heaviestDay: 0 });
  });
});
