import type { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { UnusableSchema } from '../../src/store/postgres-errors.ts';
import { ConfigError } from '../../src/text/errors.ts';
import { coded, createServer } from './fake-driver.ts';

test.each(['write', 'snapshot', 'migration', 'leader', 'copy'] as const)(
  'the server ends a statement of mode %s before the driver gives it up',
  async (mode) => {
    const { database, sent } = createServer();
    await database.transaction(async (query) => query('SELECT $1 FROM S.day', [7]), mode);
    expect(sent.map(({ text }) => text.split(' ')[0])).toEqual(['BEGIN', 'SELECT', 'COMMIT']);
    expect(sent[1]).toMatchObject({ text: 'SELECT $1 FROM "own".day', values: [7] });
    const begin = sent[0]?.text ?? '';
    expect(begin.includes('READ ONLY')).toBe(mode === 'snapshot');
    const [, seconds] = /statement_timeout = '(\d+)s'/.exec(begin) ?? [];
    for (const { query_timeout: limitMs } of sent) {
      if (mode === 'copy') expect([Number(seconds), limitMs]).toEqual([0, 600_000]);
      else expect(limitMs).toBe(Number(seconds) * 1_000 + 1_000);
    }
    expect('values' in (sent[0] ?? {})).toBe(false);
  },
);

test("what the work throws ends the transaction and is the caller's own: the database is up, and the connection stays", async () => {
  const { database, sent, released, levels } = createServer();
  const own = new Error('own');
  await expect(database.transaction(() => Promise.reject(own))).rejects.toBe(own);
  expect(sent.map(({ text }) => text.split(' ')[0])).toEqual(['BEGIN', 'ROLLBACK']);
  expect([released, database.isUp(), database.trouble(), levels()]).toEqual([[false], true, undefined, []]);
});

test.each([
  ['a statement fails', 'SELECT 1', 'failed'],
  ['the end fails', 'COMMIT', 'failed'],
  ['it was rolled back', 'rolled back', 'failed'],
])('the database is in trouble, and the connection is given up, if %s', async (_, when, reason) => {
  const { database, state, released, use } = createServer();
  expect(database.isUp()).toBe(false);
  expect(await use()).toBe('done');
  expect([database.isUp(), database.trouble()]).toEqual([true, undefined]);
  state.answer = (text) => {
    if (text === when) throw coded('23505');
    return when === 'rolled back' && text === 'COMMIT' ? { command: 'ROLLBACK' } : undefined;
  };
  expect(await use()).toBe(reason);
  expect(released).toEqual([false, true]);
  expect([database.isUp(), database.trouble()?.reason]).toEqual([false, reason]);
});

test('a schema that must not be used is a trouble of the database', async () => {
  const { database, levels } = createServer();
  const work = () => Promise.reject(new UnusableSchema('newer', 'of tomorrow'));
  await expect(database.transaction(work)).rejects.toMatchObject({
    details: { reason: 'newer', detail: 'of tomorrow' },
  });
  expect(levels()).toEqual(['error']);
});

test('another URL, or a file of it, replaces the pool, and may lead to another server; the same one does neither', async () => {
  const { database, state, pools, use, losses } = createServer();
  await use();
  await use();
  expect([pools.length, losses()]).toEqual([1, 0]);
  state.url = 'postgres://user:other@server/database';
  await use();
  expect([pools.map(({ isEnded }) => isEnded), losses()]).toEqual([[true, false], 1]);
  state.files = { rootCert: 'authority' };
  await use();
  state.files = { rootCert: 'successor' };
  await use();
  await use();
  expect([pools.map(({ isEnded }) => isEnded), losses()]).toEqual([[true, true, true, false], 3]);
  await database.close();
  expect(pools.every(({ isEnded }) => isEnded)).toBe(true);
});

test('a server that became a standby costs all connections, one that is full none', async () => {
  const { state, pools, use, losses } = createServer();
  state.answer = () => {
    throw coded('53300');
  };
  expect(await use()).toBe('full');
  expect([pools.map(({ isEnded }) => isEnded), losses()]).toEqual([[false], 0]);
  state.answer = () => {
    throw coded('25006');
  };
  expect(await use()).toBe('read-only');
  state.answer = () => undefined;
  await use();
  expect([pools.map(({ isEnded }) => isEnded), losses()]).toEqual([[true, false], 1]);
});

test('an idle connection that breaks is a loss, one in use is none besides its statement', async () => {
  const { database, pools, losses } = createServer();
  await database.transaction(async () => undefined);
  const [pool] = pools;
  pool?.on('connect', (client: EventEmitter) => client.emit('error', new Error('broken in use')));
  await database.transaction(async () => undefined);
  expect(losses()).toBe(0);
  pool?.emit('error', new Error('broken'));
  expect(losses()).toBe(1);
});

test('whole numbers and their sums are numbers, all else is as the driver has it', async () => {
  const { pools, use } = createServer();
  await use();
  const parserOf = (oid: number) => pools[0]?.config.types.getTypeParser(oid);
  expect([parserOf(20), parserOf(1700), parserOf(25)]).toEqual([Number, Number, 'parser of 25']);
});

test.each([
  // Each use: the error of its connection, and what is then said.
  ['unreachable is said once', ['ECONNREFUSED', 'ECONNREFUSED'], ['warn']],
  ['while a server restarts, it is said once', ['ECONNREFUSED', '57014', 'ECONNREFUSED'], ['warn']],
  ['what an operator must correct is an error, once', ['28P01', '28P01'], ['error']],
  [
    'another trouble that must be corrected is said, too',
    ['ECONNREFUSED', '28P01', '42501'],
    ['warn', 'error', 'error'],
  ],
  [
    'another cause is said once, too',
    ['ECONNREFUSED', '53100', '57014', '53100', '25006'],
    ['warn', 'warn', 'warn'],
  ],
  ['all are said anew after the end', ['53100', '', '53100'], ['warn', 'info', 'warn']],
  ['after it, the restart is said', ['28P01', 'ECONNREFUSED'], ['error', 'warn']],
  ['the end is said once', ['ECONNREFUSED', '', ''], ['warn', 'info']],
  ['nothing is said of what works', ['', ''], []],
])('%s', async (_, codes, said) => {
  const { state, use, levels } = createServer();
  for (const code of codes) {
    state.connect = () => code !== '' && Promise.reject(coded(code));
    await use();
  }
  expect(levels()).toEqual(said);
});

test('nothing is said of a database that is closed', async () => {
  const { database, use, levels } = createServer();
  await use();
  await database.close();
  expect(await use()).toBe('unreachable');
  expect(levels()).toEqual([]);
});

test('a trouble of writes ends with a write, any other one with reading', async () => {
  const { database, state, use } = createServer();
  const troubleAfterReading = async (code: string, mode?: 'snapshot') => {
    state.answer = () => {
      throw coded(code);
    };
    await use(mode);
    state.answer = () => undefined;
    await use('snapshot');
    return database.trouble()?.reason;
  };
  expect(await troubleAfterReading('53100')).toBe('full');
  expect(database.isUp()).toBe(false);
  await use();
  expect([database.trouble(), database.isUp()]).toEqual([undefined, true]);
  expect(await troubleAfterReading('53100', 'snapshot')).toBeUndefined();
  expect(await troubleAfterReading('57P01')).toBeUndefined();
});

test('what began before a trouble is no news of its end', async () => {
  const { database, state, use } = createServer();
  const { promise, resolve } = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const long = database.transaction(() => {
    begun.resolve();
    return promise;
  });
  await begun.promise;
  state.connect = () => Promise.reject(coded('ECONNREFUSED'));
  await use();
  resolve();
  await long;
  expect(database.trouble()?.reason).toBe('unreachable');
});

test('a URL that cannot be read is a trouble of the settings', async () => {
  const { state, use } = createServer();
  Object.defineProperty(state, 'url', {
    get: () => {
      throw new ConfigError('storage.url: there is none', 'write it');
    },
  });
  expect(await use()).toBe('settings');
});
