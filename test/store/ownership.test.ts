import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { takeLock } from '../../src/store/lock.ts';
import { SqlStore } from '../../src/store/sql-store.ts';
import { openFiles } from '../../src/store/sqlite-files.ts';
import { type Clock, createSystemClock } from '../../src/work/clock.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { answer, bytesIn, createDirectory } from './files.ts';

const stored = answer(['2026-03-02'], { '2026-03-02': { n: 1 } });

/** Another process that owns a store until it is killed. */
async function ownElsewhere(file: string) {
  const child = fork(path.join(import.meta.dirname, 'owner.ts'), [file]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

async function openOwned(file: string, clock: Clock = createSystemClock()) {
  const log = createFakeLogger();
  const files = await openFiles({ path: file, onDamage: 'replace', clock, log });
  const store = new SqlStore({ ...files, datasets: [], clock, log });
  onTestFinished(() => store.close());
  return store;
}

describe('a store in files', () => {
  test('has one owner: another process waits half a minute and names it', async () => {
    const file = path.join(createDirectory(), 'history.db');
    const owner = await ownElsewhere(file);
    const before = bytesIn(path.dirname(file));
    const clock = createFakeClock(0, { autoAdvance: true });
    const name = `process ${owner.pid} on ${hostname()} \\(since 20`;
    await expect(openOwned(file, clock)).rejects.toThrow(
      new RegExp(`^storage.path: ${file} belongs to another exporter: ${name}`),
    );
    expect(clock.now()).toBe(30_000);
    expect(bytesIn(path.dirname(file))).toEqual(before);
  });

  test('belongs to the one that waits as soon as its owner is killed', async () => {
    const file = path.join(createDirectory(), 'history.db');
    const owner = await ownElsewhere(file);
    const opening = openOwned(file);
    owner.kill('SIGKILL');
    const store = await opening;
    expect((await store.read('acme')).days('tokens').size).toBe(1);
    expect(readFileSync(`${file}.owner`, 'utf8')).toBe(`process ${process.pid} on ${hostname()}\n`);
    await store.close();
    expect(existsSync(`${file}.owner`)).toBe(false);
  });

  test('stays owned while its files are opened again', async () => {
    const file = path.join(createDirectory(), 'history.db');
    const store = await openOwned(file);
    await store.putDays('acme', 'tokens', stored);
    rmSync(file);
    await store.putDays('acme', 'tokens', stored);
    expect(() => takeLock(`${file}.lock`)).toThrow('locked');
    // With its lock removed too, it takes the lock that is there now.
    for (const name of [file, `${file}.lock`]) rmSync(name);
    await store.putDays('acme', 'tokens', stored);
    expect(() => takeLock(`${file}.lock`)).toThrow('locked');
  });

  test('is not used once another process has taken a removed lock', async () => {
    const file = path.join(createDirectory(), 'history.db');
    const store = await openOwned(file);
    rmSync(`${file}.lock`);
    const lock = takeLock(`${file}.lock`);
    await expect(store.putDays('acme', 'tokens', stored)).rejects.toMatchObject({
      details: { reason: 'locked' },
    });
    lock.release();
    await store.putDays('acme', 'tokens', stored);
  });

  test('is not released by another attempt of the same process', async () => {
    const file = path.join(createDirectory(), 'history.db');
    await openOwned(file);
    expect(() => takeLock(`${file}.lock`)).toThrow('locked');
    const child = fork(path.join(import.meta.dirname, 'owner.ts'), [file, 'at once']);
    const [message] = await once(child, 'message');
    expect(message).toBe('database is locked');
  });
});
