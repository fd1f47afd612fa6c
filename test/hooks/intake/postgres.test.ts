import { expect, test } from 'vitest';
import { createPostgresHookStore } from '../../../src/hooks/intake/postgres/store.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

test('a store in a database that was never reached can be closed', async () => {
  const opened = Promise.withResolvers<void>();
  let uses = 0;
  const store = createPostgresHookStore({
    database: {
      schema: '"agent_platform"',
      isUp: () => false,
      trouble: () => undefined,
      transaction: () => Promise.reject(new Error(`use ${++uses}`)),
      close: () => Promise.resolve(),
    },
    opened: opened.promise,
    clock: createFakeClock(0),
  });
  await expect(store.load()).rejects.toThrow('not opened yet');
  let isClosed = false;
  void store.close().then(() => {
    isClosed = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(isClosed).toBe(true);
  // The schema may become current at that very moment.
  opened.resolve();
  await opened.promise;
  expect(uses).toBe(0);
});
