import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { addDays } from '../../../src/catalog/day.ts';
import { LAYOUT } from '../../../src/history/sqlite/schema.ts';
import { createRandom } from '../../fuzz/random.ts';
import { dayNamed } from '../../support/day.ts';
import { propertyRuns } from '../../support/thoroughness.ts';
import { answer, contentOf, createDirectory, openHistory } from '../files.ts';

const monday = dayNamed('2026-03-02');
const DAYS = 40;

function rowOf(day: string) {
  return { text: day.repeat(150) };
}

/** A file with 40 days and a count of requests, closed properly. */
async function writtenIn(directory: string): Promise<string> {
  const file = path.join(directory, 'history.db');
  const history = await openHistory(file);
  const days = Array.from({ length: DAYS }, (_, index) => addDays(monday, index));
  const rows = Object.fromEntries(days.map((day) => [day, rowOf(day)]));
  await history.putDays('acme', 'tokens', answer(days, rows, 1, 'org_1'));
  await history.putRequests('acme', { day: monday, requests: 77 });
  await history.close();
  return file;
}

/** Overwrites this many bytes at some position. */
function damage(file: string, random: () => number): void {
  const bytes = readFileSync(file);
  const start = Math.floor(random() * bytes.length);
  const length = random() < 0.5 ? 1 : Math.floor(random() * 5000);
  for (let at = start; at < Math.min(bytes.length, start + length); at++) {
    bytes[at] = (bytes[at] ?? 0) ^ (1 + Math.floor(random() * 255));
  }
  writeFileSync(file, bytes);
}

/** The known days, each of which must be as it was written. */
async function checkedDays(history: Awaited<ReturnType<typeof openHistory>>): Promise<number> {
  const days = (await history.read('acme')).days('tokens');
  for (const [day, row] of days) expect(row).toEqual(rowOf(day));
  return days.size;
}

describe('damage at random offsets', () => {
  test.each(['keep', 'replace'] as const)(
    'before the start (%s) ends no process and alters no figure',
    async (onDamage) => {
      const original = readFileSync(await writtenIn(createDirectory()));
      let read = 0;
      const files = propertyRuns(30);
      for (let seed = 1; seed <= files; seed++) {
        const file = path.join(createDirectory(), 'history.db');
        writeFileSync(file, original);
        damage(file, createRandom(seed));
        const bytes = readFileSync(file);
        const history = await openHistory(file, { onDamage });
        const known = await checkedDays(history);
        read += known;
        const isWhole = history.isPersistent() && known === DAYS;
        await history.putDays('acme', 'tools', answer([monday], { [monday]: { n: 1 } }));
        if (onDamage === 'replace') expect(history.isPersistent(), `seed ${seed}`).toBe(true);
        if (!history.isPersistent()) expect(readFileSync(file)).toEqual(bytes);
        await history.close();
        const aside = `${file}.damaged-1`;
        if (existsSync(aside)) expect(readFileSync(aside)).toEqual(bytes);
        if (onDamage === 'keep' || isWhole) continue;
        const again = await openHistory(file);
        expect(await checkedDays(again), `seed ${seed}`).toBe(known);
        expect((await again.read('acme')).days('tools').size).toBe(1);
        await again.close();
      }
      // Most of the undamaged data can still be read.
      expect(read).toBeGreaterThan((files * DAYS) / 2);
    },
  );

  test.each(['keep', 'replace'] as const)(
    'while it is open (%s) costs nothing that is known',
    async (onDamage) => {
      for (let seed = 1; seed <= propertyRuns(15); seed++) {
        const file = await writtenIn(createDirectory());
        const history = await openHistory(file, { onDamage });
        await history.putDays('acme', 'tools', answer([monday], { [monday]: { n: 1 } }));
        const before = await contentOf(history);
        damage(file, createRandom(seed));
        await history.sweep();
        await history.sweep();
        expect(await contentOf(history), `seed ${seed}`).toEqual(before);
        if (onDamage === 'replace') expect(history.isPersistent(), `seed ${seed}`).toBe(true);
        const persistent = history.isPersistent();
        await history.close();
        const again = await openHistory(file);
        if (persistent) expect(await contentOf(again), `seed ${seed}`).toEqual(before);
        await again.close();
      }
    },
  );
});

test.each([
  ['keep', false],
  ['replace', true],
] as const)(
  'damage found by a write (%s) is reported once, with what to do',
  async (onDamage, persistent) => {
    const file = await writtenIn(createDirectory());
    let isDamaged = false;
    const history = await openHistory(file, {
      onDamage,
      openDatabase(location) {
        const db = new DatabaseSync(location);
        const exec = db.exec.bind(db);
        db.exec = (sql) => {
          if (isDamaged && sql.startsWith('BEGIN')) {
            isDamaged = false;
            throw Object.assign(new Error('database disk image is malformed'), { errcode: 11 });
          }
          exec(sql);
        };
        return db;
      },
    });
    writeFileSync(file, readFileSync(file).fill(0xa5, 4096, 12_288));
    isDamaged = true;
    await history.putSucceeded('acme', 'tokens', 5);
    expect(history.isPersistent()).toBe(persistent);
    const errors = history.log.events.filter(({ level }) => level === 'error');
    expect(errors.map(({ fields }) => [fields['reason'], typeof fields['hint']])).toEqual([
      ['damaged', 'string'],
    ]);
    expect(existsSync(`${file}.damaged-1`)).toBe(persistent);
    expect(await checkedDays(history)).toBe(DAYS);
  },
);

describe('a running process notices within a sweep', () => {
  const disturbances: Readonly<Record<string, (file: string, copy: string) => void>> = {
    'that its file was deleted': (file) => rmSync(file),
    'that it was replaced by an older copy': (file, copy) => renameSync(copy, file),
    'that an older copy was written over it': (file, copy) => writeFileSync(file, readFileSync(copy)),
    'that something else was written over it': (file) => writeFileSync(file, 'Dear diary,\n'.repeat(2000)),
    'that it was cut off': (file) => truncateSync(file, 5000),
    'that it was emptied': (file) => truncateSync(file, 0),
  };

  test.each(Object.keys(disturbances))('%s', async (name) => {
    const directory = createDirectory();
    const file = await writtenIn(directory);
    const copy = path.join(directory, 'copy.db');
    copyFileSync(file, copy);
    const history = await openHistory(file, { onDamage: 'replace' });
    await history.putDays('acme', 'tools', answer([monday], { [monday]: { n: 1 } }));
    const before = await contentOf(history);
    disturbances[name]?.(file, copy);
    await history.sweep();
    expect(
      history.log.events.some(({ message }) => message.includes('removed, replaced or overwritten')),
    ).toBe(true);
    expect(history.isPersistent()).toBe(true);
    await history.close();
    const again = await openHistory(file);
    expect(await contentOf(again)).toEqual(before);
  });

  test('and is silent if no other program has modified it', async () => {
    const history = await openHistory(await writtenIn(createDirectory()));
    for (let n = 0; n < 5; n++) {
      await history.putDays('acme', 'tools', answer([addDays(monday, n)], { [addDays(monday, n)]: { n } }));
      await history.amend('tools', (row) => ({ ...(row as object), again: n }));
      await history.sweep();
    }
    expect(history.log.events.filter(({ level }) => level === 'warn')).toEqual([]);
  });
});

test('a damaged file that was kept is used again once a whole copy is in its place', async () => {
  const directory = createDirectory();
  const file = await writtenIn(directory);
  const whole = readFileSync(file);
  writeFileSync(file, readFileSync(file).fill(0xa5, 4096, 12_288));
  const history = await openHistory(file);
  await history.putDays('acme', 'tools', answer([monday], { [monday]: { n: 1 } }));
  await history.sweep();
  expect(history.isPersistent()).toBe(false);
  writeFileSync(file, whole);
  await history.sweep();
  expect(history.isPersistent()).toBe(true);
  expect(await checkedDays(history)).toBe(DAYS);
});

test.each(['keep', 'replace'] as const)(
  'a wrong format number in the header is damage (%s)',
  async (onDamage) => {
    const file = await writtenIn(createDirectory());
    const bytes = readFileSync(file);
    bytes[47] = 0x40;
    writeFileSync(file, bytes);
    const history = await openHistory(file, { onDamage });
    expect(history.isPersistent()).toBe(onDamage === 'replace');
    const error = history.log.events.find(({ level }) => level === 'error');
    expect(error?.fields).toMatchObject({ reason: 'damaged' });
  },
);

test('once a damaged file that was kept is removed, the new one contains what was read of it', async () => {
  const file = await writtenIn(createDirectory());
  writeFileSync(file, readFileSync(file).fill(0xa5, 4096 * 6, 4096 * 7));
  const history = await openHistory(file);
  const known = await checkedDays(history);
  expect([history.isPersistent(), known > 0]).toEqual([false, true]);
  rmSync(file);
  await history.sweep();
  expect(history.isPersistent()).toBe(true);
  await history.close();
  expect(await checkedDays(await openHistory(file))).toBe(known);
});

test('a file of a newer release is reported with its version, and is set aside if so configured', async () => {
  const file = await writtenIn(createDirectory());
  const db = new DatabaseSync(file);
  db.exec(`PRAGMA user_version = ${LAYOUT + 3}`);
  db.close();
  const kept = await openHistory(file);
  const error = kept.log.events.find(({ level }) => level === 'error');
  expect(error?.fields).toMatchObject({ reason: 'newer' });
  expect(error?.fields['detail']).toContain(`version ${LAYOUT + 3}`);
  expect(await checkedDays(kept)).toBe(DAYS);
  await kept.close();
  const replaced = await openHistory(file, { onDamage: 'replace' });
  expect([replaced.isPersistent(), await checkedDays(replaced)]).toEqual([true, DAYS]);
  expect(existsSync(`${file}.damaged-1`)).toBe(true);
});

test('a file of an older layout is moved aside with one warning, and filled anew', async () => {
  const file = await writtenIn(createDirectory());
  const db = new DatabaseSync(file);
  db.exec(`PRAGMA user_version = ${LAYOUT - 1}; ALTER TABLE dataset ADD COLUMN listing TEXT`);
  db.close();
  const history = await openHistory(file);
  const troubles = history.log.events.filter(({ level }) => level === 'warn' || level === 'error');
  expect(troubles.map(({ level, fields }) => [level, fields['aside']])).toEqual([
    ['warn', `${file}.older-1`],
  ]);
  expect((await history.read('acme')).days('tokens').size).toBe(0);
  expect(await history.requestsOf('acme')).toEqual({ day: monday, requests: 77 });
  await history.putDays('acme', 'tokens', answer([monday], { [monday]: rowOf(monday) }));
  expect(history.isPersistent()).toBe(true);
  await history.close();
  const again = await openHistory(file);
  expect((await again.read('acme')).days('tokens').size).toBe(1);
  const aside = new DatabaseSync(`${file}.older-1`, { readOnly: true });
  expect(aside.prepare("SELECT count(*) AS days FROM day WHERE dataset = 'tokens'").get()).toEqual({
    days: DAYS,
  });
  aside.close();
});

test('the count of requests outlasts damage of the history', async () => {
  const file = await writtenIn(createDirectory());
  writeFileSync(file, 'Dear diary,\n'.repeat(2000));
  const damaged = await openHistory(file);
  expect(await damaged.requestsOf('acme')).toEqual({ day: monday, requests: 77 });
});

test('a full disk under an existing file costs the persistence until there is room, and nothing that is known', async () => {
  const file = await writtenIn(createDirectory());
  const db = new DatabaseSync(file);
  const history = await openHistory(file, { openDatabase: () => db });
  const pages = Number(db.prepare('PRAGMA page_count').get()?.['page_count']);
  db.exec(`PRAGMA max_page_count = ${pages}`);
  const days = Array.from({ length: 60 }, (_, index) => addDays(monday, DAYS + index));
  await history.putDays(
    'acme',
    'tokens',
    answer(days, Object.fromEntries(days.map((day) => [day, rowOf(day)]))),
  );
  expect(history.isPersistent()).toBe(false);
  expect(history.log.events.find(({ level }) => level === 'warn')?.fields['reason']).toBe('full');
  expect(await checkedDays(history)).toBe(DAYS + 60);
  db.exec('PRAGMA max_page_count = 100000');
  await history.sweep();
  expect(history.isPersistent()).toBe(true);
  await history.close();
  expect(await checkedDays(await openHistory(file))).toBe(DAYS + 60);
});

test('a full disk in the middle of a transaction leaves what was stored before, and is not taken for another process', async () => {
  const file = path.join(createDirectory(), 'history.db');
  const db = new DatabaseSync(file);
  const history = await openHistory(file, { openDatabase: () => db });
  // A large transaction is written to the log before it ends.
  db.exec('PRAGMA cache_size = 1');
  await history.putDays('acme', 'tokens', answer([monday], { [monday]: rowOf(monday) }, 1, 'org_1'));
  const pages = Number(db.prepare('PRAGMA page_count').get()?.['page_count']);
  db.exec(`PRAGMA max_page_count = ${pages + 20}`);
  const days = Array.from({ length: 200 }, (_, index) => addDays(monday, 1 + index));
  const rows = Object.fromEntries(days.map((day) => [day, rowOf(day)]));
  const before = statSync(`${file}-wal`).size;
  await history.putDays('acme', 'tokens', answer(days, rows));
  expect(statSync(`${file}-wal`).size).toBeGreaterThan(before);
  await history.sweep();
  expect(
    history.log.events.flatMap(({ level, fields }) => (level === 'warn' ? fields['reason'] : [])),
  ).toEqual(['full']);
  const reader = new DatabaseSync(file, { readOnly: true });
  expect(reader.prepare('SELECT day FROM day').all()).toEqual([{ day: monday }]);
  reader.close();
  db.exec('PRAGMA max_page_count = 100000');
  await history.sweep();
  expect(history.isPersistent()).toBe(true);
  await history.close();
  expect(await checkedDays(await openHistory(file))).toBe(201);
});
