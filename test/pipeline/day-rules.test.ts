import { describe, expect, test } from 'vitest';
import { addDays, type Day, daysFrom, startOf } from '../../src/catalog/day.ts';
import type { DayRules } from '../../src/catalog/day-rules.ts';
import { Instruments } from '../../src/exposition/instruments.ts';
import { Coverage } from '../../src/pipeline/coverage.ts';
import { createRunStates } from '../../src/pipeline/run-states.ts';
import { Runner } from '../../src/pipeline/runner.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { platformReading } from '../support/readers.ts';
import { createMemoryStore } from '../support/store.ts';
import { creditsCollector } from './credits-collector.ts';

const HOUR = 3_600_000;
const start = dayNamed('2026-03-01');
const today = dayNamed('2026-03-20');
const unused = () => Promise.reject(new Error('not used'));
const source = { get: unused, pages: unused, lines: unused, inSlices: unused };

/** A platform whose days have these rules; `answerOf` says whether a day has a row, none, or is not there yet. */
function harness(
  rules: DayRules,
  answerOf: (day: Day) => 'row' | 'none' | 'unready' = () => 'row',
  creditsOf: (day: Day) => number = () => 1,
) {
  const clock = createFakeClock(startOf(today) + HOUR, { autoAdvance: true });
  const history = createMemoryStore();
  const runs = createRunStates();
  const asked: string[] = [];
  const org = {
    name: 'acme',
    readiness: { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: true },
    days: { tokens: rules },
  } as const;
  const platform = platformReading({
    async fetchDays(_source, { from, to }) {
      asked.push(from === to ? from.slice(8) : `${from.slice(8)}-${to.slice(8)}`);
      const days = [...daysFrom(from, to)];
      const rows = new Map(
        days.filter((day) => answerOf(day) === 'row').map((day) => [day, { credits: creditsOf(day) }]),
      );
      const unready = new Set(days.filter((day) => answerOf(day) === 'unready'));
      return { rows, unready, lost: 0, rejected: 0, bytes: 100, remarks: [] };
    },
  });
  const runner = new Runner({
    ...{ history, historyStart: start, revisionDays: 7, runs, clock, log: createFakeLogger() },
    publisher: { showsIdle: () => false, publish: async () => undefined },
    instruments: new Instruments({ version: '', revision: '', clock, processMetrics: false }),
  });
  return {
    clock,
    failure: () => runs.get('acme', 'tokens').failure,
    /** Polls, and returns the windows that were asked for, by the days of March. */
    async poll(): Promise<string> {
      asked.length = 0;
      await runner.run({ org, platform, source }, creditsCollector, 'scheduled');
      return asked.join(' ');
    },
    known: async () => [...(await history.read('acme')).days('tokens').keys()].sort(),
    async unknownDays() {
      const { dataset } = creditsCollector;
      const parts = {
        history: await history.read('acme'),
        datasets: [dataset],
        historyStart: start,
        settings: org,
      };
      return new Coverage(parts, clock.now()).unknownDays('tokens', addDays(today, -1));
    },
  };
}

describe('the days of a dataset', () => {
  test('are stored with finite amounts alone', async () => {
    const bad = dayNamed('2026-03-18');
    for (const amount of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const { poll, known } = harness({}, undefined, (day) => (day === bad ? amount : 1));
      await poll();
      expect(await known()).toContain('2026-03-17');
      expect(await known()).not.toContain(bad);
    }
  });

  test('are asked for once their figures are complete', async () => {
    const { clock, poll } = harness({ completeAfter: 6 });
    expect((await poll()).split(' ')[0]).toBe('18');
    clock.set(startOf(today) + 7 * HOUR);
    expect(await poll()).toBe('19');
  });

  test('are asked for in windows that the platform takes', async () => {
    const { poll } = harness({ windowDays: 2 });
    expect(await poll()).toMatch(/^19 17-18 15-16 /);
  });

  test('are asked for again once a day for as long as the platform revises them', async () => {
    const { clock, poll } = harness({ revisedFor: 3 });
    await poll();
    clock.set(startOf(addDays(today, 1)) + HOUR);
    expect(await poll()).toBe('20 18-19');
  });

  test('without a row are idle, and asked for no more, where the platform says that no row is late', async () => {
    const rules = { completeAfter: 10, lateDays: 1, revisedFor: 1, emptyIsIdle: true };
    const { clock, poll, unknownDays } = harness(rules, (day) =>
      day >= '2026-03-15' && day <= '2026-03-19' ? 'none' : 'row',
    );
    await poll();
    expect(await unknownDays()).toBe(1);
    clock.set(startOf(today) + 2 * HOUR);
    expect(await poll()).toBe('18');
    clock.set(startOf(addDays(today, 1)) + HOUR);
    expect(await poll()).toBe('19');
    expect(await unknownDays()).toBe(0);
    // Those before are not asked for again because a row has come.
    clock.set(startOf(addDays(today, 1)) + 11 * HOUR);
    expect(await poll()).toBe('20');
    expect(await unknownDays()).toBe(0);
  });

  test('that no answer reaches are neither asked for nor missing', async () => {
    for (const reach of [{ days: 5 }, { from: dayNamed('2026-03-15') }]) {
      const { poll, known, unknownDays } = harness({ reach });
      await poll();
      expect(await known()).toEqual([...daysFrom(dayNamed('2026-03-15'), addDays(today, -1))]);
      expect(await unknownDays()).toBe(0);
    }
  });

  test('stay when the reach moves on', async () => {
    const { clock, poll, known } = harness({ reach: { days: 5 } });
    await poll();
    clock.set(startOf(addDays(today, 3)) + HOUR);
    await poll();
    expect((await known())[0]).toBe('2026-03-15');
  });

  test('that are not there yet are asked for again, fail nothing, and count as answered once none can come', async () => {
    const { clock, poll, known, failure } = harness({ lateDays: 5 }, (day) =>
      day >= '2026-03-18' ? 'unready' : 'row',
    );
    await poll();
    expect((await known()).at(-1)).toBe('2026-03-17');
    expect(failure()).toBeUndefined();
    clock.set(startOf(addDays(today, 3)) + HOUR);
    expect(await poll()).toBe('22 14-21');
    expect(await known()).not.toContain('2026-03-18');
    clock.set(startOf(addDays(today, 4)) + HOUR);
    await poll();
    expect(await known()).toContain('2026-03-18');
    expect(await known()).not.toContain('2026-03-19');
  });
});
