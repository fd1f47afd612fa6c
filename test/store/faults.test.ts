import {
  existsSync,
  mkdirSync,
  readdirSync,
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
import { addDays, type Day } from '../../src/catalog/day.ts';
import { NotStored } from '../../src/store/database.ts';
import { COUNTS, countsFileBeside, DAYS } from '../../src/store/layouts.ts';
import type { Store } from '../../src/store/store.ts';
import { ConfigError } from '../../src/text/errors.ts';
import { createRandom } from '../fuzz/random.ts';
import { dayNamed } from '../support/day.ts';
import { propertyRuns } from '../support/thoroughness.ts';
import { answer, createDirectory, openStore } from './files.ts';

const monday = dayNamed('2026-03-02');
const tuesday = addDays(monday, 1);
const COUNT = 40;
const days = Array.from({ length: COUNT }, (_, index) => addDays(monday, index));

function rowOf(day: string) {
  return { text: day.repeat(150) };
}

function rowsOf(some: readonly Day[]) {
  return Object.fromEntries(some.map((day) => [day, rowOf(day)]));
}

/** Files with 40 days and a count of requests, closed properly. */
async function writtenIn(directory = createDirectory()): Promise<string> {
  const file = path.join(directory, 'history.db');
  const store = openStore(file);
  await store.putDays('acme', 'tokens', answer(days, rowsOf(days), 1, 'org_1'));
  await store.putRequests('acme', { day: monday, requests: 77 });
  await store.close();
  return file;
}

/** Overwrites some bytes at some position. */
function damage(file: string, random: () => number): void {
  const bytes = readFileSync(file);
  const start = Math.floor(random() * bytes.length);
  const length = random() < 0.5 ? 1 : Math.floor(random() * 5000);
  for (let at = start; at < Math.min(bytes.length, start + length); at++) {
    bytes[at] = (bytes[at] ?? 0) ^ (1 + Math.floor(random() * 255));
  }
  writeFileSync(file, bytes);
}

/** The number of known days, each of which must be as it was written. */
async function knownIn(store: Store): Promise<number> {
  const known = (await store.read('acme')).days('tokens');
  for (const day of known.keys()) expect(known.get(day)).toEqual(rowOf(day));
  return known.size;
}

const more = Array.from({ length: 200 }, (_, index) => addDays(monday, COUNT + index));

/** A store whose files hold 40 days and have room for two more pages, until it is given more. */
async function almostFull() {
  const file = await writtenIn();
  let db: DatabaseSync | undefined;
  const store = openStore(file, {
    openDatabase(location) {
      const opened = new DatabaseSync(location);
      if (location === file) db = opened;
      return opened;
    },
  });
  const pages = Number(db?.prepare('PRAGMA page_count').get()?.['page_count']);
  // A large transaction is written to the log before it ends.
  db?.exec(`PRAGMA cache_size = 1; PRAGMA max_page_count = ${pages + 2}`);
  return { store, giveRoom: () => db?.exec('PRAGMA max_page_count = 100000') };
}

async function sizeOf(store: Store, dataset: 'tokens' | 'tools' = 'tokens'): Promise<number> {
  return (await store.read('acme')).days(dataset).size;
}

const toTools = answer([monday], { [monday]: { n: 1 } });

describe('damage at random offsets', () => {
  test('before the start alters no figure, and the file is used or moved aside as it was', async () => {
    const original = readFileSync(await writtenIn());
    let whole = 0;
    for (let seed = 1; seed <= propertyRuns(60); seed++) {
      const file = path.join(createDirectory(), 'history.db');
      writeFileSync(file, original);
      damage(file, createRandom(seed));
      const bytes = readFileSync(file);
      let store: ReturnType<typeof openStore>;
      try {
        store = openStore(file);
      } catch (error) {
        // The identifier itself was damaged: it may be anybody's.
        expect(error, `seed ${seed}`).toBeInstanceOf(ConfigError);
        expect(readFileSync(file)).toEqual(bytes);
        continue;
      }
      // Damage may show only when a page is read; then it is the new file that is read next.
      const known = await knownIn(store).catch(() => knownIn(store));
      await store.putDays('acme', 'tools', toTools).catch(() => store.putDays('acme', 'tools', toTools));
      expect(await sizeOf(store, 'tools').catch(() => sizeOf(store, 'tools'))).toBeLessThanOrEqual(1);
      if (known > 0) whole += 1;
      const aside = `${file}.damaged-1`;
      if (existsSync(aside)) {
        expect(store.log.events.filter(({ level }) => level === 'error')).toHaveLength(1);
      }
      await store.close();
    }
    expect(whole).toBeGreaterThan(0);
  });

  test('a wrong figure in a row is no figure: the day is asked again', async () => {
    const file = await writtenIn();
    const db = new DatabaseSync(file);
    db.prepare('UPDATE day SET data = ? WHERE day = ?').run('{"text":"another"}', tuesday);
    db.close();
    const store = openStore(file);
    expect(await knownIn(store)).toBe(COUNT - 1);
    expect(store.log.events.map(({ level }) => level)).toEqual(['warn']);
    const { revisions } = await store.putDays('acme', 'tokens', answer([tuesday], rowsOf([tuesday])));
    expect([revisions, await knownIn(store)]).toEqual([[], COUNT]);
  });
});

describe('a damaged file', () => {
  /** Pages of the table are garbage; the header is whole. */
  function damagedPages(file: string): Buffer {
    const bytes = readFileSync(file).fill(0xa5, 4096, 16_384);
    writeFileSync(file, bytes);
    return bytes;
  }

  test('is moved aside with one error that names it, and a new one takes its place; the counts stay', async () => {
    const file = await writtenIn();
    const bytes = damagedPages(file);
    const store = openStore(file);
    await store.putDays('acme', 'tools', toTools).catch(() => store.putDays('acme', 'tools', toTools));
    const errors = store.log.events.filter(({ level }) => level === 'error');
    expect(errors.map(({ fields }) => fields['aside'])).toEqual([`${file}.damaged-1`]);
    expect(readFileSync(`${file}.damaged-1`)).toEqual(bytes);
    expect(await sizeOf(store)).toBe(0);
    expect(await store.requestsOf('acme')).toEqual({ day: monday, requests: 77 });
    await store.close();
    const again = openStore(file);
    expect([await sizeOf(again), await sizeOf(again, 'tools')]).toEqual([0, 1]);
  });

  test.each([
    [11, 'database disk image is malformed'],
    [18, 'string or blob too big'],
  ])(
    'found while it is used (%d): the use fails, a new file takes its place, and nothing read before counts',
    async (errcode, message) => {
      const file = await writtenIn();
      let isDamaged = false;
      const store = openStore(file, {
        openDatabase(location) {
          const db = new DatabaseSync(location);
          const exec = db.exec.bind(db);
          db.exec = (sql) => {
            if (isDamaged && sql.startsWith('BEGIN IMMEDIATE')) {
              isDamaged = false;
              throw Object.assign(new Error(message), { errcode });
            }
            exec(sql);
          };
          return db;
        },
      });
      const before = await store.standing('acme');
      isDamaged = true;
      await expect(store.putSucceeded('acme', 'tokens', 5)).rejects.toThrow(NotStored);
      await store.putSucceeded('acme', 'tokens', 6);
      const after = await store.standing('acme');
      expect(after.epoch).not.toBe(before.epoch);
      expect([after.dataset('tokens').revision, await sizeOf(store)]).toEqual([0, 0]);
      expect(existsSync(`${file}.damaged-1`)).toBe(true);
    },
  );

  test('is left where it is if so configured, and ends the process', async () => {
    const file = await writtenIn();
    const header = readFileSync(file);
    header[0] = 0;
    writeFileSync(file, header);
    expect(() => openStore(file, { onDamage: 'exit' })).toThrow(`${file} is damaged`);
    expect(readFileSync(file)).toEqual(header);
    writeFileSync(file, header.fill(0xa5, 4096, 16_384).fill('S', 0, 1));
    const exits: unknown[] = [];
    const store = openStore(file, { onDamage: 'exit', onExit: (error) => void exits.push(error) });
    await expect(store.read('acme')).rejects.toThrow(NotStored);
    expect(exits).toEqual([expect.any(ConfigError)]);
    expect(readdirSync(path.dirname(file)).filter((name) => name.includes('damaged'))).toEqual([]);
  });

  test('takes no name that something else has', async () => {
    const file = await writtenIn();
    writeFileSync(`${file}.damaged-1`, 'kept');
    damagedPages(file);
    const store = openStore(file);
    await store.putDays('acme', 'tools', toTools).catch(() => undefined);
    expect(readFileSync(`${file}.damaged-1`, 'utf8')).toBe('kept');
    expect(existsSync(`${file}.damaged-2`)).toBe(true);
  });
});

describe('a file that is not to be touched', () => {
  test.each([
    ['a text', (file: string) => writeFileSync(file, 'Dear diary,\n'.repeat(2000))],
    [
      "another program's database",
      (file: string) => {
        const db = new DatabaseSync(file);
        db.exec('CREATE TABLE notes (text TEXT)');
        db.close();
      },
    ],
    [
      'a file of a newer release',
      (file: string) => {
        const db = new DatabaseSync(file);
        db.exec(`PRAGMA application_id = ${DAYS.applicationId}; PRAGMA user_version = ${DAYS.version + 3}`);
        db.close();
      },
    ],
    ['the counts in its place', (file: string) => renameSync(countsFileBeside(file), file)],
  ])('ends the start untouched: %s', async (_, make) => {
    const directory = createDirectory();
    const file = path.join(directory, 'history.db');
    await writtenIn(directory);
    rmSync(file);
    make(file);
    const bytes = readFileSync(file);
    expect(() => openStore(file)).toThrow(ConfigError);
    expect(readFileSync(file)).toEqual(bytes);
  });

  test('the counts of a newer release end the start, too', async () => {
    const file = await writtenIn();
    const db = new DatabaseSync(countsFileBeside(file));
    db.exec(`PRAGMA user_version = ${COUNTS.version + 1}`);
    db.close();
    expect(() => openStore(file)).toThrow('was written by a newer release');
  });
});

test('a file of an older layout is moved aside with one warning, and filled anew', async () => {
  const file = await writtenIn();
  const db = new DatabaseSync(file);
  db.exec(`PRAGMA user_version = ${DAYS.version - 1}; ALTER TABLE dataset ADD COLUMN listing TEXT`);
  db.close();
  const store = openStore(file);
  const troubles = store.log.events.filter(({ level }) => level === 'warn' || level === 'error');
  expect(troubles.map(({ level, fields }) => [level, fields['aside']])).toEqual([
    ['warn', `${file}.older-1`],
  ]);
  expect(await sizeOf(store)).toBe(0);
  expect(await store.requestsOf('acme')).toEqual({ day: monday, requests: 77 });
  const aside = new DatabaseSync(`${file}.older-1`, { readOnly: true });
  expect(aside.prepare('SELECT count(*) AS days FROM day').get()).toEqual({ days: COUNT });
  aside.close();
});

describe('a file that is removed or replaced while it is in use', () => {
  test.each(['removed', 'moved', 'replaced by an older copy'])('is opened anew: %s', async (fate) => {
    const directory = createDirectory();
    const file = await writtenIn(directory);
    const copy = path.join(directory, 'copy.db');
    writeFileSync(copy, readFileSync(file));
    const store = openStore(file);
    await store.putDays('acme', 'tools', toTools);
    const before = await store.standing('acme');
    if (fate === 'removed') rmSync(file);
    else if (fate === 'moved') renameSync(file, `${file}.old`);
    else renameSync(copy, file);
    await store.sweep();
    expect(store.log.events.filter(({ level }) => level === 'warn')).toHaveLength(1);
    expect((await store.standing('acme')).epoch).not.toBe(before.epoch);
    expect(await sizeOf(store)).toBe(fate === 'replaced by an older copy' ? COUNT : 0);
    await store.putDays('acme', 'tools', toTools);
    await store.close();
    expect(await sizeOf(openStore(file), 'tools')).toBe(1);
  });

  test('by a directory, costs the use until that is gone', async () => {
    const file = await writtenIn();
    const store = openStore(file);
    renameSync(file, `${file}.old`);
    mkdirSync(file);
    await expect(store.putDays('acme', 'tools', toTools)).rejects.toThrow(NotStored);
    rmSync(file, { recursive: true });
    await store.putDays('acme', 'tools', toTools);
    expect(store.log.events.map(({ level }) => level)).toEqual(['warn', 'warn', 'info']);
  });

  test('and nothing is said if no other program has touched it', async () => {
    const store = openStore(await writtenIn());
    for (let n = 0; n < 5; n++) {
      await store.putDays('acme', 'tools', answer([addDays(monday, n)], { [addDays(monday, n)]: { n } }));
      await store.amend('tools', (row) => ({ ...(row as object), again: n }));
      await store.sweep();
    }
    expect(store.log.events).toEqual([]);
  });
});

test('whether it can be written is tried only if the last write did not show it', async () => {
  let [writes, isFull] = [0, false];
  const store = openStore(await writtenIn(), {
    openDatabase(location) {
      const db = new DatabaseSync(location);
      const exec = db.exec.bind(db);
      db.exec = (sql) => {
        if (sql === 'BEGIN IMMEDIATE') writes += 1;
        if (sql === 'COMMIT' && isFull) throw Object.assign(new Error('full'), { errcode: 13 });
        exec(sql);
      };
      return db;
    },
  });
  const writesOf = async (use: () => Promise<unknown>) => {
    const before = writes;
    await use();
    return writes - before;
  };
  expect(await writesOf(() => store.demandWritable())).toBe(1);
  await store.putDays('acme', 'tools', toTools);
  expect(await writesOf(() => store.demandWritable())).toBe(0);
  isFull = true;
  await expect(store.putDays('acme', 'tools', toTools)).rejects.toThrow(NotStored);
  await expect(store.demandWritable()).rejects.toThrow(NotStored);
  isFull = false;
  expect(await writesOf(() => store.demandWritable())).toBe(1);
  await store.putDays('acme', 'tools', toTools);
  expect(await writesOf(() => store.demandWritable())).toBe(0);
});

describe('a place that cannot be used', () => {
  test('costs each use, is said once, and heals by itself', async () => {
    const directory = path.join(createDirectory(), 'data');
    writeFileSync(directory, 'in the way');
    const file = path.join(directory, 'history.db');
    const store = openStore(file);
    for (let n = 0; n < 3; n += 1) {
      await expect(store.putDays('acme', 'tools', toTools)).rejects.toMatchObject({
        details: { reason: 'unreachable' },
      });
    }
    await expect(store.sweep()).rejects.toThrow(NotStored);
    // Once for each of the two files.
    expect(store.log.events.map(({ level }) => level)).toEqual(['warn', 'warn']);
    rmSync(directory);
    await store.putDays('acme', 'tools', toTools);
    await store.sweep();
    expect(await sizeOf(store, 'tools')).toBe(1);
    expect(store.log.events.map(({ level }) => level)).toEqual(['warn', 'warn', 'info', 'info']);
  });

  test('a full disk leaves what was stored before, whole', async () => {
    const { store, giveRoom } = await almostFull();
    await expect(store.putDays('acme', 'tokens', answer(more, rowsOf(more)))).rejects.toMatchObject({
      details: { reason: 'full' },
    });
    expect(await knownIn(store)).toBe(COUNT);
    giveRoom();
    await store.putDays('acme', 'tokens', answer(more, rowsOf(more)));
    expect(await knownIn(store)).toBe(COUNT + 200);
    expect(store.log.events.map(({ level }) => level)).toEqual(['warn', 'info']);
  });

  test('near a full disk, what still fits does not end the trouble, and it is said once', async () => {
    const { store, giveRoom } = await almostFull();
    const retention = { days: 1000, now: 1_772_582_400_000, orgs: ['acme'] };
    for (let n = 0; n < 3; n += 1) {
      await store.demandWritable();
      await store.sweep(retention);
      await expect(store.putDays('acme', 'tokens', answer(more, rowsOf(more)))).rejects.toThrow(NotStored);
      await store.sweep(retention);
      await store.adopt('acme', 'org_1');
    }
    expect(store.log.events.map(({ level }) => level)).toEqual(['warn']);
    giveRoom();
    await store.putDays('acme', 'tokens', answer(more, rowsOf(more)));
    expect(store.log.events.map(({ level }) => level)).toEqual(['warn', 'info']);
  });

  test('a file cut off is damage', async () => {
    const file = await writtenIn();
    truncateSync(file, 5000);
    const store = openStore(file);
    await store.putDays('acme', 'tools', toTools).catch(() => store.putDays('acme', 'tools', toTools));
    expect(await sizeOf(store, 'tools')).toBe(1);
  });

  test('a file cut off while it is in use is damage, not an error of the disk', async () => {
    const file = path.join(createDirectory(), 'history.db');
    const before = openStore(file);
    await before.putDays('acme', 'tokens', answer([monday], { [monday]: { text: 'long'.repeat(9000) } }));
    await before.close();
    const store = openStore(file);
    // The log then says how many pages there are.
    await store.putDays('acme', 'tools', toTools);
    truncateSync(file, statSync(file).size - 16_384);
    await expect(store.read('acme')).rejects.toThrow(NotStored);
    expect(readdirSync(path.dirname(file))).toContain('history.db.damaged-1');
    await store.putDays('acme', 'tools', toTools);
    expect(store.log.events.map(({ level }) => level)).toEqual(['error', 'warn', 'info']);
  });
});

test('what is amended is in no file afterwards, also if another program reads meanwhile', async () => {
  const directory = createDirectory();
  const file = path.join(directory, 'history.db');
  const store = openStore(file);
  const many = Array.from({ length: 100 }, (_, index) => addDays(monday, index));
  const rows = Object.fromEntries(
    many.map((day) => [day, { who: 'someone@example.com', text: day.repeat(50) }]),
  );
  await store.putDays('acme', 'users', answer(many, rows));
  const reader = new DatabaseSync(file, { readOnly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM day').get();
  await store.amend('users', (row) => ({ ...(row as object), who: undefined }));
  await store.sweep();
  reader.close();
  await store.sweep();
  const holders = readdirSync(directory).filter((name) =>
    readFileSync(path.join(directory, name)).includes('someone@example.com'),
  );
  expect(holders).toEqual([]);
});
