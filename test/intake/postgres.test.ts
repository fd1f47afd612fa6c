import { expect, test } from 'vitest';
import { HookStore } from '../../src/intake/store.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { stop } from './contract.ts';
import { NOW } from './parts.ts';

test('a store in a database that was never reached takes nothing and can be closed', async () => {
  const opened = Promise.withResolvers<void>();
  let uses = 0;
  const store = new HookStore({
    database: {
      isUp: () => false,
      transaction: () => Promise.reject(new Error(`use ${++uses}`)),
      close: () => Promise.resolve(),
    },
    epochOf: async () => 'epoch',
    shared: { opened: opened.promise },
    clock: createFakeClock(0),
  });
  await expect(store.load()).rejects.toThrow('not opened yet');
  await expect(store.commit(() => ({ events: [stop('1')], now: NOW }))).rejects.toThrow('not opened yet');
  await store.close();
  // The schema may become current at that very moment.
  opened.resolve();
  await opened.promise;
  expect(uses).toBe(0);
});
