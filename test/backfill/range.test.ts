import { expect, test } from 'vitest';
import { rangeOf } from '../../src/backfill/range.ts';
import { dayNamed } from '../support/day.ts';

/** The range between the days that are given, as `FIRST..LAST`, at noon of 2026-06-10. */
function range(days: string, step?: number): string {
  const [from, to] = days.split('..').map((text) => (text === '' ? undefined : dayNamed(text)));
  const now = Date.parse('2026-06-10T12:00:00Z');
  const found = rangeOf({ from, to, step }, dayNamed('2026-01-14'), now);
  return `${found.from}..${found.to}`;
}

test.each([
  ['..', '2026-01-14..2026-06-08'],
  ['2026-02-01..2026-02-03', '2026-02-01..2026-02-03'],
  ['2026-01-14..2026-01-14', '2026-01-14..2026-01-14'],
  ['..2026-12-01', '2026-01-14..2026-06-08'],
  ['2026-06-08..', '2026-06-08..2026-06-08'],
])('of %s, the days that the live series has left behind are %s', (given, days) => {
  expect(range(given)).toBe(days);
});

test('with a step, the newest day is one whose first samples the live series has left behind', () => {
  expect(range('..', 3_600_000)).toBe('2026-01-14..2026-06-09');
});

test.each([
  ['2026-01-13..', '--from: 2026-01-13 is before 2026-01-14, the first day that is fetched'],
  ['..2026-01-13', '--to: 2026-01-13 is before the first day, 2026-01-14'],
  ['2026-02-03..2026-02-01', '--to: 2026-02-01 is before the first day, 2026-02-03'],
  [
    '2026-06-09..2026-06-10',
    '--from: 2026-06-09 is still covered by the live series; the newest day to backfill is 2026-06-08',
  ],
])('%s is refused', (given, message) => {
  expect(() => range(given)).toThrow(message);
});
