import { once } from 'node:events';
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { addDays } from '../../../src/catalog/day.ts';
import { SOUND } from '../../../src/history/sqlite/check.ts';
import { type CheckFile, createFileCheck } from '../../../src/history/sqlite/checking.ts';
import { createFakeClock } from '../../../src/runtime/clock.ts';
import { createRandom } from '../../fuzz/random.ts';
import { dayNamed } from '../../support/day.ts';
import { answer, createDirectory, openHistory } from '../files.ts';

const monday = dayNamed('2026-03-02');
const DAYS = 40;

const inPlace = createFileCheck();
const inThread = createFileCheck({ mostInPlace: 0 });

/** A file of 40 days, closed properly. */
async function written(): Promise<string> {
  const file = path.join(createDirectory(), 'history.db');
  const history = await openHistory(file);
  const days = Array.from({ length: DAYS }, (_, index) => addDays(monday, index));
  const rows = Object.fromEntries(days.map((day) => [day, { text: day.repeat(150) }]));
  await history.putDays('acme', 'tokens', answer(days, rows));
  await history.close();
  return file;
}

/** What a check says, or how it fails, with all that the error's reason is taken from. */
async function outcomeOf(check: CheckFile, file: string, isSuspect = false): Promise<unknown> {
  try {
    return await check(file, isSuspect);
  } catch (error) {
    return { message: String(error), ...(error as object) };
  }
}

const DAMAGE: Readonly<Record<string, (file: string) => void>> = {
  'overwritten pages': (file) => writeFileSync(file, readFileSync(file).fill(0xa5, 4096 * 6, 4096 * 9)),
  'an overwritten schema': (file) => writeFileSync(file, readFileSync(file).fill(0xa5, 100, 4096)),
  'a cut file': (file) => truncateSync(file, 4096 * 5),
  'another format': (file) => writeFileSync(file, readFileSync(file).fill(0x40, 47, 48)),
  'something else': (file) => writeFileSync(file, 'Dear diary,\n'.repeat(2000)),
};

describe('a thread that checks a file', () => {
  test.each([false, true])('says that a sound one is sound (suspect: %s)', async (isSuspect) => {
    const file = await written();
    const before = readFileSync(file);
    expect(await inThread(file, isSuspect)).toBe(SOUND);
    expect(readFileSync(file)).toEqual(before);
  });

  test.each(Object.keys(DAMAGE))('says of %s what a check in place says', async (name) => {
    const file = await written();
    DAMAGE[name]?.(file);
    const outcome = await outcomeOf(inPlace, file);
    expect(outcome).not.toBe(SOUND);
    expect(await outcomeOf(inThread, file)).toEqual(outcome);
    expect(await outcomeOf(inThread, file, true)).toEqual(await outcomeOf(inPlace, file, true));
  });

  test('says of damage at random offsets what a check in place says', async () => {
    const file = await written();
    const whole = readFileSync(file);
    for (let seed = 1; seed <= 10; seed++) {
      const random = createRandom(seed);
      const bytes = Buffer.from(whole);
      const start = Math.floor(random() * bytes.length);
      writeFileSync(file, bytes.fill(0xa5, start, start + Math.floor(random() * 5000)));
      expect(await outcomeOf(inThread, file), `seed ${seed}`).toEqual(await outcomeOf(inPlace, file));
    }
  });

  test('lets other work run meanwhile, unlike a check in place', async () => {
    const file = await written();
    for (const [check, order] of [
      [inThread, ['other work', 'checked']],
      [inPlace, ['checked', 'other work']],
    ] as const) {
      const seen: string[] = [];
      const other = Promise.withResolvers<void>();
      setImmediate(() => {
        seen.push('other work');
        other.resolve();
      });
      const checked = check(file, false).then(() => seen.push('checked'));
      await Promise.all([checked, other.promise]);
      expect(seen).toEqual(order);
    }
  });
});

describe('a history whose file is checked by a thread', () => {
  test.each(Object.keys(DAMAGE))('is refused for %s with the same words', async (name) => {
    const reports = [];
    const file = await written();
    DAMAGE[name]?.(file);
    for (const check of [inPlace, inThread]) {
      const history = await openHistory(file, { check });
      expect(history.isPersistent()).toBe(false);
      const errors = history.log.events.filter(({ level }) => level === 'error');
      reports.push(errors.map(({ message, fields }) => ({ message, fields })));
      await history.close();
    }
    expect(reports[0]).toHaveLength(1);
    expect(reports[1]).toEqual(reports[0]);
  });

  test('makes way for a new one, with what can be read of it', async () => {
    const file = await written();
    DAMAGE['overwritten pages']?.(file);
    const history = await openHistory(file, { check: inThread, onDamage: 'replace' });
    expect([history.isPersistent(), existsSync(`${file}.damaged-1`)]).toEqual([true, true]);
    expect((await history.read('acme')).days('tokens').size).toBeGreaterThan(0);
  });

  test('is locked as long as the check takes', async () => {
    const file = await written();
    const checking = Promise.withResolvers<void>();
    const answered = Promise.withResolvers<string>();
    const check: CheckFile = () => {
      checking.resolve();
      return answered.promise;
    };
    const opening = openHistory(file, { check });
    await checking.promise;
    const clock = createFakeClock(0, { autoAdvance: true });
    await expect(openHistory(file, { clock })).rejects.toThrow('belongs to another exporter');
    answered.resolve(SOUND);
    expect((await opening).isPersistent()).toBe(true);
  });
});

describe('a check that is not possible', () => {
  const FAILURES: Readonly<Record<string, { readonly start: () => Worker; readonly says: string }>> = {
    'cannot be started': {
      start() {
        throw new Error('no memory');
      },
      says: 'the thread that checks the file cannot be started: no memory',
    },
    fails: {
      start: () => new Worker('throw new Error("no memory")', { eval: true }),
      says: 'the thread that checks the file failed: no memory',
    },
    'has exited': {
      start: () => new Worker('', { eval: true }),
      says: 'the thread that checks the file has exited',
    },
  };

  test.each(Object.keys(FAILURES))('because its thread %s leaves the history in memory', async (name) => {
    const file = await written();
    const before = readFileSync(file);
    const failing = createFileCheck({ mostInPlace: 0, ...FAILURES[name] });
    let isFailing = true;
    const check: CheckFile = (...args) => (isFailing ? failing : inThread)(...args);
    const history = await openHistory(file, { check });
    expect(history.isPersistent()).toBe(false);
    expect(history.log.events.find(({ level }) => level === 'warn')?.fields).toMatchObject({
      reason: 'failed',
      detail: FAILURES[name]?.says,
      hint: 'allow this process more memory and threads',
    });
    expect((await history.read('acme')).days('tokens').size).toBe(DAYS);
    await history.putSucceeded('acme', 'tokens', 5);
    expect(readFileSync(file)).toEqual(before);
    isFailing = false;
    await history.sweep();
    expect(history.isPersistent()).toBe(true);
    await history.close();
    expect((await (await openHistory(file)).read('acme')).succeededAt('tokens')).toBe(5);
  });
});

describe('a check that is no longer wanted', () => {
  test('ends with its thread, and leaves the file to others', async () => {
    const file = await written();
    const stopping = new AbortController();
    const started = Promise.withResolvers<Worker>();
    const check = createFileCheck({
      mostInPlace: 0,
      start() {
        const endless = new Worker('setInterval(() => undefined, 1e6)', { eval: true });
        started.resolve(endless);
        return endless;
      },
    });
    const opening = openHistory(file, { check, signal: stopping.signal });
    const ended = once(await started.promise, 'exit');
    stopping.abort(new Error('stopping'));
    await expect(opening).rejects.toThrow('stopping');
    const next = await openHistory(file);
    expect([next.isPersistent(), (await next.read('acme')).days('tokens').size]).toEqual([true, DAYS]);
    await ended;
  });

  test('is not begun, and is no trouble to report', async () => {
    const file = await written();
    let isBlocked = true;
    const stopping = new AbortController();
    const checkOrFail: CheckFile = (...args) => {
      if (!isBlocked) return inThread(...args);
      isBlocked = false;
      throw Object.assign(new Error('unable to open database file'), { errcode: 14 });
    };
    const history = await openHistory(file, { check: checkOrFail, signal: stopping.signal });
    const before = history.log.events.length;
    stopping.abort(new Error('stopping'));
    await history.putSucceeded('acme', 'tokens', 5);
    await history.close();
    expect(history.log.events.slice(before)).toEqual([]);
    expect((await openHistory(file)).isPersistent()).toBe(true);
  });
});
