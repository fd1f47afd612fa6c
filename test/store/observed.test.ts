import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { addDays, type Day, startOf } from '../../src/catalog/day.ts';
import { withAnswer } from '../../src/store/observed.ts';
import { dayNamed } from '../support/day.ts';
import { answer, createDirectory, openStore } from './files.ts';

const HOUR = 3_600_000;
const monday = dayNamed('2026-03-02');
const tuesday = dayNamed('2026-03-03');
const notes = { isNews: () => true, isNextPoll: true, comparedDays: 2 };
const seen = new Map([['credits', { last: monday }]]);

test('a damaged text keeps no row from being stored, and is replaced', async () => {
  const file = path.join(createDirectory(), 'history.db');
  const before = openStore(file);
  await before.putDays('acme', 'tokens', { ...answer([]), lags: notes, seen });
  await before.close();
  const db = new DatabaseSync(file);
  db.exec(`UPDATE observed SET data = substr(data, 2)`);
  db.close();
  const store = openStore(file);
  const rows = answer([monday], { [monday]: { credits: 1 } }, startOf(tuesday) + HOUR);
  const { lags, missingFields } = await store.putDays('acme', 'tokens', { ...rows, lags: notes });
  expect([lags, missingFields]).toEqual([{ 'published 3600': [1, HOUR] }, []]);
  expect(await store.dayLags('acme')).toEqual(new Map([['tokens', lags]]));
  await store.close();
});

test('a change counts from when the day was last seen as it is, within the time of its comparisons', () => {
  const at = startOf(tuesday) + HOUR;
  const rows = new Map([[monday, {}]]);
  const first = withAnswer({}, { rows, at }, notes, new Set());
  const same = withAnswer(first, { rows, at: at + HOUR }, notes, new Set());
  expect(same.lags).toBe(first.lags);
  const revised = withAnswer(same, { rows, at: at + 3 * HOUR }, notes, new Set([monday]));
  const last = withAnswer(revised, { rows, at: at + 24 * HOUR }, notes, new Set());
  expect(last.lags).toEqual({ 'published 3600': [1, HOUR], 'settled 21600': [1, 4 * HOUR] });
  // Published and settled once, and for good.
  expect(withAnswer(last, { rows, at: at + 25 * HOUR }, notes, new Set([monday])).lags).toBe(last.lags);
});

test('a row that is seen for the first time counts if it is the newest, and the poll before would have seen it', () => {
  const at = startOf(tuesday) + HOUR;
  const answerOf = (...days: Day[]) => ({ rows: new Map(days.map((day) => [day, {}])), at });
  const [eve, before] = [addDays(monday, -1), { newest: addDays(monday, -2) }];
  const counted = (...days: Day[]) => withAnswer(before, answerOf(...days), notes, new Set());
  expect(counted(eve, monday).lags).toEqual({ 'published 3600': [1, HOUR] });
  expect(counted(eve, monday).newest).toBe(monday);
  expect(counted(before.newest).lags).toBeUndefined();
  const unsure = { ...notes, isNews: (day: Day) => day !== monday };
  const unseen = withAnswer(before, answerOf(monday), unsure, new Set());
  expect(unseen.lags).toBeUndefined();
  // The newest one is another.
  expect(withAnswer(unseen, answerOf(eve), notes, new Set()).lags).toBeUndefined();
});

test('a change between comparisons that are more than a day apart has no lag', () => {
  const rows = new Map([[monday, {}]]);
  const end = startOf(tuesday);
  const first = withAnswer({}, { rows, at: end + HOUR }, { ...notes, comparedDays: 3 }, new Set());
  const revised = new Set([monday]);
  const [known, unknown] = [26, 27].map((hours) => {
    const late = { rows, at: end + (1 + hours) * HOUR };
    const changed = withAnswer(first, late, { ...notes, comparedDays: 3 }, revised);
    return withAnswer(changed, { rows, at: end + 49 * HOUR }, { ...notes, comparedDays: 3 }, new Set()).lags;
  });
  expect(known).toMatchObject({ 'settled 172800': [1, 27 * HOUR] });
  expect(Object.keys(unknown ?? {})).toEqual(['published 3600']);
});
