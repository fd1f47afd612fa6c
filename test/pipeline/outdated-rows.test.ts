import { describe, expect, test } from 'vitest';
import type { DayCollector, ExpensiveDataset } from '../../src/catalog/collector.ts';
import type { DayDataset } from '../../src/catalog/dataset.ts';
import { addDays, type Day, daysFrom, startOf } from '../../src/catalog/day.ts';
import { Instruments } from '../../src/exposition/instruments.ts';
import type { RunnerParts } from '../../src/pipeline/run.ts';
import { createRunStates } from '../../src/pipeline/run-states.ts';
import { Runner } from '../../src/pipeline/runner.ts';
import { inSlices } from '../collectors/fakes.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { platformReading } from '../support/readers.ts';
import { createMemoryStore } from '../support/store.ts';

const start = dayNamed('2026-03-01');
const yesterday = dayNamed('2026-03-31');
const today = addDays(yesterday, 1);
const settings = {
  name: 'acme',
  readiness: { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: true },
} as const;

/** More requests than any run here has. */
const MAX_ASKED = 100;

interface Row {
  readonly credits: number;
  /** The version of the settings that the row was made with. */
  readonly version: number;
}

interface Versions {
  current: number;
  /** The first whose rows have all that older days need. */
  sufficient: number;
  neededDays: number;
}

/** An exporter whose rows depend on settings. It has polled today, so that only what is outdated or unknown is asked for. */
function harness(expensive?: Partial<ExpensiveDataset>, parts: Partial<RunnerParts> = {}) {
  const versions: Versions = { current: 1, sufficient: 1, neededDays: 0 };
  const history = createMemoryStore();
  const log = createFakeLogger();
  const clock = createFakeClock(startOf(today) + 3_600_000, { autoAdvance: true });
  const dataset: DayDataset<Row> = {
    ...{ kind: 'days', name: 'tokens', idle: { credits: 0, version: 0 } },
    isCurrent: ({ version }) => version === versions.current,
    isSufficient: ({ version }) => version >= versions.sufficient,
  };
  const asked: string[] = [];
  const stopping = new AbortController();
  const collector: DayCollector<Row> = {
    ...{ name: 'tokens', description: '', schedule: 'analytics', enabledByDefault: true, families: [] },
    ...(expensive && {
      expensive: {
        ...{ windowDays: 30, revisionDays: 3, catchUpDays: 20, neededDays: () => versions.neededDays },
        ...expensive,
      },
    }),
    dataset,
  };
  const platform = platformReading({
    async fetchDays(_source, { from, to }) {
      asked.push(`${from.slice(8)}-${to.slice(8)}`);
      // A run that does not end fails its test instead of hanging.
      if (asked.length > MAX_ASKED) stopping.abort();
      const row = { credits: 1, version: versions.current };
      const rows = new Map(daysFrom(from, to).map((day) => [day, row]));
      return { rows, lost: 0, rejected: 0, bytes: 100 * rows.size, remarks: [] };
    },
  });
  const runner = new Runner({
    ...{ history, historyStart: start, revisionDays: 7, runs: createRunStates(), clock, log },
    stopping: stopping.signal,
    publisher: { showsIdle: () => false, publish: async () => undefined },
    instruments: new Instruments({ version: '', revision: '', clock, processMetrics: false }),
    ...parts,
  });
  const unused = () => Promise.reject(new Error('not used'));
  const source = { get: unused, pages: unused, lines: unused, inSlices };
  return {
    versions,
    log,
    /** Stores the days from one to another, without rows on some. */
    async know(from: Day, to: Day, rowless: readonly Day[] = []) {
      const days = [...daysFrom(from, to)];
      const rows = new Map(
        days.filter((day) => !rowless.includes(day)).map((day) => [day, { credits: 1, version: 1 }]),
      );
      await history.putDays('acme', 'tokens', { days, rows, orgId: undefined, at: clock.now() });
      await history.putRevisedOn('acme', 'tokens', today);
    },
    /** Polls, and returns the windows that were asked for, by the days of March. */
    async poll(mode: 'scheduled' | 'thorough' = 'scheduled') {
      asked.length = 0;
      await runner.run({ org: settings, platform, source }, collector, mode);
      return asked.join(' ');
    },
  };
}

describe('days whose rows were made with other settings', () => {
  test('are asked for again as far back as days are revised, once, and are no revisions', async () => {
    const { know, poll, versions, log } = harness(undefined, { revisionDays: 10 });
    await know(start, yesterday, [addDays(yesterday, -8)]);
    expect(await poll()).toBe('31-31');
    versions.current = 2;
    expect(await poll()).toBe('31-31 24-30 22-22');
    expect(await poll()).toBe('31-31');
    expect(log.events.filter(({ message }) => message.includes('revised'))).toEqual([]);
  });

  test('of an expensive dataset are asked for again as far back as it is revised', async () => {
    const { know, poll, versions } = harness({});
    await know(start, yesterday);
    versions.current = 2;
    expect(await poll()).toBe('31-31 29-30');
    expect(await poll()).toBe('31-31');
  });

  test('are asked for again as far back as the settings need them, if they lack what is needed', async () => {
    const { know, poll, versions } = harness({});
    await know(start, yesterday);
    Object.assign(versions, { current: 2, neededDays: 10 });
    expect(await poll()).toBe('31-31 29-30');
    versions.sufficient = 2;
    expect(await poll()).toBe('31-31 22-28');
    expect(await poll()).toBe('31-31');
  });

  test('that lack what older days need stay where no older day is needed', async () => {
    const { know, poll, versions } = harness({});
    await know(start, yesterday);
    versions.sufficient = 2;
    expect(await poll()).toBe('31-31');
  });

  test('are asked for again back to the day that an operator has chosen', async () => {
    const { know, poll, versions } = harness({}, { expensiveFrom: addDays(yesterday, -6) });
    await know(start, yesterday);
    versions.current = 2;
    expect(await poll()).toBe('31-31 25-30');
  });
});

describe('the days of an expensive dataset', () => {
  test('begin with those that are revised, in windows of its size', async () => {
    const { poll } = harness({ revisionDays: 4, windowDays: 2 });
    expect(await poll()).toBe('31-31 29-30 28-28');
  });

  test('begin with those that the settings need', async () => {
    const { poll, versions } = harness({});
    versions.neededDays = 6;
    expect(await poll()).toBe('31-31 26-30');
  });

  test('begin with the first known one that is caught up with, so that no gap stays', async () => {
    const gap = harness({});
    await gap.know(addDays(yesterday, -19), addDays(yesterday, -18));
    expect(await gap.poll()).toBe('31-31 23-30 14-22');
    const tooLong = harness({});
    await tooLong.know(addDays(yesterday, -25), addDays(yesterday, -20));
    expect(await tooLong.poll()).toBe('31-31 29-30');
  });

  test('begin with the day that an operator has chosen, within the history', async () => {
    const chosen = harness({}, { expensiveFrom: addDays(yesterday, -8) });
    expect(await chosen.poll()).toBe('31-31 23-30');
    const before = harness({}, { expensiveFrom: addDays(start, -8) });
    expect(await before.poll()).toBe('31-31 23-30 01-22');
    const kept = harness({}, { expensiveFrom: start, retentionDays: 2 });
    expect(await kept.poll()).toBe('31-31 30-30');
  });

  test('are revised once a day, and at least as seldom as those of other datasets', async () => {
    const { know, poll } = harness({});
    await know(start, yesterday);
    expect(await poll('thorough')).toBe('31-31 29-30');
    const seldom = harness({ revisionDays: 9 }, { revisionDays: 2 });
    await seldom.know(start, yesterday);
    expect(await seldom.poll('thorough')).toBe('31-31 30-30');
  });
});
