import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { type CopyEnd, type CopyParts, copyStore, createSum } from '../../../src/commands/copy/copy.ts';
import { openFileSource, openFileTarget } from '../../../src/commands/copy/files.ts';
import { countsFileBeside } from '../../../src/store/layouts.ts';
import { takeOwnership } from '../../../src/store/lock.ts';
import { rowsOf } from '../../../src/store/reader.ts';
import { COUNT_TABLES, DAY_TABLES } from '../../../src/store/tables.ts';
import { ConfigError } from '../../../src/text/errors.ts';
import { contentOf, createDirectory, openStore } from '../../store/files.ts';
import { createFakeLogger } from '../../support/fake-logger.ts';
import { plant } from './planted.ts';

// Both ends are files here; the databases are in test/system/postgres.

const TABLES = [...DAY_TABLES, ...COUNT_TABLES];

/** The stored rows by table. */
async function rowsIn(file: string) {
  const source = openFileSource(file);
  try {
    return await source.use(async (queryOf) => {
      const found: Record<string, unknown[]> = {};
      for (const table of TABLES) {
        const rows: unknown[] = [];
        for await (const batch of rowsOf(queryOf(table), table)) rows.push(...batch);
        found[table.name] = rows;
      }
      return found;
    });
  } finally {
    await source.close();
  }
}

type Wrap = (target: CopyEnd) => CopyEnd;

async function copy(from: string, to: string, parts: Partial<CopyParts> & { wrap?: Wrap } = {}) {
  const source = openFileSource(from);
  try {
    const target = openFileTarget(to, createFakeLogger());
    try {
      return await copyStore({
        source,
        target: parts.wrap?.(target) ?? target,
        show: () => undefined,
        signal: new AbortController().signal,
        ...parts,
      });
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

/** A target whose work fails after some statements. */
function failing(statements: number): Wrap {
  let left = statements;
  return (target) => ({
    ...target,
    use: (work) =>
      target.use((queryOf) =>
        work((table) => async (text, values) => {
          if (left === 0) throw new Error('killed');
          left -= 1;
          return queryOf(table)(text, values);
        }),
      ),
  });
}

test('every row arrives, at a place that has no file before', async () => {
  const from = await plant();
  const to = path.join(createDirectory(), 'new', 'other.db');
  const outcome = await copy(from, to);
  expect(outcome.wasCopied).toBe(false);
  const rows = await rowsIn(to);
  expect(rows).toEqual(await rowsIn(from));
  for (const { name } of TABLES) expect(rows[name], name).not.toHaveLength(0);
  expect(existsSync(`${to}.copying`)).toBe(false);
  expect(readdirSync(path.dirname(to)).sort()).toEqual(['other-counts.db', 'other.db', 'other.db.lock']);
  const [copied, original] = [openStore(to), openStore(from)];
  expect(await contentOf(copied, ['acme', 'globex'])).toEqual(await contentOf(original, ['acme', 'globex']));
});

test('an interrupted copy leaves nothing, and the next one is whole', async () => {
  const from = await plant();
  const to = path.join(createDirectory(), 'history.db');
  for (const statements of [0, 12, 14, 20, 25, 30]) {
    await expect(copy(from, to, { wrap: failing(statements) })).rejects.toThrow('killed');
    expect(readdirSync(path.dirname(to)).filter((name) => !name.endsWith('.lock'))).toEqual([]);
  }
  const stop = new AbortController();
  const show: CopyParts['show'] = (phase) => {
    if (phase === 'Copying') stop.abort();
  };
  await expect(copy(from, to, { show, signal: stop.signal })).rejects.toThrow('aborted');
  expect(existsSync(to)).toBe(false);
  await copy(from, to);
  expect(await rowsIn(to)).toEqual(await rowsIn(from));
});

test('what a killed copy has left is removed', async () => {
  const from = await plant();
  const to = path.join(createDirectory(), 'history.db');
  mkdirSync(`${to}.copying`);
  writeFileSync(path.join(`${to}.copying`, 'history.db'), 'half of something');
  await copy(from, to);
  expect(await rowsIn(to)).toEqual(await rowsIn(from));
  expect(existsSync(`${to}.copying`)).toBe(false);
});

test('a copy that was interrupted while its files were moved is completed', async () => {
  const from = await plant();
  const folder = createDirectory();
  const to = path.join(folder, 'history.db');
  // A directory in the way of the last move.
  const wrap: Wrap = (target) => ({
    ...target,
    use: (work) =>
      target.use(async (queryOf) => {
        const result = await work(queryOf);
        mkdirSync(to);
        return result;
      }),
  });
  await expect(copy(from, to, { wrap })).rejects.toThrow();
  rmSync(to, { recursive: true });
  expect(readdirSync(folder)).toContain('counts.db');
  expect((await copy(from, to)).wasCopied).toBe(true);
  expect(await rowsIn(to)).toEqual(await rowsIn(from));
  expect(existsSync(`${to}.copying`)).toBe(false);
});

test('a copy that is complete already is recognized, and nothing is written', async () => {
  const from = await plant();
  const to = path.join(createDirectory(), 'other.db');
  expect((await copy(from, to)).wasCopied).toBe(false);
  const files = () =>
    readdirSync(path.dirname(to))
      .filter((name) => name.endsWith('.db'))
      .map((name) => [name, statSync(path.join(path.dirname(to), name)).mtimeMs]);
  const before = files();
  const again = await copy(from, to);
  expect(again.wasCopied).toBe(true);
  expect(again.summary.get('day')?.rows).toBe(3);
  expect(files()).toEqual(before);
  // One changed value is other data.
  const db = new DatabaseSync(countsFileBeside(to));
  db.exec('UPDATE request_count SET requests = requests + 1');
  db.close();
  await expect(copy(from, to)).rejects.toThrow('has other data');
});

test("another program's file at the target is refused and left as it was", async () => {
  const from = await plant();
  const to = path.join(createDirectory(), 'history.db');
  writeFileSync(to, 'not a database');
  await expect(copy(from, to)).rejects.toThrow('is not a file of this exporter');
  expect(readFileSync(to, 'utf8')).toBe('not a database');
});

test('other data at the target is refused and left as it was', async () => {
  const [from, to] = [await plant(), await plant(5)];
  const before = await rowsIn(to);
  await expect(copy(from, to)).rejects.toThrow(ConfigError);
  await expect(copy(from, to)).rejects.toThrow('has other data');
  expect(await rowsIn(to)).toEqual(before);
  // Hook events alone are data too.
  rmSync(to);
  await expect(copy(from, to)).rejects.toThrow('has other data');
});

test('a copy that differs is not kept', async () => {
  const from = await plant();
  const to = path.join(createDirectory(), 'history.db');
  const wrap: Wrap = (target) => ({
    ...target,
    use: (work) =>
      target.use((queryOf) =>
        work((table) => async (text, values) => {
          const found = await queryOf(table)(text, values);
          if (text.includes('INSERT INTO S.day'))
            await queryOf(table)("DELETE FROM S.day WHERE former <> ''");
          return found;
        }),
      ),
  });
  await expect(copy(from, to, { wrap })).rejects.toThrow(/differs .*day \(2 rows of 3\)/);
  expect(existsSync(to)).toBe(false);
  await copy(from, to);
  expect(await rowsIn(to)).toEqual(await rowsIn(from));
});

test('a store that an exporter has open is refused on either side', async () => {
  const from = await plant();
  const to = path.join(createDirectory(), 'history.db');
  for (const place of [from, to]) {
    const lock = takeOwnership(place);
    await expect(copy(from, to)).rejects.toThrow('another process has');
    lock.release();
  }
  // It has started and stopped without data.
  await openStore(to).close();
  await copy(from, to);
  expect(await rowsIn(to)).toEqual(await rowsIn(from));
});

test('a file of an older layout is refused, and stays where it is', async () => {
  const from = await plant();
  const to = path.join(createDirectory(), 'history.db');
  const db = new DatabaseSync(from);
  db.exec('PRAGMA user_version = 5');
  db.close();
  await expect(copy(from, to)).rejects.toThrow('was written by an older version');
  expect(existsSync(from)).toBe(true);
});

test('the checksum depends on the content, not on the order', () => {
  const sumOf = (...rows: readonly (readonly (string | number | null)[])[]) => {
    const sum = createSum();
    for (const row of rows) sum.add(row);
    return sum.result();
  };
  expect(sumOf(['a', 1], ['b', null])).toEqual(sumOf(['b', null], ['a', 1]));
  expect(sumOf(['a', 1])).not.toEqual(sumOf(['a', 2]));
  expect(sumOf(['a', '1'])).not.toEqual(sumOf(['a', 1]));
  expect(sumOf(['a', 1], ['a', 1])).not.toEqual(sumOf());
});

test('a missing original is an error that names the path', async () => {
  const from = path.join(createDirectory(), 'none.db');
  await expect(copy(from, `${from}.new`)).rejects.toThrow(`${from} does not exist`);
});

test.runIf(process.platform === 'linux')(
  'a place that the system denies is an error, not an endless attempt',
  () => {
    const place = '/proc/no/such/history.db';
    expect(() => openFileTarget(place, createFakeLogger())).toThrow(`storage.path: ${place}: `);
  },
);
