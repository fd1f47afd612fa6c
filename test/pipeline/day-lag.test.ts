import { describe, expect, test } from 'vitest';
import { addDays, type Day, daysFrom, endOf, type Instant, startOf } from '../../src/catalog/day.ts';
import type { DayLags, LagKind } from '../../src/catalog/day-lag.ts';
import { Instruments } from '../../src/exposition/instruments.ts';
import { lagNotes } from '../../src/pipeline/day-lag.ts';
import { NOTHING_LEARNED, withFailedDay } from '../../src/pipeline/fetch-memory.ts';
import { createRunStates } from '../../src/pipeline/run-states.ts';
import { Runner } from '../../src/pipeline/runner.ts';
import { PlatformError } from '../../src/text/errors.ts';
import { createRandom } from '../fuzz/random.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { platformReading } from '../support/readers.ts';
import { createMemoryStore } from '../support/store.ts';
import { creditsCollector } from './credits-collector.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const start = dayNamed('2026-03-01');
const org = {
  name: 'acme',
  readiness: { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: true },
} as const;
const source = {
  get: () => Promise.reject(new Error('not used')),
  pages: () => Promise.reject(new Error('not used')),
  lines: () => Promise.reject(new Error('not used')),
  inSlices: () => Promise.reject(new Error('not used')),
};

/** When a day's row appears, and when it changes afterwards, in hours after its end; without hours it has none. */
type Life = readonly number[];

/** An exporter that polls at twenty past each hour, and a platform on which each day has a life of its own. */
function harness(lifeOf: (day: Day) => Life, begins = startOf(addDays(start, 14)) + HOUR / 3) {
  const clock = createFakeClock(begins, { autoAdvance: true });
  const history = createMemoryStore();
  const instruments = new Instruments({ version: '', revision: '', clock, processMetrics: false });
  let isDown = false;
  const platform = platformReading({
    async fetchDays(_source, { from, to }) {
      if (isDown) throw new PlatformError('network', 'down');
      const rows = new Map<Day, { credits: number }>();
      for (const day of daysFrom(from, to)) {
        const age = (clock.now() - endOf(day)) / HOUR;
        const credits = lifeOf(day).filter((hours) => hours <= age).length;
        if (credits > 0) rows.set(day, { credits });
      }
      return { rows, lost: 0, rejected: 0, bytes: 100, remarks: [] };
    },
  });
  let states = createRunStates();

  async function poll(): Promise<void> {
    const runner = new Runner({
      ...{ history, historyStart: start, revisionDays: 7, runs: states, instruments, clock },
      publisher: { showsIdle: () => false, publish: async () => undefined },
      log: createFakeLogger(),
    });
    const dueAfter = (at: Instant) => Math.floor((at - HOUR / 3) / HOUR) * HOUR + HOUR + HOUR / 3;
    await runner.run({ org, platform, source, dueAfter }, creditsCollector, 'scheduled');
  }

  return {
    history,
    instruments,
    now: clock.now,
    poll,
    /** Polls once an hour until that instant; `before` is called before each poll, and decides about it, `after` afterwards. */
    async pollUntil(end: Instant, before: () => 'skip' | 'poll' = () => 'poll', after = async () => {}) {
      for (let next = clock.now(); next <= end; next += HOUR) {
        clock.set(next);
        if (before() === 'poll') await poll();
        await after();
      }
    },
    set down(now: boolean) {
      isDown = now;
    },
    /** As another process on the same store. */
    restart() {
      states = createRunStates();
    },
    wait: (ms: number) => clock.set(clock.now() + ms),
  };
}

/** The number and the mean of the lags, in hours. */
function summary(lags: DayLags, kind: LagKind) {
  const of = Object.entries(lags).flatMap(([key, lag]) => (key.startsWith(`${kind} `) ? [lag] : []));
  const count = of.reduce((sum, [days]) => sum + days, 0);
  const ms = of.reduce((sum, [, lag]) => sum + lag, 0);
  return { count, mean: count === 0 ? 0 : ms / count / HOUR };
}

async function lagsOf({ history }: Pick<ReturnType<typeof harness>, 'history'>) {
  const lags = (await history.dayLags('acme')).get('tokens') ?? {};
  return { published: summary(lags, 'published'), settled: summary(lags, 'settled') };
}

describe('the lag of a day', () => {
  test('is counted once, by the first poll that has it after one that had not, and when it last changed', async () => {
    const exporter = harness(() => [5, 30]);
    await exporter.pollUntil(exporter.now() + 20 * DAY);
    const { published, settled } = await lagsOf(exporter);
    // Polls come at twenty past; a day before the newest is compared by the first poll of each day only.
    expect(published.count).toBe(20);
    expect(published.mean).toBeCloseTo(5 + 1 / 3, 5);
    expect(settled.count).toBe(15);
    expect(settled.mean).toBeCloseTo(48 + 1 / 3, 5);
  });

  test('is not counted for what the first poll finds, nor for what appeared while polls failed or none came', async () => {
    const exporter = harness(() => [5]);
    await exporter.poll();
    expect((await lagsOf(exporter)).published.count).toBe(0);
    await exporter.pollUntil(exporter.now() + 4 * HOUR);
    exporter.down = true;
    await exporter.pollUntil(exporter.now() + 3 * HOUR);
    exporter.down = false;
    await exporter.pollUntil(exporter.now() + 3 * HOUR);
    expect((await lagsOf(exporter)).published.count).toBe(0);
    exporter.wait(DAY);
    await exporter.poll();
    expect((await lagsOf(exporter)).published.count).toBe(0);
  });

  test('is counted for the newest alone of several days that a late platform delivers at once', async () => {
    const last = addDays(start, 20);
    const late = new Set([-2, -1, 0].map((days) => addDays(last, days)));
    const exporter = harness((day) => [late.has(day) ? 2 + (endOf(last) - endOf(day)) / HOUR : 2]);
    await exporter.pollUntil(endOf(last) + DAY);
    const { published } = await lagsOf(exporter);
    expect(published.count).toBe(daysFrom(addDays(start, 13), last).length - 2);
    expect(published.mean).toBeCloseTo(2 + 1 / 3, 5);
  });

  test('is not counted again for a day whose row was damaged and fetched again', async () => {
    const exporter = harness(() => [5]);
    await exporter.pollUntil(startOf(addDays(start, 15)) + 8 * HOUR);
    const before = await lagsOf(exporter);
    const rows = new Map([[addDays(start, 13), { credits: 1 }]]);
    const lags = { isNews: () => true, isNextPoll: true, comparedDays: 7 };
    const answer = { days: [addDays(start, 13)], rows, orgId: undefined, at: exporter.now(), lags };
    await exporter.history.putDays('acme', 'tokens', answer);
    expect(await lagsOf(exporter)).toEqual(before);
  });

  test('is counted once over restarts, and goes on from the last poll of the process before', async () => {
    const exporter = harness(() => [5]);
    let polls = 0;
    await exporter.pollUntil(exporter.now() + 20 * DAY, () => {
      polls += 1;
      if (polls % 7 === 0) exporter.restart();
      return 'poll';
    });
    const { published, settled } = await lagsOf(exporter);
    expect(published.count).toBe(20);
    expect(published.mean).toBeCloseTo(5 + 1 / 3, 5);
    expect(settled.mean).toBeCloseTo(5 + 1 / 3, 5);
  });

  test.each([1, 2, 3, 4])('is right within the polling interval on any platform (%i)', async (seed) => {
    const random = createRandom(seed);
    const lives = new Map(
      daysFrom(addDays(start, -1), addDays(start, 90)).map((day): [Day, Life] => {
        if (random() < 0.15) return [day, []];
        const first = random() < 0.7 ? 8 * random() : 120 * random();
        const changes = random() < 0.5 ? [] : [first + 40 * random(), first + 90 * random()];
        return [day, [first, ...changes].sort((one, other) => one - other)];
      }),
    );
    const lifeOf = (day: Day) => lives.get(day) ?? [];
    const exporter = harness(lifeOf);
    let before = await lagsOf(exporter);
    const known = { published: [] as number[], settled: [] as number[] };
    await exporter.pollUntil(
      exporter.now() + 45 * DAY,
      () => {
        exporter.down = random() < 0.1;
        if (random() < 0.03) exporter.restart();
        return random() < 0.05 ? 'skip' : 'poll';
      },
      async () => {
        const after = await lagsOf(exporter);
        for (const kind of ['published', 'settled'] as const) {
          const added = after[kind].count - before[kind].count;
          const hours = after[kind].mean * after[kind].count - before[kind].mean * before[kind].count;
          if (added === 1) known[kind].push(hours);
          else if (kind === 'published') expect(added).toBe(0);
          if (kind === 'published' && added === 1) expectNewest(hours);
        }
        before = after;
      },
    );
    expect(known.published.length).toBeGreaterThan(10);
    expect(known.settled.length).toBeGreaterThan(5);
    const events = [...lives.values()].flat();
    for (const hours of known.settled)
      expect(events.some((event) => hours >= event - 1e-6 && hours <= event + 26)).toBe(true);

    /** The lag is that of the newest day with a row. */
    function expectNewest(hours: number): void {
      const visible = [...lives].filter(
        ([day, [first]]) => first !== undefined && endOf(day) + first * HOUR <= exporter.now(),
      );
      const [, [first = 0]] = visible.reduce((one, other) => (other[0] > one[0] ? other : one));
      expect(hours).toBeGreaterThanOrEqual(first - 1e-6);
      expect(hours).toBeLessThanOrEqual(first + 1 + 1e-6);
    }
  });
});

describe('the first poll with a day', () => {
  const newest = addDays(start, 30);
  const now = endOf(newest) + 12 * HOUR;
  const dueBy = now - HOUR / 4;

  interface Given {
    readonly succeededAt?: Instant;
    /** When the next one was due after that. */
    readonly due?: Instant;
    readonly lastPass?: Day;
    readonly setAside?: Day;
  }

  function notesOf(given: Given = {}) {
    const { setAside: day, lastPass, succeededAt = dueBy - HOUR, due = dueBy } = given;
    const { setAside } = day === undefined ? NOTHING_LEARNED : withFailedDay(NOTHING_LEARNED, day, 0);
    const dueAfter = (at: Instant) => (at === succeededAt ? due : undefined);
    return lagNotes({
      ...{ now, dueAfter, succeededAt, newest, lastPass, setAside },
      comparedDays: 7,
    });
  }

  /** Whether an answer with a row of a day is the first that could have had it. */
  function isFirst(day: Day, given: Given = {}): boolean {
    return notesOf(given)(0).isNews(day);
  }

  test('is known from the poll before, which ended no later, and after which none was missed', () => {
    expect(isFirst(newest)).toBe(true);
    expect(isFirst(newest, { succeededAt: now })).toBe(true);
    expect(isFirst(newest, { succeededAt: now + 1 })).toBe(false);
    expect(isFirst(newest, { succeededAt: 0, due: dueBy - 1 })).toBe(false);
  });

  test('is known of no day that was not asked for', () => {
    expect(isFirst(newest, { setAside: addDays(newest, -1) })).toBe(true);
    expect(isFirst(newest, { setAside: newest })).toBe(false);
  });

  test('is known of a day before the newest seven only by a poll that follows a pass', () => {
    const today = addDays(newest, 1);
    expect(isFirst(addDays(newest, -6))).toBe(true);
    const old = addDays(newest, -7);
    expect(isFirst(old)).toBe(false);
    expect(isFirst(old, { lastPass: newest })).toBe(true);
    for (const lastPass of [addDays(newest, -1), today]) expect(isFirst(old, { lastPass })).toBe(false);
  });

  test('is not known after an answer that lost a row', () => {
    const notesOn = notesOf();
    expect(notesOn(0).isNews(newest)).toBe(true);
    expect(notesOn(1).isNews(newest)).toBe(false);
    expect(notesOn(0).isNews(newest)).toBe(false);
  });
});
