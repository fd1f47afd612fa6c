import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { addDays } from '../../src/catalog/day.ts';
import { APPLICATION_ID, LAYOUT } from '../../src/history/sqlite/schema.ts';
import { ConfigError } from '../../src/runtime/errors.ts';
import { answer, bytesIn, contentOf, createDirectory, openHistory } from '../history/files.ts';
import { dayNamed } from '../support/day.ts';

const monday = dayNamed('2026-03-02');

/** A file large enough to be damaged in various places, closed properly. */
async function writtenIn(directory: string): Promise<string> {
  const file = path.join(directory, 'history.db');
  const history = await openHistory(file);
  const days = Array.from({ length: 40 }, (_, index) => addDays(monday, index));
  const rows = Object.fromEntries(days.map((day) => [day, { text: day.repeat(300) }]));
  await history.putDays('acme', 'tokens', answer(days, rows));
  await history.close();
  return file;
}

/** A file as left by a killed process: most of it is in the write-ahead log. */
function killedIn(directory: string): string {
  const file = path.join(directory, 'history.db');
  const script = new URL('./killed.ts', import.meta.url).pathname;
  expect(spawnSync(process.execPath, [script, file]).signal).toBe('SIGKILL');
  return file;
}

/** The history's own bytes in a directory, without the index of the log that SQLite keeps while reading, and its owner. */
function storedIn(directory: string): ReadonlyMap<string, string> {
  return new Map(
    [...bytesIn(directory)].filter(([name]) => !/-shm$|-requests\.db|\.(?:lock|owner)$/.test(name)),
  );
}

/** Expects the exporter to run from memory and to change nothing; returns what it reports. */
async function refusal(file: string): Promise<string> {
  const before = storedIn(path.dirname(file));
  const history = await openHistory(file);
  await history.putDays('globex', 'tokens', answer([monday], { [monday]: { n: 1 } }));
  await history.sweep();
  await history.sweep();
  expect((await history.read('globex')).days('tokens').size).toBe(1);
  expect(history.isPersistent()).toBe(false);
  await history.close();
  expect(storedIn(path.dirname(file))).toEqual(before);
  const errors = history.log.events.filter(({ level }) => level === 'error');
  expect(errors).toHaveLength(1);
  const { detail, hint } = errors[0]?.fields ?? {};
  expect(detail).toContain('storage.path');
  expect(detail).toContain(file);
  expect(hint).toContain('left untouched');
  return String(detail);
}

/** Expects opening to fail with one message and to change nothing; returns the message. */
async function failure(file: string): Promise<string> {
  const error = await openHistory(file).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ConfigError);
  return (error as ConfigError).message;
}

describe('a file that must not be touched is left as it is', () => {
  test('if it is of a newer release', async () => {
    const file = await writtenIn(createDirectory());
    const db = new DatabaseSync(file);
    db.exec(`PRAGMA user_version = ${LAYOUT + 1}`);
    db.close();
    expect(await refusal(file)).toContain('newer release');
  });

  test('if it is another program’s database', async () => {
    const file = path.join(createDirectory(), 'other.db');
    const db = new DatabaseSync(file);
    db.exec('CREATE TABLE bookmark (url TEXT)');
    db.close();
    const before = bytesIn(path.dirname(file));
    expect(await failure(file)).toContain('another program');
    expect(bytesIn(path.dirname(file))).toEqual(before);
  });

  test('if a directory or a pipe is in its place', async () => {
    const folder = createDirectory();
    expect(await failure(folder)).toContain('a directory');
    const pipe = path.join(folder, 'history.db');
    execFileSync('mkfifo', [pipe]);
    expect(await failure(pipe)).toContain('not a regular file');
    expect([...readdirSync(folder)]).toEqual(['history.db']);
  });

  test('if it is not a database', async () => {
    const file = path.join(createDirectory(), 'notes.txt');
    writeFileSync(file, 'Dear diary,\n'.repeat(1000));
    expect(await refusal(file)).toContain('not an SQLite database');
  });

  test.each([10, 99, 100, 4096, 8192, 20_000, 40_000])('if only %d bytes of it are left', async (size) => {
    const file = await writtenIn(createDirectory());
    truncateSync(file, size);
    expect(await refusal(file)).toContain('damaged');
  });

  test.each([100, 4096, 8192, 12_288, 16_384])('if it is overwritten from byte %d on', async (start) => {
    const file = await writtenIn(createDirectory());
    const bytes = readFileSync(file);
    bytes.fill(0xa5, start, start + 4096);
    writeFileSync(file, bytes);
    expect(await refusal(file)).toContain('damaged');
  });

  test('if a process was killed and the file is also damaged', async () => {
    const directory = createDirectory();
    await writtenIn(directory);
    const file = killedIn(directory);
    writeFileSync(file, readFileSync(file).fill(0xa5, 4096));
    expect(await refusal(file)).toContain('damaged');
  });

  test('if a killed process of a newer release has left everything in the log', async () => {
    const file = killedIn(createDirectory());
    const script = `const { DatabaseSync } = require('node:sqlite');
      const db = new DatabaseSync(process.argv[1]);
      db.exec('PRAGMA user_version = ${LAYOUT + 1}');
      process.kill(process.pid, 'SIGKILL');`;
    spawnSync(process.execPath, ['-e', script, file]);
    expect(await refusal(file)).toContain('newer release');
  });
});

describe('a file is used', () => {
  test('if it is empty, like a file created for a mount', async () => {
    const file = path.join(createDirectory(), 'history.db');
    writeFileSync(file, '');
    const history = await openHistory(file);
    await history.putDays('acme', 'tokens', answer([monday]));
    expect(history.isPersistent()).toBe(true);
  });

  test('if a process was killed while it had it open', async () => {
    const history = await openHistory(killedIn(createDirectory()));
    expect((await history.read('acme')).days('tokens').size).toBe(200);
  });

  test('if a process was killed while it created the file', async () => {
    const file = path.join(createDirectory(), 'history.db');
    const script = `const { DatabaseSync } = require('node:sqlite');
      const db = new DatabaseSync(process.argv[1]);
      db.exec('PRAGMA cache_size = 2; PRAGMA cache_spill = 2; BEGIN; CREATE TABLE t (a)');
      const insert = db.prepare('INSERT INTO t VALUES (?)');
      for (let i = 0; i < 300; i++) insert.run('x'.repeat(1000));
      process.kill(process.pid, 'SIGKILL');`;
    spawnSync(process.execPath, ['-e', script, file]);
    expect(readFileSync(`${file}-journal`).length).toBeGreaterThan(0);
    const history = await openHistory(file);
    expect(history.isPersistent()).toBe(true);
  });

  test('if it is copied elsewhere, with the log of a killed process', async () => {
    const directory = createDirectory();
    killedIn(directory);
    const copy = path.join(createDirectory(), 'copy');
    mkdirSync(copy);
    cpSync(directory, copy, { recursive: true });
    const history = await openHistory(path.join(copy, 'history.db'));
    expect((await history.read('acme')).days('tokens').size).toBe(200);
  });
});

test('the file says what it is', async () => {
  const file = await writtenIn(createDirectory());
  const bytes = readFileSync(file);
  expect([bytes.readUInt32BE(68), bytes.readUInt32BE(60)]).toEqual([APPLICATION_ID, LAYOUT]);
  expect(execFileSync('head', ['-c', '15', file]).toString()).toBe('SQLite format 3');
});

test('what a closed history has stored is all in the one file', async () => {
  const directory = createDirectory();
  const file = await writtenIn(directory);
  const copy = path.join(createDirectory(), 'copy.db');
  cpSync(file, copy);
  const [original, copied] = [await openHistory(file), await openHistory(copy)];
  expect(await contentOf(copied)).toEqual(await contentOf(original));
});
