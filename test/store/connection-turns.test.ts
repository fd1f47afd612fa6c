import { expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../support/wait-for.ts';
import { coded, createServer as createFakeServer } from './fake-driver.ts';

/** What the driver rejects a statement with, by the statement. */
const REJECTED: Readonly<Record<string, Error>> = {
  LOCKED: Object.assign(coded('55P03'), { message: 'canceling statement due to lock timeout' }),
  UNANSWERED: new Error('Query read timeout'),
  CUT: new Error('Connection terminated unexpectedly'),
};

/** A database whose connections are used by hand; test/system/postgres has the same burst at a real server. */
function createServer() {
  const { database, state, log, connects } = createFakeServer();
  state.answer = (text) => {
    const error = REJECTED[text];
    if (error !== undefined) throw error;
  };
  const done: string[] = [];
  return {
    ...{ database, log, done, connects },
    /** Each connection fails from now on; the first ones only, if a number is given. */
    refuse(error: Error, times = Number.POSITIVE_INFINITY): void {
      let left = times;
      state.connect = () => (left-- > 0 ? Promise.reject(error) : undefined);
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

test('waiting for a connection is no sign of a slow database', async () => {
  const { database, occupy, use, log } = createServer();
  const end = await occupy();
  const waiting = Array.from({ length: 100 }, () => use());
  end();
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['done']));
  expect(database.trouble()).toBeUndefined();
  expect(log.events).toEqual([]);
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
  { server: 'refuses connections', error: coded('ECONNREFUSED'), reason: 'ECONNREFUSED' },
  {
    server: 'does not answer',
    error: new Error('timeout exceeded when trying to connect'),
    reason: 'timeout exceeded',
  },
] as const)('all who wait fail together if the server $server', async ({ error, reason }) => {
  const { database, occupy, use, refuse, connects, done } = createServer();
  const end = await occupy();
  const waiting = Array.from({ length: 100 }, () => use());
  refuse(error);
  end('CUT');
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([expect.stringContaining(reason)]));
  // One attempt for all of them.
  expect(connects()).toBe(4);
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
  const { occupy, use, refuse } = createServer();
  const end = await occupy();
  const waiting = Array.from({ length: 100 }, () => use());
  refuse(Object.assign(coded('53300'), { message: 'sorry, too many clients already' }), 1);
  end('CUT');
  const ends = await Promise.all(waiting);
  expect(ends.filter((end) => end !== 'done')).toEqual([expect.stringContaining('too many clients')]);
});

test('a server that answers no statement fails all who wait with the first one that is over', async () => {
  const { database, occupy, use, done } = createServer();
  const end = await occupy();
  const waiting = Array.from({ length: 100 }, () => use());
  for (let connection = 0; connection < 3; connection += 1) end('UNANSWERED');
  expect(new Set(await Promise.all(waiting))).toEqual(new Set([expect.stringContaining('timeout')]));
  expect(database.trouble()?.reason).toBe('slow');
  expect(done).toEqual([]);
  expect(await use()).toBe('done');
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
