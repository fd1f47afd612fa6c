import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { addDays } from '../../src/catalog/day.ts';
import { DAYS } from '../../src/store/layouts.ts';
import { ConfigError } from '../../src/text/errors.ts';
import { answer, contentOf, createDirectory, openStore } from '../store/files.ts';
import { dayNamed } from '../support/day.ts';

const monday = dayNamed('2026-03-02');

/** A file large enough to be damaged in various places, closed properly. */
async function writtenIn(directory: string): Promise<string> {
  const file = path.join(directory, 'history.db');
  const history = openStore(file);
  const days = Array.from({ length: 40 }, (_, index) => addDays(monday, index));
  const rows = Object.fromEntries(days.map((day) => [day, { text: day.repeat(300) }]));
  await history.putDays('acme', 'tokens', answer(days, rows));
  await history.close();
  return file;
}

/** A file as left by a killed process: most of it is in the write-ahead log. */
function killedIn(directory: string): string {
  const file = path.join(directory, 'history.db');
  const script = fileURLToPath(new URL('./killed.ts', import.meta.url));
  expect(spawnSync(process.execPath, [script, file]).signal).toBe('SIGKILL');
  return file;
}

/** Expects opening to fail with one message and to change nothing; returns the message. */
function failure(file: string): string {
  let thrown: unknown;
  try {
    openStore(file);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(ConfigError);
  return (thrown as ConfigError).message;
}

describe('a file that must not be touched is left as it is', () => {
  test('if a directory or a pipe is in its place', async () => {
    const folder = createDirectory();
    expect(failure(folder)).toContain('a directory');
    const pipe = path.join(folder, 'history.db');
    execFileSync('mkfifo', [pipe]);
    expect(failure(pipe)).toContain('not a regular file');
    expect([...readdirSync(folder)]).toEqual(['history.db']);
  });

  test('if a killed process of a newer release has left everything in the log', async () => {
    const file = killedIn(createDirectory());
    const script = `const { DatabaseSync } = require('node:sqlite');
      const db = new DatabaseSync(process.argv[1]);
      db.exec('PRAGMA user_version = ${DAYS.version + 1}');
      process.kill(process.pid, 'SIGKILL');`;
    spawnSync(process.execPath, ['-e', script, file]);
    expect(failure(file)).toContain('newer release');
  });
});

describe('a file is moved aside, and a new one used', () => {
  async function isReplaced(file: string, bytes: Buffer): Promise<void> {
    const store = openStore(file);
    const put = () => store.putDays('globex', 'tokens', answer([monday], { [monday]: { n: 1 } }));
    // Damage may show only when a page is read.
    await store.read('acme').catch(() => undefined);
    await put().catch(put);
    expect(readFileSync(`${file}.damaged-1`).subarray(0, bytes.length)).toEqual(bytes);
    expect(store.log.events.filter(({ level }) => level === 'error')).toHaveLength(1);
    await store.close();
  }

  test.each([100, 4096, 8192, 20_000, 40_000])('if only %d bytes of it are left', async (size) => {
    const file = await writtenIn(createDirectory());
    truncateSync(file, size);
    await isReplaced(file, readFileSync(file));
  });

  test('if a process was killed and the file is also damaged', async () => {
    const directory = createDirectory();
    await writtenIn(directory);
    const file = killedIn(directory);
    const bytes = readFileSync(file).fill(0xa5, 4096);
    writeFileSync(file, bytes);
    await isReplaced(file, bytes.subarray(0, 16));
  });
});

describe('a file is used', () => {
  test('if it is empty, like a file created for a mount', async () => {
    const file = path.join(createDirectory(), 'history.db');
    writeFileSync(file, '');
    const history = openStore(file);
    await history.putDays('acme', 'tokens', answer([monday]));
  });

  test('if a process was killed while it had it open', async () => {
    const history = openStore(killedIn(createDirectory()));
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
    const history = openStore(file);
    await history.putDays('acme', 'tokens', answer([monday]));
  });

  test('if it is copied elsewhere, with the log of a killed process', async () => {
    const directory = createDirectory();
    killedIn(directory);
    const copy = path.join(createDirectory(), 'copy');
    mkdirSync(copy);
    cpSync(directory, copy, { recursive: true });
    const history = openStore(path.join(copy, 'history.db'));
    expect((await history.read('acme')).days('tokens').size).toBe(200);
  });
});

test('the file says what it is', async () => {
  const file = await writtenIn(createDirectory());
  const bytes = readFileSync(file);
  expect([bytes.readUInt32BE(68), bytes.readUInt32BE(60)]).toEqual([DAYS.applicationId, DAYS.version]);
  expect(execFileSync('head', ['-c', '15', file]).toString()).toBe('SQLite format 3');
});

test('what a closed history has stored is all in the one file', async () => {
  const directory = createDirectory();
  const file = await writtenIn(directory);
  const copy = path.join(createDirectory(), 'copy.db');
  cpSync(file, copy);
  const [original, copied] = [openStore(file), openStore(copy)];
  expect(await contentOf(copied)).toEqual(await contentOf(original));
});
