import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays, type Day, daysBetween, startOf } from '../../src/catalog/day.ts';
import { wantedDays } from '../../src/pipeline/wanted.ts';
import { createWindowSizer, daysDescending, nextWindow, TARGET_BYTES } from '../../src/pipeline/windows.ts';

const start = '2026-01-14' as Day;
const newest = '2026-03-10' as Day;

describe('windows', () => {
  test('cover every wanted day exactly once, newest first, and no other day', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(60)), fc.integer({ min: 1, max: 30 }), (offsets, size) => {
        let wanted = offsets.sort((a, b) => b - a).map((offset) => addDays(start, offset));
        const asked: Day[] = [];
        for (let window = nextWindow(wanted, size); window !== undefined; window = nextWindow(wanted, size)) {
          const { from, to } = window;
          expect(daysBetween(from, to)).toBeLessThan(size);
          asked.push(...daysDescending(from, to));
          wanted = wanted.filter((day) => day < from || day > to);
        }
        expect(asked).toEqual(offsets.map((offset) => addDays(start, offset)));
      }),
    );
  });

  test('start at one day and grow with what a day was seen to weigh', () => {
    const sizer = createWindowSizer();
    expect(sizer.days).toBe(1);
    sizer.answered(1, 1000);
    expect(sizer.days).toBe(8);
    sizer.answered(8, 8000);
    expect(sizer.days).toBe(30);
    sizer.answered(30, 30 * (TARGET_BYTES / 4));
    expect(sizer.days).toBe(4);
  });

  test('are halved when an answer is too large, and stay so', () => {
    const sizer = createWindowSizer();
    sizer.answered(1, 10);
    sizer.tooLarge(8);
    expect(sizer.days).toBe(4);
    sizer.answered(4, 40);
    expect(sizer.days).toBe(4);
    sizer.tooLarge(1);
    expect(sizer.days).toBe(1);
  });

  test('learn nothing from an answer without rows', () => {
    const sizer = createWindowSizer();
    sizer.answered(0, 80);
    expect(sizer.days).toBe(1);
  });
});

describe('the days to ask for', () => {
  const now = startOf(addDays(newest, 1)) + 1;
  const all = daysDescending(start, newest);

  test('are all days since the start of history at first, newest first', () => {
    expect(wantedDays({ newest, historyStart: start, covered: new Map(), again: 1, now })).toEqual(all);
  });

  test('are yesterday alone once everything is covered', () => {
    const covered = new Map(all.map((day) => [day, {}]));
    expect(wantedDays({ newest, historyStart: start, covered, again: 1, now })).toEqual([newest]);
  });

  test('are the revision window when it is due', () => {
    const covered = new Map(all.map((day) => [day, {}]));
    expect(wantedDays({ newest, historyStart: start, covered, again: 7, now })).toEqual(all.slice(0, 7));
  });

  test('include holes, and days without a row for 72 hours after their end', () => {
    const covered = new Map<Day, unknown>(all.map((day) => [day, {}]));
    covered.delete(addDays(newest, -20));
    for (const back of [1, 2, 3, 4]) covered.set(addDays(newest, -back), undefined);
    const wanted = wantedDays({ newest, historyStart: start, covered, again: 1, now });
    expect(wanted.map((day) => daysBetween(day, newest))).toEqual([0, 1, 2, 20]);
  });

  test('never reach back before the start of history', () => {
    expect(wantedDays({ newest, historyStart: newest, covered: new Map(), again: 7, now })).toEqual([newest]);
    expect(
      wantedDays({ newest, historyStart: addDays(newest, 1), covered: new Map(), again: 7, now }),
    ).toEqual([]);
  });
});
