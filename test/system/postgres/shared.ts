import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { createStore, type StoreParts } from '../../../src/store/create-store.ts';
import { openShared } from '../../../src/store/shared.ts';
import { createSystemClock } from '../../../src/work/clock.ts';
import { createFakeLogger } from '../../support/fake-logger.ts';

/** Opens the store of a database, as one of several processes; any of them may write. */
export function openProcess(url: string, parts: Partial<StoreParts> = {}) {
  const log = createFakeLogger();
  const clock = createSystemClock();
  const authorities = new URL(url).searchParams.get('sslrootcert');
  const access = { url, ...(authorities && { rootCert: readFileSync(authorities, 'utf8') }) };
  const database = openShared({
    url: { read: async () => access, describe: () => 'the test' },
    clock,
    log,
  });
  const store = createStore({ days: database, counts: database, datasets: [], clock, log, ...parts });
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= store.close();
    return closed;
  };
  onTestFinished(close);
  return { ...store, log, database, close };
}

/** The same, once it can be used. */
export async function openOpened(url: string, parts: Partial<StoreParts> = {}) {
  const store = openProcess(url, parts);
  await store.database.opened;
  return store;
}
