import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSystemClock } from '../../../src/runtime/clock.ts';
import { runInSlices } from '../../../src/runtime/slices.ts';
import { answer, createDirectory, openHistory } from '../files.ts';

const stored = answer(['2026-03-02'], { '2026-03-02': { n: 1 } });

describe('a history file that is looked at for writes of others', () => {
  test('keeps its locks, so that no other program can remove its log', async () => {
    const file = path.join(createDirectory(), 'history.db');
    const history = await openHistory(file);
    await history.putDays('acme', 'tokens', stored);
    await history.sweep();
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
    await history.sweep();
    expect(history.log.events.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  test('is written again as a whole once its log was removed', async () => {
    const file = path.join(createDirectory(), 'history.db');
    const history = await openHistory(file);
    await history.putDays('acme', 'tokens', stored);
    rmSync(`${file}-wal`);
    await history.sweep();
    expect(history.isPersistent()).toBe(true);
    await history.close();
    expect((await (await openHistory(file)).read('acme')).days('tokens').size).toBe(1);
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
    const clock = { ...createSystemClock(), elapsed: () => (elapsed += 10) };
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
