import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { type CopyParts, type CopyTarget, copyStore } from '../../src/copy/copy.ts';
import { openFileSource, openFileTarget } from '../../src/copy/sqlite.ts';
import { createSum, TABLES } from '../../src/copy/tables.ts';
import { ConfigError } from '../../src/runtime/errors.ts';
import { contentOf, createDirectory, openHistory } from '../history/files.ts';
import { plant } from './planted.ts';

// Both ends are files here; the databases are in test/system/postgres.

/** The stored rows by table. */
async function rowsIn(file: string) {
  const source = await openFileSource(file);
  try {
    const found: Record<string, unknown> = {};
    for (const table of TABLES) {
      found[table] = [];
      for await (const rows of source.rows(table)) found[table] = [...(found[table] as unknown[]), ...rows];
    }
    return found;
  } finally {
    await source.close();
  }
}

async function copy(from: string, to: string, parts: Partial<CopyParts> & { wrap?: Wrap } = {}) {
  const source = await openFileSource(from);
  try {
    const target = openFileTarget(to);
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

type Wrap = (target: CopyTarget) => CopyTarget;

/** A target whose process is gone after some writes. */
function dying(writes: number): Wrap {
  let left = writes;
  return (target) => ({
    ...target,
    async write(...args) {
      if (left === 0) throw new Error('killed');
      left -= 1;
      await target.write(...args);
    },
  });
}

test('every row arrives, at a place that has no file before', async () => {
  const from = await plant();
  const to = path.join(createDirectory(), 'new', 'other.db');
  const outcome = await copy(from, to);
  expect(outcome.resumed).toBe(0);
  const rows = await rowsIn(to);
  expect(rows).toEqual(await rowsIn(from));
  for (const table of TABLES) if (table !== 'hook_forgotten') expect(rows[table], table).not.toHaveLength(0);
  expect(existsSync(`${to}.copying`)).toBe(false);
  const copied = await openHistory(to);
  const original = await openHistory(from);
  expect(await contentOf(copied, ['acme', 'globex'])).toEqual(await contentOf(original, ['acme', 'globex']));
  expect(copied.storeId()).not.toBe(original.storeId());
});

test('an interrupted copy is invisible, and is continued where it stopped', async () => {
  const from = await plant();
  const to = path.join(createDirectory(), 'history.db');
  for (const writes of [0, 1, 2, 1, 3]) {
    await expect(copy(from, to, { wrap: dying(writes) })).rejects.toThrow('killed');
    expect(existsSync(to)).toBe(false);
  }
  const outcome = await copy(from, to);
  expect(outcome.resumed).toBeGreaterThan(7);
  expect(await rowsIn(to)).toEqual(await rowsIn(from));
});

test('a copy that was stopped by a signal is continued', async () => {
  const from = await plant();
  const to = path.join(createDirectory(), 'history.db');
  const stop = new AbortController();
  const show: CopyParts['show'] = (phase) => {
    if (phase === 'Copying') stop.abort();
  };
  await expect(copy(from, to, { show, signal: stop.signal })).rejects.toThrow('aborted');
  expect((await copy(from, to)).resumed).toBeGreaterThan(0);
});

test('a copy starts over if the original has changed since', async () => {
  const from = await plant();
  const to = path.join(createDirectory(), 'history.db');
  await expect(copy(from, to, { wrap: dying(4) })).rejects.toThrow('killed');
  const db = new DatabaseSync(from);
  db.exec("DELETE FROM org WHERE name = 'globex'");
  db.close();
  expect((await copy(from, to)).resumed).toBe(0);
  expect(await rowsIn(to)).toEqual(await rowsIn(from));
});

test('a copy that was interrupted while its files were moved is completed', async () => {
  const from = await plant();
  const folder = createDirectory();
  const to = path.join(folder, 'history.db');
  const complete = path.join(createDirectory(), 'history.db');
  await copy(from, complete);
  const wrap: Wrap = (target) => ({
    ...target,
    async finish() {
      // A directory in the way of the last move.
      mkdirSync(to);
      await target.finish();
    },
  });
  await expect(copy(from, to, { wrap })).rejects.toThrow();
  rmSync(to, { recursive: true });
  expect(readdirSync(folder)).toContain('history-hooks.db');
  await copy(from, to);
  expect(await rowsIn(to)).toEqual(await rowsIn(complete));
  expect(existsSync(`${to}.copying`)).toBe(false);
});

test('a copy that is complete already is recognized, and nothing is written', async () => {
  const from = await plant();
  const to = path.join(createDirectory(), 'other.db');
  expect((await copy(from, to)).wasCopied).toBe(false);
  const files = () =>
    readdirSync(path.dirname(to)).map((name) => [name, statSync(path.join(path.dirname(to), name)).mtimeMs]);
  const before = files();
  const again = await copy(from, to);
  expect(again).toMatchObject({ wasCopied: true, resumed: 0 });
  expect(again.summary.get('day')?.rows).toBe(3);
  expect(files()).toEqual(before);
  // One changed value is other data.
  const db = new DatabaseSync(path.join(path.dirname(to), 'other-requests.db'));
  db.exec('UPDATE request_count SET requests = requests + 1');
  db.close();
  await expect(copy(from, to)).rejects.toThrow('has other data');
});

test("another program's file at the target is refused and left as it was", async () => {
  const from = await plant();
  const to = path.join(createDirectory(), 'history.db');
  writeFileSync(to, 'not a database');
  await expect(copy(from, to)).rejects.toThrow('has other data');
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

test('a copy that differs is not used, and the next one starts over', async () => {
  const from = await plant();
  const to = path.join(createDirectory(), 'history.db');
  const wrap: Wrap = (target) => ({
    ...target,
    write: (table, rows, done) => target.write(table, table === 'day' ? rows.slice(1) : rows, done),
  });
  await expect(copy(from, to, { wrap })).rejects.toThrow(/differs .*day \(2 rows of 3\)/);
  expect(existsSync(to)).toBe(false);
  expect((await copy(from, to)).resumed).toBe(0);
  expect(await rowsIn(to)).toEqual(await rowsIn(from));
});

test('a file that an exporter has open is refused on either side', async () => {
  const from = await plant();
  const to = path.join(createDirectory(), 'history.db');
  const running = await openHistory(from);
  await expect(copy(from, to)).rejects.toThrow('another process has');
  await running.close();
  const other = await openHistory(to);
  await expect(copy(from, to)).rejects.toThrow('another process has');
  await other.close();
  // It has started and stopped without data.
  await copy(from, to);
  expect(await rowsIn(to)).toEqual(await rowsIn(from));
});

test('a damaged row is left out, and so is no sound one', async () => {
  const from = await plant();
  const to = path.join(createDirectory(), 'history.db');
  const db = new DatabaseSync(from);
  db.exec("UPDATE day SET row = '{\"credits\":99}' WHERE org = 'acme' AND day = '2026-03-03'");
  db.close();
  await copy(from, to);
  const { day } = await rowsIn(to);
  expect(day).toHaveLength(2);
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
