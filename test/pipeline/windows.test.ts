import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays, type Day, daysBetween, startOf } from '../../src/catalog/day.ts';
import {
  daysDescending,
  daysToFetch,
  type FetchWindow,
  nextWindow,
} from '../../src/pipeline/days-to-fetch.ts';
import { dayNamed } from '../support/day.ts';
import { storedDays } from '../support/store.ts';

const start = dayNamed('2026-01-14');
const newest = dayNamed('2026-03-10');

describe('windows', () => {
  test('cover every requested day exactly once, newest first, and no other day', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(60)), fc.integer({ min: 1, max: 30 }), (offsets, size) => {
        let requested = offsets.sort((a, b) => b - a).map((offset) => addDays(start, offset));
        const asked: Day[] = [];
        for (
          let window = nextWindow(requested, size);
          window !== undefined;
          window = nextWindow(requested, size)
        ) {
          const { from, to } = window;
          expect(daysBetween(from, to)).toBeLessThan(size);
          asked.push(...daysDescending(from, to));
          requested = requested.filter((day) => day < from || day > to);
        }
        expect(asked).toEqual(offsets.map((offset) => addDays(start, offset)));
      }),
    );
  });
});

describe('the days to fetch', () => {
  const now = startOf(addDays(newest, 1)) + 1;
  const today = addDays(newest, 1);
  const all = daysDescending(start, newest);
  const back = (...days: number[]) => days.map((count) => addDays(newest, -count));

  function requested(rows: ReadonlyMap<Day, unknown>, changes: Partial<FetchWindow> = {}): readonly Day[] {
    const usual = {
      newest,
      historyStart: start,
      covered: storedDays(rows),
      newestAgain: 1,
      isPass: false,
      lastPass: today,
      now,
    };
    return daysToFetch({ ...usual, ...changes }).days;
  }

  /** All days are covered; the last of them have no row. */
  function coveredWithout(...rowless: number[]): Map<Day, unknown> {
    const without = new Set(back(...rowless));
    return new Map(all.map((day) => [day, without.has(day) ? undefined : {}]));
  }

  test('are all days since the start of history at first, newest first', () => {
    expect(requested(new Map(), { lastPass: undefined })).toEqual(all);
  });

  test('are yesterday alone once everything is covered', () => {
    expect(requested(coveredWithout())).toEqual([newest]);
  });

  test('are the revision window when it is due', () => {
    expect(requested(coveredWithout(), { newestAgain: 7, isPass: true })).toEqual(all.slice(0, 7));
  });

  test('include holes, and days without a row for 72 hours after their end', () => {
    const covered = coveredWithout(1, 2, 3, 4);
    covered.delete(addDays(newest, -20));
    expect(requested(covered)).toEqual(back(0, 1, 2, 20));
  });

  test('include a day without a row until it was asked for again after those 72 hours', () => {
    const covered = coveredWithout(3, 9);
    const stopped = { lastPass: addDays(newest, -8) };
    expect(requested(covered, { ...stopped, isPass: true })).toEqual(back(0, 3, 9));
    expect(requested(covered, { ...stopped })).toEqual(back(0, 3));
    expect(requested(covered, { lastPass: today })).toEqual(back(0));
  });

  test('include days after the newest row without an age limit: the newest seven always, all of them once a day', () => {
    const covered = coveredWithout(...Array.from({ length: 40 }, (_, index) => index));
    expect(requested(covered)).toEqual(back(0, 1, 2, 3, 4, 5, 6));
    expect(requested(covered, { isPass: true, newestAgain: 7 })).toEqual(all.slice(0, 40));
  });

  test('are the newest seven of a dataset that never had a row', () => {
    const covered = new Map(all.map((day) => [day, undefined]));
    expect(requested(covered)).toEqual(all.slice(0, 7));
    expect(requested(covered, { isPass: true, newestAgain: 7 })).toEqual(all.slice(0, 7));
  });

  test('make a pass where they were known before or are in the revision window, not where history begins', () => {
    const covered = coveredWithout(9);
    covered.delete(addDays(newest, -1));
    covered.delete(addDays(newest, -20));
    const { passDays } = daysToFetch({
      ...{ newest, historyStart: start, covered: storedDays(covered), newestAgain: 7, isPass: true },
      ...{ lastPass: addDays(newest, -8), now },
    });
    expect([...passDays]).toEqual(back(0, 1, 2, 3, 4, 5, 6, 9));
  });

  test('never reach back before the start of history', () => {
    expect(requested(new Map(), { historyStart: newest, newestAgain: 7 })).toEqual([newest]);
    expect(requested(new Map(), { historyStart: addDays(newest, 1), newestAgain: 7 })).toEqual([]);
  });
});
