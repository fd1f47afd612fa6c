import { describe, expect, test } from 'vitest';
import type { DayDataset } from '../../src/catalog/dataset.ts';
import { addDays, startOf } from '../../src/catalog/day.ts';
import { firstDayOf, revisionPassDays } from '../../src/pipeline/days-to-fetch.ts';
import { describeRevisions } from '../../src/pipeline/revisions.ts';
import { dayNamed } from '../support/day.ts';

const today = dayNamed('2026-03-20');

describe('how many days are fetched again', () => {
  test('is the window, if the last pass was yesterday or never', () => {
    expect(revisionPassDays(7, addDays(today, -1), today)).toBe(7);
    expect(revisionPassDays(7, undefined, today)).toBe(7);
  });

  test('makes up for the days on which nothing ran', () => {
    // The last pass, on the 15th, requested the 8th to the 14th; all but the 8th are due again.
    expect(revisionPassDays(7, addDays(today, -5), today)).toBe(11);
    expect(revisionPassDays(7, addDays(today, -500), today)).toBe(37);
  });

  test('is not smaller if the clock went back', () => {
    expect(revisionPassDays(7, addDays(today, 5), today)).toBe(7);
  });

  test('is the newest day alone without a window', () => {
    expect(revisionPassDays(0, undefined, today)).toBe(1);
    expect(revisionPassDays(0, addDays(today, -5), today)).toBe(1);
  });
});

describe('a revision in words', () => {
  const days = [
    { day: today, before: { credits: 5 }, after: { credits: 7.5 } },
    { day: addDays(today, -1), before: {}, after: { credits: 1 } },
  ];

  test('names each day with its main number before and after', () => {
    const dataset: DayDataset<{ credits?: number }> = {
      kind: 'days',
      name: 'tokens',
      idle: {},
      total: ({ credits }) => credits,
    };
    expect(describeRevisions(dataset, days)).toEqual({
      days: '2026-03-20 2026-03-19',
      totals: '2026-03-20: 5 -> 7.5, 2026-03-19: none -> 1',
    });
  });

  test('names the days alone where a dataset has no main number', () => {
    const dataset: DayDataset<object> = { kind: 'days', name: 'tokens', idle: {} };
    expect(describeRevisions(dataset, days)).toEqual({ days: '2026-03-20 2026-03-19', totals: undefined });
  });
});

describe('the first day', () => {
  const now = startOf(today) + 3_600_000;
  const historyStart = dayNamed('2026-01-14');

  test('is the start of history where everything is kept', () => {
    expect(firstDayOf({ historyStart }, now)).toBe(historyStart);
    expect(firstDayOf({ historyStart, retentionDays: 0 }, now)).toBe(historyStart);
  });

  test('is the oldest of the days that are kept, and never before the start of history', () => {
    expect(firstDayOf({ historyStart, retentionDays: 1 }, now)).toBe('2026-03-19');
    expect(firstDayOf({ historyStart, retentionDays: 30 }, now)).toBe('2026-02-18');
    expect(firstDayOf({ historyStart, retentionDays: 300 }, now)).toBe(historyStart);
  });
});
