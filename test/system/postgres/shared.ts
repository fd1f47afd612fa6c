import { readFileSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { SharedDatabase } from '../../../src/store/shared.ts';
import { SqlStore, type StoreParts } from '../../../src/store/sql-store.ts';
import { createSystemClock } from '../../../src/work/clock.ts';
import { createFakeLogger } from '../../support/fake-logger.ts';

/** Opens the store of a database, as one of several processes; any of them may write. */
export function openProcess(url: string, parts: Partial<StoreParts> = {}) {
  const log = createFakeLogger();
  const clock = createSystemClock();
  const authorities = new URL(url).searchParams.get('sslrootcert');
  const access = { url, ...(authorities && { rootCert: readFileSync(authorities, 'utf8') }) };
  const database = new SharedDatabase({
    url: { read: async () => access, describe: () => 'the test' },
    clock,
    log,
  });
  const store = new SqlStore({ days: database, counts: database, datasets: [], clock, log, ...parts });
  const closeStore = store.close.bind(store);
  let closed: Promise<void> | undefined;
  const close = () => {
    closed ??= closeStore();
    return closed;
  };
  onTestFinished(close);
  return Object.assign(store, { log, database, close });
}

/** The same, once it can be used. */
export async function openOpened(url: string, parts: Partial<StoreParts> = {}) {
  const store = openProcess(url, parts);
  await store.database.opened;
  return store;
}
