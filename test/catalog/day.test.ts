import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addDays,
  type Day,
  dayOf,
  daysBetween,
  daysFrom,
  firstOfMonth,
  lastOfMonth,
  monthSoFar,
  restOfMonth,
  startOf,
  weekdayOf,
} from '../../src/catalog/day.ts';
import { dayNamed } from '../support/day.ts';

const instants = fc.integer({
  min: Date.parse('0000-01-01T00:00:00Z'),
  max: Date.parse('9999-12-31T23:59:59Z'),
});

test('a day is the calendar’s UTC day of an instant', () => {
  fc.assert(
    fc.property(instants, (instant) => {
      const day = new Date(instant).toISOString().slice(0, 10);
      expect(dayOf(instant)).toBe(day);
      expect(startOf(day as Day)).toBe(Date.parse(`${day}T00:00:00Z`));
      expect(weekdayOf(day as Day)).toBe((new Date(instant).getUTCDay() + 6) % 7);
    }),
    { numRuns: 2000 },
  );
});

test.each(['0000-01-01', '0000-02-29', '1600-02-29', '1900-02-28', '1969-12-31', '2000-02-29', '9999-12-31'])(
  '%s is the day that starts at its start',
  (day) => {
    expect(dayOf(Date.parse(`${day}T00:00:00Z`))).toBe(day);
    expect(dayOf(Date.parse(`${day}T23:59:59.999Z`))).toBe(day);
    expect(startOf(day as Day)).toBe(Date.parse(`${day}T00:00:00Z`));
  },
);

test('days are counted across leap years, and an invalid instant has no day', () => {
  expect(addDays(dayNamed('2028-02-28'), 2)).toBe('2028-03-01');
  expect(daysBetween(dayNamed('2027-12-31'), dayNamed('2029-01-01'))).toBe(367);
  expect(() => dayOf(Number.NaN)).toThrow(RangeError);
});

describe('billing months', () => {
  test.each([1, 9, 29, 30, 31])(
    'that start on day %i follow each other, and have each day once',
    (starts) => {
      const from = firstOfMonth(dayNamed('2027-03-15'), starts);
      const periods: (readonly Day[])[] = [];
      for (let first = from; periods.length < 24; ) {
        const days = daysFrom(first, lastOfMonth(first, starts));
        periods.push(days);
        first = addDays(days.at(-1) ?? first, 1);
      }
      const days = periods.flat();
      // With 29 February 2028.
      expect(days).toEqual(daysFrom(from, addDays(firstOfMonth(dayNamed('2029-03-15'), starts), -1)));
      expect(days).toHaveLength(731);
      for (const period of periods) {
        expect(period.length).toBeGreaterThanOrEqual(28);
        expect(period.length).toBeLessThanOrEqual(31);
        for (const day of period) {
          expect([...monthSoFar(day, starts), ...restOfMonth(day, starts)]).toEqual(period);
        }
      }
    },
  );

  test('start on the last day of a calendar month without that day', () => {
    const starts = (day: string, from: number) => firstOfMonth(dayNamed(day), from);
    expect(starts('2026-03-08', 9)).toBe('2026-02-09');
    expect(starts('2026-03-09', 9)).toBe('2026-03-09');
    expect(starts('2026-03-15', 31)).toBe('2026-02-28');
    expect(starts('2028-03-15', 30)).toBe('2028-02-29');
    expect(starts('2026-02-27', 29)).toBe('2026-01-29');
    expect(starts('2026-01-05', 31)).toBe('2025-12-31');
    expect(lastOfMonth(dayNamed('2026-04-30'), 31)).toBe('2026-05-30');
  });
});
