import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { readStore } from '../../src/app/store.ts';
import type { DayDataset, DocumentDataset } from '../../src/catalog/dataset.ts';
import { addDays, type Day, startOf } from '../../src/catalog/day.ts';
import type { Query, Value } from '../../src/store/database.ts';
import { sendRows } from '../../src/store/database.ts';
import { DAYS } from '../../src/store/layouts.ts';
import { takeLock } from '../../src/store/lock.ts';
import { SqlStore } from '../../src/store/sql-store.ts';
import { SqliteDatabase } from '../../src/store/sqlite.ts';
import { openFiles } from '../../src/store/sqlite-files.ts';
import { keyOf } from '../../src/store/statements.ts';
import { UNCONFIRMED } from '../../src/store/store.ts';
import { daysOf } from '../../src/store/stored-org.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { answer, bytesIn, contentOf, createDirectory, listing, openStore } from './files.ts';

const first = dayNamed('2026-01-01');
const daysFrom = (count: number) => Array.from({ length: count }, (_, index) => addDays(first, index));
const tokens: DayDataset<unknown> = { kind: 'days', name: 'tokens', idle: {}, beyondDay: ['people'] };

/** A store in memory of datasets with these versions of their rows. */
function storeOf(version: number) {
  const log = createFakeLogger();
  const days = SqliteDatabase.open({ path: ':memory:', onDamage: 'exit', layout: DAYS, log });
  const clock = createSystemClock();
  const opened = (schemaVersion: number) => {
    const reports: DocumentDataset<unknown> = {
      kind: 'documents',
      name: 'readiness',
      schemaVersion,
      idOf: String,
    };
    return new SqlStore({
      days,
      counts: days,
      datasets: [{ ...tokens, schemaVersion }, reports],
      clock,
      log,
    });
  };
  const store = opened(version);
  onTestFinished(() => store.close());
  return { store, opened, log };
}

test('rows that were never stored are known as those that were', async () => {
  const rows = new Map<Day, unknown>(
    [
      ...[undefined, { n: 1 }, { n: 0 }, { text: 'x' }, { people: 3 }, { people: 3, n: 0 }],
      ...[{ n: 0, rejected: { n: 1 } }, { n: 2, rejected: { n: 1 } }, { byModel: [{ n: 0 }, { n: 4 }] }],
    ].map((row, index) => [addDays(first, index), row]),
  );
  const { store } = storeOf(1);
  const filled = [...rows].filter(([, row]) => row !== undefined);
  await store.putDays('acme', 'tokens', answer([...rows.keys()], Object.fromEntries(filled)));
  const known = (days: ReturnType<typeof daysOf>) => ({
    size: days.size,
    days: [...days.keys(), addDays(first, 100)].map((day) => [
      ...[
        day,
        days.has(day),
        days.isFilled(day),
        days.hasActivity(day),
        days.isUnsettled(day),
        days.get(day),
      ],
    ]),
  });
  const stored = known((await store.read('acme')).days('tokens'));
  expect(stored).toEqual(known(daysOf(tokens, rows)));
  expect(stored.days.map(([, , , activity]) => activity)).toEqual([
    ...[undefined, true, false, undefined, undefined, false, undefined, true, true, undefined],
  ]);
});

test('rows and documents of another version count as not answered, and are replaced', async () => {
  const { store, opened } = storeOf(1);
  await store.putDays('acme', 'tokens', answer([first], { [first]: { n: 1 } }));
  await store.putDocuments('acme', 'readiness', listing({ a: 'a' }));
  const next = opened(2);
  const of = async (one: typeof store) => {
    const org = await one.read('acme');
    return [[...org.days('tokens').keys()], org.documents('readiness')];
  };
  expect(await of(next)).toEqual([[], []]);
  expect((await next.putDays('acme', 'tokens', answer([first], { [first]: { n: 2 } }))).revisions).toEqual(
    [],
  );
  await next.putDocuments('acme', 'readiness', listing({ a: 'a' }));
  expect(await of(next)).toEqual([[first], ['a']]);
  expect(await of(store)).toEqual([[], []]);
});

test('many rows, large ones and many documents are read as they were written, by a command, too', async () => {
  const file = path.join(createDirectory(), 'history.db');
  const store = openStore(file);
  const days = daysFrom(450);
  // More than is read at once, and than stays parsed.
  const text = (day: Day, index: number) => day.repeat(index < 5 ? 60_000 : 1);
  const rows = Object.fromEntries(days.map((day, index) => [day, { text: text(day, index) }]));
  await store.putDays('acme', 'tokens', answer(days, rows));
  const documents = Object.fromEntries(['', ...days].map((id) => [id, { id }]));
  await store.putDocuments('acme', 'readiness', listing(documents));
  await store.putDays('globex', 'tokens', answer(days.slice(0, 3), rows));
  const reader = await readStore({
    ...{
      path: file,
      url: undefined,
      orgs: ['acme', 'globex'],
      collectors: [],
      clock: createSystemClock(),
      log: createFakeLogger(),
    },
  });
  for (const one of [store, reader]) {
    const org = await one.read('acme');
    const known = org.days('tokens');
    // Twice, and in another order.
    for (const order of [days, days.toReversed()])
      expect(order.every((day) => (known.get(day) as { text: string }).text === rows[day]?.text)).toBe(true);
    expect(known.size).toBe(450);
    expect(org.documents('readiness')).toHaveLength(451);
    expect(new Set(org.documents('readiness'))).toEqual(new Set(Object.values(documents)));
  }
  expect(await contentOf(reader, ['acme', 'globex'])).toEqual(await contentOf(store, ['acme', 'globex']));
});

test.each([0, 1, 99, 100, 101, 250])(
  '%i rows are sent by few statements, in order, with what they return',
  async (count) => {
    const sent: (readonly [text: string, values: readonly Value[]])[] = [];
    const query: Query = async (text, values = []) => {
      sent.push([text, values]);
      return [{ first: values[1] ?? null }];
    };
    const rows = Array.from({ length: count }, (_, index) => [index, `${index}`]);
    const returned = await sendRows(query, 'INTO $1 VALUES ROWS', rows, ['table']);
    expect(sent.flatMap(([, values]) => values.slice(1))).toEqual(rows.flat());
    expect(sent).toHaveLength(Math.ceil(count / 100));
    expect(returned).toHaveLength(sent.length);
    for (const [text, values] of sent) {
      expect(values[0]).toBe('table');
      const places = [...text.matchAll(/\$(\d+)/g)].map(([, place]) => Number(place));
      expect(places).toEqual(values.map((_, index) => index + 1));
      expect(text.match(/\([^)]*\)/g)).toHaveLength((values.length - 1) / 2);
    }
  },
);

test('identities that no index takes are stored as digests, each as its own', () => {
  const plain = ['', 'a', 'ü'.repeat(200)];
  expect(plain.map(keyOf)).toEqual(plain);
  const others = ['x'.repeat(201), 'y'.repeat(201), 'a\0', '\ud800'].map(keyOf);
  expect(new Set(others).size).toBe(4);
  for (const key of others) expect(key).toMatch(/^[0-9a-f]{64}$/);
});

test('what a former organization left is not mixed with what was stored before its identifier was known', async () => {
  const store = openStore(':memory:');
  await store.putDays('acme', 'tokens', answer(daysFrom(2), { [first]: { n: 1 } }, 1, 'org_1'));
  await store.putDocuments('acme', 'readiness', listing({ a: 'old' }));
  const second = addDays(first, 1);
  await store.adopt('acme', 'org_2');
  // Somebody has removed the identifier: what is stored without one is newer.
  await store.putDays('acme', 'tokens', answer([first, second], { [first]: { n: 7 } }, 2));
  await store.adopt('acme', 'org_1');
  const org = await store.read('acme');
  expect([org.orgId, org.days('tokens').get(first), org.documents('readiness')]).toEqual([
    ...['org_1', { n: 1 }, ['old']],
  ]);
  const fresh = openStore(':memory:');
  await fresh.putDays('acme', 'tokens', answer([first], { [first]: { n: 3 } }));
  await fresh.adopt('acme', 'org_9');
  expect((await fresh.read('acme')).days('tokens').get(first)).toEqual({ n: 3 });
  expect((await fresh.standing('acme')).confirmedKey).toBeUndefined();
});

test('what another platform has left is set aside without any identifier, and restored for its platform alone', async () => {
  const store = openStore(':memory:');
  const rows = async () => [...(await store.read('acme')).days('tokens').keys()];
  await store.putDays('acme', 'tokens', answer([first], { [first]: { n: 3 } }));
  await store.adopt('acme', undefined, 'foreign');
  expect([await rows(), (await store.standing('acme')).confirmedKey]).toEqual([[], UNCONFIRMED]);
  await store.adopt('acme', undefined, 'foreign');
  expect(await rows()).toEqual([]);
  await store.adopt('acme', 'copilot:host:acme', 'foreign');
  await store.adopt('acme', undefined, 'foreign');
  expect(await rows()).toEqual([]);
  await store.adopt('acme', undefined, 'ours');
  expect([await rows(), (await store.standing('acme')).confirmedKey]).toEqual([[first], undefined]);
  expect(store.log.events.map(({ fields }) => fields['before'])).toEqual(['?', 'copilot:host:acme']);
});

test('tables are created all or none', () => {
  const file = path.join(createDirectory(), 'history.db');
  const store = openStore(file, {
    openDatabase(location) {
      const db = new DatabaseSync(location);
      const exec = db.exec.bind(db);
      db.exec = (sql) => {
        if (location === file && sql.includes('TABLE IF NOT EXISTS sweep'))
          throw Object.assign(new Error('full'), { errcode: 13 });
        exec(sql);
      };
      return db;
    },
  });
  expect(store.log.events.map(({ fields }) => fields['reason'])).toEqual(['full']);
  const db = new DatabaseSync(file);
  expect(db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()).toEqual({ tables: 0 });
  db.close();
});

test('a document whose text is not what was written is forgotten, and listed again', async () => {
  const file = path.join(createDirectory(), 'history.db');
  const store = openStore(file);
  await store.putDocuments('acme', 'readiness', listing({ a: 'a', b: 'b' }));
  const db = new DatabaseSync(file);
  db.prepare('UPDATE document SET data = ? WHERE id = ?').run('"other"', 'a');
  db.close();
  const { revision } = (await store.standing('acme')).dataset('readiness');
  const documents = async () => [...(await store.read('acme')).documents('readiness')].sort();
  expect(await documents()).toEqual(['b']);
  expect(store.log.events.map(({ level, fields }) => [level, fields['rows']])).toEqual([['warn', 1]]);
  expect((await store.standing('acme')).dataset('readiness').revision).toBe(revision + 1);
  await store.putDocuments('acme', 'readiness', listing({ a: 'a' }, false));
  expect(await documents()).toEqual(['a', 'b']);
});

test('a key is confirmed until the name is given to another organization', async () => {
  const store = openStore(':memory:');
  const confirmed = async () => (await store.standing('acme')).confirmedKey;
  await store.putConfirmedKey('acme', 'first');
  await store.putDays('acme', 'tokens', answer([first], {}, 1, 'org_1'));
  expect([await confirmed(), (await store.standing('acme')).orgId]).toEqual(['first', 'org_1']);
  await store.adopt('acme', 'org_1');
  await store.putConfirmedKey('acme', 'second');
  expect(await confirmed()).toBe('second');
  await store.adopt('acme', 'org_2');
  expect(await confirmed()).toBe(UNCONFIRMED);
});

test.each(['answered', 'set aside'])(
  'a row that is %s while rows are amended stays as it is',
  async (fate) => {
    const store = openStore(':memory:');
    const days = daysFrom(45);
    await store.putDays(
      'acme',
      'users',
      answer(days, Object.fromEntries(days.map((day) => [day, { n: 0 }])), 1, 'org_1'),
    );
    let other: Promise<unknown> | undefined;
    await store.amend('users', (row, day) => {
      other ??=
        fate === 'answered'
          ? store.putDays('acme', 'users', answer([day], { [day]: { n: 7 } }, 2))
          : store.adopt('acme', 'org_2');
      return day === days[1] ? row : { n: 1 };
    });
    await other;
    const known = (await store.read('acme')).days('users');
    const values = days.map((day) => (known.get(day) as { n: number } | undefined)?.n);
    const amended = days.map((_, index) => [7, 0][index] ?? 1);
    expect(values).toEqual(fate === 'answered' ? amended : days.map(() => undefined));
  },
);

test('a process that may not write reads, and changes nothing', async () => {
  const log = createFakeLogger();
  const file = path.join(createDirectory(), 'history.db');
  const days = SqliteDatabase.open({ path: file, onDamage: 'exit', layout: DAYS, log });
  const parts = { days, counts: days, datasets: [], clock: createSystemClock(), log };
  const [store, other] = [new SqlStore(parts), new SqlStore({ ...parts, mayWrite: () => false })];
  onTestFinished(() => store.close());
  const all = daysFrom(10);
  await store.putDays('acme', 'tokens', answer(all, Object.fromEntries(all.map((day) => [day, { n: 1 }]))));
  const db = new DatabaseSync(file);
  db.prepare('UPDATE day SET data = ? WHERE day = ?').run('{"n":2}', all[9] ?? '');
  db.close();
  const before = bytesIn(path.dirname(file));
  expect((await other.read('acme')).days('tokens').size).toBe(9);
  await other.amend('tokens', () => ({ n: 5 }));
  await other.sweep({ days: 2, now: startOf(addDays(first, 10)), orgs: ['acme'] });
  expect(log.events).toEqual([]);
  expect(bytesIn(path.dirname(file)).get('history.db-wal')).toBe(before.get('history.db-wal'));
  await store.sweep({ days: 2, now: startOf(addDays(first, 10)), orgs: ['acme'] });
  expect((await store.read('acme')).days('tokens').size).toBe(2 - 1);
});

test('lags are those of one dataset, and a day that is too old to be compared is none', async () => {
  const store = openStore(':memory:');
  const put = (dataset: 'tokens' | 'tools', published: Day, at: number) =>
    store.putDays('acme', dataset, {
      ...answer([published], { [published]: { n: at } }, at),
      lags: { isNews: () => true, isNextPoll: true, comparedDays: 2 },
    });
  const ended = startOf(addDays(first, 1));
  const [tokens, tools] = [
    await put('tokens', first, ended + 60_000),
    await put('tools', first, ended + 120_000),
  ];
  expect([tokens.lags, tools.lags]).toEqual([
    { 'published 3600': [1, 60_000] },
    { 'published 3600': [1, 120_000] },
  ]);
  expect(await store.dayLags('acme')).toEqual(
    new Map([
      ['tokens', tokens.lags],
      ['tools', tools.lags],
    ]),
  );
  // Two days later it is not compared any more: it never settles.
  const late = addDays(first, 10);
  await put('tokens', late, startOf(addDays(late, 2)));
  const again = await put('tokens', late, startOf(addDays(late, 3)));
  const kinds = [...(await store.dayLags('acme')).values()].flatMap((lags) => Object.keys(lags));
  expect(Object.keys(again.lags ?? {})).toEqual(['published 3600', 'published 86400']);
  expect(kinds).toEqual(['published 3600', 'published 86400', 'published 3600']);
});

test('a lock and its owner are for this user alone, and what was refused leaves none', async () => {
  const folder = createDirectory();
  const file = path.join(folder, 'history.db');
  const parts = { onDamage: 'replace', clock: createSystemClock(), log: createFakeLogger() } as const;
  writeFileSync(file, "another program's text");
  await expect(openFiles({ path: file, ...parts })).rejects.toThrow('is not a file of this exporter');
  expect(readdirSync(folder)).toEqual(['history.db']);
  // A lock that was there before stays.
  writeFileSync(`${file}.lock`, '');
  await expect(openFiles({ path: file, ...parts })).rejects.toThrow('is not a file of this exporter');
  expect(readdirSync(folder)).toEqual(['history.db', 'history.db.lock']);
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name));
  const { days, counts } = await openFiles({ path: file, ...parts });
  for (const name of ['history.db', 'history.db.lock', 'history.db.owner'])
    expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
  await days.close();
  await counts.close();
  expect(readdirSync(folder)).not.toContain('history.db.owner');
  expect(() => takeLock(path.join(folder, 'nowhere', 'x.lock'))).toThrow(
    expect.objectContaining({ code: 'ENOENT' }),
  );
  await expect(openFiles({ path: folder, ...parts })).rejects.toThrow('is a directory');
});
