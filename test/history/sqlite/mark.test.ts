import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createLateHistory } from '../../../src/history/late.ts';
import { markOf } from '../../../src/history/sqlite/file-identity.ts';
import { runInSlices } from '../../../src/runtime/slices.ts';
import { answer, contentOf, createDirectory, openHistory } from '../files.ts';

const stored = answer(['2026-03-02'], { '2026-03-02': { n: 1 } });

describe('the mark of a history file', () => {
  test('is that of the file as long as nothing is written, also while nothing has it open', async () => {
    const file = path.join(createDirectory(), 'history.db');
    const history = await openHistory(file);
    await history.putDays('acme', 'tokens', stored);
    const open = history.mark();
    expect([open, history.mark()]).toEqual([markOf(file), markOf(file)]);
    await history.close();
    const closed = history.mark();
    expect(closed).toBe(markOf(file));
    expect(closed).not.toBe(open);
    const again = await openHistory(file);
    // A process that is killed now has changed nothing.
    expect(again.mark()).toBe(closed);
    await again.close();
    expect(again.mark()).toBe(closed);
  });

  test('leaves the locks on the file, so that no other program can remove its log', async () => {
    const file = path.join(createDirectory(), 'history.db');
    const history = await openHistory(file);
    await history.putDays('acme', 'tokens', stored);
    const before = history.mark();
    // Another program that finds itself alone with the file removes the log at its end.
    const alone = `const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
      try {
        db.exec('PRAGMA locking_mode = EXCLUSIVE; SELECT * FROM day');
      } catch (error) {
        console.log(error.message);
      }
      db.close();`;
    expect(execFileSync(process.execPath, ['-e', alone, file], { encoding: 'utf8' })).toBe(
      'database is locked\n',
    );
    expect(existsSync(`${file}-wal`)).toBe(true);
    expect(history.mark()).toBe(before);
    await history.sweep();
    expect(history.log.events.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  test('shows that the log was removed, and everything is written again', async () => {
    const file = path.join(createDirectory(), 'history.db');
    const history = await openHistory(file);
    await history.putDays('acme', 'tokens', stored);
    rmSync(`${file}-wal`);
    expect(history.mark()).toBeUndefined();
    await history.sweep();
    expect(history.isPersistent()).toBe(true);
    expect(history.mark()).toBe(markOf(file));
    await history.close();
    expect((await (await openHistory(file)).read('acme')).days('tokens').size).toBe(1);
  });

  test('is another one after each write', async () => {
    const history = await openHistory(path.join(createDirectory(), 'history.db'));
    const marks = [];
    for (const at of [1, 2, 3]) {
      await history.putSucceeded('acme', 'tokens', at);
      marks.push(history.mark());
    }
    expect(new Set(marks).size).toBe(3);
    expect(marks).not.toContain(undefined);
  });

  test('is unknown while something is not in the file', async () => {
    const history = await openHistory(path.join(createDirectory(), 'history.db'));
    const writing = history.putDays('acme', 'tokens', stored);
    expect(history.mark()).toBeUndefined();
    await writing;
    expect(history.mark()).toBeDefined();
  });

  test('is unknown with a file that cannot be used, or that another program has written', async () => {
    const folder = createDirectory();
    const blocked = path.join(folder, 'a');
    writeFileSync(blocked, '');
    const unusable = await openHistory(path.join(blocked, 'history.db'));
    expect(unusable.mark()).toBeUndefined();
    const file = path.join(folder, 'history.db');
    const history = await openHistory(file);
    await history.putDays('acme', 'tokens', stored);
    writeFileSync(file, 'replaced');
    expect(history.mark()).toBeUndefined();
  });
});

describe('a history file that is still being read', () => {
  test('is closed without a report once reading is no longer wanted', async () => {
    const file = path.join(createDirectory(), 'history.db');
    const history = await openHistory(file);
    await history.putDays('acme', 'tokens', stored);
    await history.close();
    let elapsed = 0;
    // Each look at the clock ends a slice.
    const clock = { elapsed: () => (elapsed += 10) };
    const aborted = AbortSignal.abort(new Error('stopping'));
    await expect(openHistory(file, { clock, signal: aborted })).rejects.toThrow('stopping');
    const again = await openHistory(file);
    expect(again.isPersistent()).toBe(true);
    expect((await again.read('acme')).days('tokens').size).toBe(1);
  });

  test('releases what its reader holds', async () => {
    let released = false;
    function* work(): Generator<void, void> {
      try {
        for (;;) yield;
      } finally {
        released = true;
      }
    }
    let elapsed = 0;
    const clock = { elapsed: () => (elapsed += 10) };
    await expect(runInSlices(work(), clock, 1, AbortSignal.abort(new Error('no')))).rejects.toThrow('no');
    expect(released).toBe(true);
  });
});

describe('a history that is opened later', () => {
  test('answers once it is open, and closes', async () => {
    const file = path.join(createDirectory(), 'history.db');
    const opened = Promise.withResolvers<Awaited<ReturnType<typeof openHistory>>>();
    const late = createLateHistory(opened.promise);
    const done: string[] = [];
    const writing = late.putDays('acme', 'tokens', stored).then(() => done.push('written'));
    const reading = late.revisedOn('acme', 'tokens').then(() => done.push('read'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(done).toEqual([]);
    opened.resolve(await openHistory(file));
    await Promise.all([writing, reading]);
    expect(done.toSorted()).toEqual(['read', 'written']);
    await late.close();
    const again = await openHistory(file);
    expect((await contentOf(again))['acme/tokens']).toMatchObject({ answeredAt: 1 });
  });

  test('closes if it could not be opened, and says so to whoever asks', async () => {
    const late = createLateHistory(Promise.reject(new Error('not to be opened')));
    await expect(late.read('acme')).rejects.toThrow('not to be opened');
    await late.close();
  });
});
