import { EventEmitter } from 'node:events';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createDatabase } from '../../src/store/postgres.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { waitFor } from '../support/wait-for.ts';

/** Longer than connecting may take, in milliseconds. */
const LONG_MS = 60_000;

function problem(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

/** A server without a network: the driver's own pool uses it, with the limits of the program. */
function createServer() {
  let connecting: 'at once' | 'refused' | 'full once' | 'never' = 'at once';
  let attempts = 0;

  class Client extends EventEmitter {
    readonly _queryable = true;
    #giveUp: () => void = () => undefined;
    /** The pool destroys it when its time is over. */
    readonly connection = { stream: { destroy: () => this.#giveUp() } };

    connect(callback: (error?: Error) => void): void {
      attempts += 1;
      this.#giveUp = () => callback(new Error('Connection terminated'));
      if (connecting === 'refused') callback(problem('connect ECONNREFUSED 127.0.0.1:5432', 'ECONNREFUSED'));
      else if (connecting === 'full once') {
        connecting = 'at once';
        callback(problem('sorry, too many clients already', '53300'));
      } else if (connecting === 'at once') callback();
    }

    async query({ text, query_timeout: limitMs }: { text: string; query_timeout: number }) {
      if (text === 'LOCKED') throw problem('canceling statement due to lock timeout', '55P03');
      if (text === 'UNANSWERED') {
        const late = Promise.withResolvers<never>();
        setTimeout(() => late.reject(new Error('Query read timeout')), limitMs);
        return late.promise;
      }
      if (text === 'CUT') throw new Error('Connection terminated unexpectedly');
      return { rows: [], command: text };
    }

    end(callback: () => void): void {
      callback();
    }
  }

  const log = createFakeLogger();
  const database = createDatabase({
    url: { read: async () => ({ url: 'postgres://user@server/database' }), describe: () => 'the test' },
    loadDriver: async () => ({
      types: pg.types,
      Pool: class extends pg.Pool {
        constructor(config: pg.PoolConfig) {
          super({ ...config, Client: Client as never });
        }
      },
    }),
    log,
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());

  const done: string[] = [];
  return {
    ...{ database, log, done },
    attempts: () => attempts,
    set: (next: typeof connecting) => {
      connecting = next;
    },
    /** Takes connections, all three that are not reserved by default; resolves with what sends a last statement on the next one and ends its use. */
    async occupy(count = 3): Promise<(statement?: string) => void> {
      const ends: ((statement: string) => void)[] = [];
      let begun = 0;
      for (let connection = 0; connection < count; connection += 1) {
        const { promise, resolve } = Promise.withResolvers<string>();
        ends.push(resolve);
        const held = database.transaction(async (query) => {
          begun += 1;
          return query(await promise);
        });
        held.catch(() => undefined);
      }
      await waitFor(() => begun === count);
      onTestFinished(() => {
        for (const end of ends) end('SELECT');
      });
      return (statement = 'SELECT') => ends.shift()?.(statement);
    },
    /** Uses a connection once it is its turn; resolves with what became of it. */
    use: (name = 'used') =>
      database
        .transaction(async () => void done.push(name))
        .then(
          () => 'done',
          (error: unknown) => String(error),
        ),
  };
}

test('waiting for a connection is no sign of a slow database, however long it takes', async () => {
  const { database, occupy, use, attempts, log } = createServer();
  const end = await occupy();
  const waiting = Array.from({ length: 100 }, () => use());
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(database.trouble()).toBeUndefined();
  end();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['done']));
  expect(log.events).toEqual([]);
  expect(attempts()).toBe(3);
});

test('who has waited longest goes first, and the leader has a connection of its own', async () => {
  const { database, occupy, use, done } = createServer();
  const end = await occupy();
  const waiting = ['one', 'two', 'three'].map((name) => use(name));
  await database.transaction(async () => void done.push('beat'), 'leader');
  end();
  await Promise.all(waiting);
  expect(done).toEqual(['beat', 'one', 'two', 'three']);
});

test.each([
  { server: 'refuses connections', connecting: 'refused', reason: 'ECONNREFUSED' },
  { server: 'does not answer', connecting: 'never', reason: 'connection timeout' },
] as const)('all who wait fail together if the server $server', async ({ connecting, reason }) => {
  const { database, occupy, use, set, attempts, done } = createServer();
  const end = await occupy();
  const waiting = Array.from({ length: 100 }, () => use());
  set(connecting);
  end('CUT');
  await waitFor(() => attempts() === 4);
  // The first attempt is over before a second one would be.
  await vi.advanceTimersByTimeAsync(9_000);
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([expect.stringContaining(reason)]));
  expect(attempts()).toBe(4);
  expect(database.isUp()).toBe(false);
  expect(done).toEqual([]);
});

test('all who wait fail together if nothing is answered before a statement times out', async () => {
  const { database, occupy, use, done } = createServer();
  const end = await occupy();
  const waiting = Array.from({ length: 100 }, () => use());
  end('LOCKED');
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([expect.stringContaining('lock timeout')]));
  expect(done).toEqual([]);
  // Reading works nevertheless, and does not pass for recovery.
  await database.transaction(async () => undefined, 'snapshot');
  expect(database.trouble()?.reason).toBe('slow');
});

test('a lost connection fails nobody else', async () => {
  const { occupy, use } = createServer();
  const end = await occupy();
  const waiting = Array.from({ length: 100 }, () => use());
  end('CUT');
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['done']));
});

test('a slow statement fails nobody else while others are answered', async () => {
  const { occupy, use } = createServer();
  const end = await occupy();
  end();
  await occupy(1);
  const waiting = Array.from({ length: 100 }, () => use());
  end('LOCKED');
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['done']));
});

test('a refused connection fails nobody else while there are others', async () => {
  const { occupy, use, set } = createServer();
  const end = await occupy();
  const waiting = Array.from({ length: 100 }, () => use());
  set('full once');
  end('CUT');
  const ends = await Promise.all(waiting);
  expect(ends.filter((end) => end !== 'done')).toEqual([expect.stringContaining('too many clients')]);
});

test('a server that answers no statement fails all who wait with the first one that is over', async () => {
  const { database, occupy, use, attempts, done } = createServer();
  const end = await occupy();
  const waiting = Array.from({ length: 100 }, () => use());
  for (let connection = 0; connection < 3; connection += 1) end('UNANSWERED');
  await vi.advanceTimersByTimeAsync(LONG_MS);
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([expect.stringContaining('timeout')]));
  expect(database.trouble()?.reason).toBe('slow');
  expect(done).toEqual([]);
  // The connections are given up, and the next use needs a new one.
  const before = attempts();
  expect(await use()).toBe('done');
  expect(attempts()).toBe(before + 1);
});

test('closing rejects all who wait, and lets the others end', async () => {
  const { database, occupy, use, done } = createServer();
  const end = await occupy();
  const waiting = Array.from({ length: 100 }, () => use());
  const closed = database.close();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([expect.stringContaining('closed')]));
  expect(await use()).toContain('closed');
  for (let connection = 0; connection < 3; connection += 1) end();
  await closed;
  expect(done).toEqual([]);
});
