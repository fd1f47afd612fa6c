import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { logUnlessNotStored, openStorage, readStore } from '../../src/app/store.ts';
import { NotStored } from '../../src/store/database.ts';
import { ConfigError } from '../../src/text/errors.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { createDirectory } from '../store/files.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';

async function openAt(file: string, clock = createSystemClock()) {
  const parts = { path: file, url: undefined, onDamage: 'replace' } as const;
  const log = createFakeLogger();
  const storage = await openStorage({ ...parts, collectors: [], clock, log });
  onTestFinished(() => storage.store.close());
  return storage;
}

test('memory has an id, needs no watching and is there at once', async () => {
  const { shown, leadership, waitingFor, opened, usable } = await openAt(':memory:');
  expect(shown).toEqual({ databases: [], named: { storeId: expect.stringMatching(/^[\da-f-]{36}$/) } });
  expect([leadership, waitingFor()]).toEqual([undefined, undefined]);
  await opened;
  await usable(AbortSignal.abort());
});

test('a file that cannot be used is looked at each second until it can be', async () => {
  const directory = path.join(createDirectory(), 'data');
  writeFileSync(directory, 'in the way');
  const clock = createFakeClock(0, { autoAdvance: true });
  const { wait } = clock;
  clock.wait = (ms, signal) => {
    if (clock.waits.length === 2) rmSync(directory);
    return wait(ms, signal);
  };
  const { usable, shown } = await openAt(path.join(directory, 'history.db'), clock);
  expect(shown.areFiles).toBe(true);
  await usable(new AbortController().signal);
  expect(clock.waits).toEqual([1_000, 1_000, 1_000]);
});

test('a command begins with nothing where nothing is stored', async () => {
  const [clock, log] = [createFakeClock(0), createFakeLogger()];
  const store = await readStore({
    path: ':memory:',
    url: undefined,
    collectors: [],
    orgs: ['acme'],
    clock,
    log,
  });
  onTestFinished(() => store.close());
  expect((await store.standing('acme')).orgId).toBeUndefined();
});

test('a command does not wait for a database that cannot be reached', async () => {
  const [clock, log] = [createFakeClock(0, { autoAdvance: true }), createFakeLogger()];
  const text = 'postgres://me:secret@127.0.0.1:1/db?sslmode=disable';
  const url = { read: async () => ({ url: text }), describe: () => 'the test' };
  const parts = { path: ':memory:', url: url as never, collectors: [], orgs: ['acme'], clock, log };
  const refused = await readStore(parts).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ConfigError);
  expect(refused).toMatchObject({
    message: expect.stringMatching(/^storage\.url: .*ECONNREFUSED/),
    hint: expect.stringContaining('storage.url'),
  });
});

test('an outage is reported by the store, any other failure by whoever sees it', () => {
  const log = createFakeLogger();
  logUnlessNotStored(log, 'Not done', new NotStored('away', { reason: 'unreachable', detail: '', hint: '' }));
  expect(log.events).toEqual([]);
  const error = new Error('odd');
  logUnlessNotStored(log, 'Not done', error);
  expect(log.events).toMatchObject([{ level: 'error', fields: { error } }]);
});

test('a store that could not be used at the start has its id once it can', async () => {
  const directory = path.join(createDirectory(), 'data');
  writeFileSync(directory, 'in the way');
  const { store, shown } = await openAt(path.join(directory, 'history.db'));
  expect(shown.named.storeId).toBeUndefined();
  await expect(store.sweep()).rejects.toThrow();
  rmSync(directory);
  await store.sweep();
  expect(shown.named.storeId).toMatch(/^[\da-f-]{36}$/);
  expect(shown.databases.map((database) => database.isUp())).toEqual([true, true]);
});

test('a store keeps its id when its counts are removed under it', async () => {
  const file = path.join(createDirectory(), 'history.db');
  const first = await openAt(file);
  const id = first.shown.named.storeId;
  rmSync(path.join(path.dirname(file), 'counts.db'));
  await first.store.sweep();
  await first.store.close();
  const second = await openAt(file);
  expect(second.shown.named.storeId).toBe(id);
});
