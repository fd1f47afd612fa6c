import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays, type Day, dayOf, daysBetween, startOf, weekdayOf } from '../../src/catalog/day.ts';
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
