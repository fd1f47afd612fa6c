import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { takeLock } from '../../../src/history/sqlite/lock.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { answer, bytesIn, createDirectory, openHistory } from '../files.ts';

const stored = answer(['2026-03-02'], { '2026-03-02': { n: 1 } });

/** Another process that owns a file until it is killed. */
async function ownElsewhere(file: string) {
  const child = fork(path.join(import.meta.dirname, 'owner.ts'), [file]);
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'message');
  return child;
}

describe('a history file', () => {
  test('has one owner: another process waits half a minute and names it', async () => {
    const file = path.join(createDirectory(), 'history.db');
    const owner = await ownElsewhere(file);
    const before = bytesIn(path.dirname(file));
    const clock = createFakeClock(0, { autoAdvance: true });
    const name = `process ${owner.pid} on ${hostname()} \\(since 20`;
    await expect(openHistory(file, { clock })).rejects.toThrow(
      new RegExp(`^storage.path: ${file} belongs to another exporter: ${name}`),
    );
    expect(clock.now()).toBe(30_000);
    expect(bytesIn(path.dirname(file))).toEqual(before);
  });

  test('belongs to the one that waits as soon as its owner is killed', async () => {
    const file = path.join(createDirectory(), 'history.db');
    const owner = await ownElsewhere(file);
    const opening = openHistory(file);
    owner.kill('SIGKILL');
    const history = await opening;
    expect((await history.read('acme')).days('tokens').size).toBe(1);
    expect(history.isPersistent()).toBe(true);
    expect(readFileSync(`${file}.owner`, 'utf8')).toBe(`process ${process.pid} on ${hostname()}\n`);
    await history.close();
    expect(existsSync(`${file}.owner`)).toBe(false);
  });

  test('stays owned while it is opened again', async () => {
    const file = path.join(createDirectory(), 'history.db');
    const history = await openHistory(file);
    await history.putDays('acme', 'tokens', stored);
    rmSync(file);
    await history.sweep();
    expect(history.isPersistent()).toBe(true);
    expect(() => takeLock(`${file}.lock`)).toThrow('locked');
    // With its lock removed too, it takes the lock that is there now.
    for (const name of [file, `${file}.lock`]) rmSync(name);
    await history.sweep();
    expect(history.isPersistent()).toBe(true);
    expect(() => takeLock(`${file}.lock`)).toThrow('locked');
  });

  test('is not released by another attempt of the same process', async () => {
    const file = path.join(createDirectory(), 'history.db');
    await openHistory(file);
    expect(() => takeLock(`${file}.lock`)).toThrow('locked');
    const child = fork(path.join(import.meta.dirname, 'owner.ts'), [file, 'at once']);
    const [message] = await once(child, 'message');
    expect(message).toBe('database is locked');
  });
});
