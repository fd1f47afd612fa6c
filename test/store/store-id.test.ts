import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openStorage } from '../../src/app/store.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { createDirectory } from './files.ts';

async function openAt(file: string) {
  const parts = { path: file, url: undefined, onDamage: 'replace' } as const;
  const log = createFakeLogger();
  const storage = await openStorage({ ...parts, collectors: [], clock: createSystemClock(), log });
  onTestFinished(() => storage.store.close());
  return storage;
}

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
