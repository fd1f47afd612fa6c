import { expect, test } from 'vitest';
import { addDays, type Day, daysFrom, startOf } from '../../src/catalog/day.ts';
import { daysToFetch } from '../../src/pipeline/days-to-fetch.ts';
import { dayNamed } from '../support/day.ts';
import { storedDays } from '../support/store.ts';

const newest = dayNamed('2026-03-31');
const historyStart = dayNamed('2026-03-01');
const now = startOf(addDays(newest, 1));

function fetchedWith(rows: Readonly<Record<string, unknown>>, isPass: boolean, start = historyStart) {
  const covered = new Map<Day, unknown>(daysFrom(historyStart, newest).map((day) => [day, { credits: 1 }]));
  for (const [day, row] of Object.entries(rows)) covered.set(day as Day, row);
  return daysToFetch({
    newest,
    historyStart: start,
    covered: storedDays(covered),
    newestAgain: 1,
    isPass,
    lastPass: undefined,
    now,
  }).days;
}

test('a day of which something was rejected is fetched again, however old it is', () => {
  const rows = {
    '2026-03-02': { rejected: { credits: 0 } },
    '2026-03-20': { credits: 1, rejected: { cacheRead: 2 } },
  };
  expect(fetchedWith(rows, true)).toEqual([newest, '2026-03-20', '2026-03-02']);
  expect(fetchedWith(rows, false)).toEqual([newest]);
  expect(fetchedWith({}, true)).toEqual([newest]);
});

test('so is one before the first day that is otherwise fetched', () => {
  const rows = {
    '2026-03-02': { rejected: { people: 1 } },
    '2026-03-05': { rejected: { people: 1 } },
  };
  expect(fetchedWith(rows, true, dayNamed('2026-03-29'))).toEqual([newest, '2026-03-05', '2026-03-02']);
});
