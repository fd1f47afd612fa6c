// A process that owns a store until it is killed; with a second argument it only tries to take the lock.

import { takeLock } from '../../src/store/lock.ts';
import { SqlStore } from '../../src/store/sql-store.ts';
import { openFiles } from '../../src/store/sqlite-files.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { dayNamed } from '../support/day.ts';
import { createFakeLogger } from '../support/fake-logger.ts';

const [file = '', attempt] = process.argv.slice(2);
if (attempt === undefined) {
  const [clock, log] = [createSystemClock(), createFakeLogger()];
  const files = await openFiles({ path: file, onDamage: 'replace', clock, log });
  const store = new SqlStore({ ...files, datasets: [], clock, log });
  const day = dayNamed('2026-03-02');
  const answer = { days: [day], rows: new Map([[day, { n: 1 }]]), orgId: undefined, at: 1 };
  await store.putDays('acme', 'tokens', answer);
  process.send?.('owned');
  // What nothing refers to is freed at some time, and its lock with it.
  setInterval(() => store, 60_000);
} else {
  try {
    takeLock(`${file}.lock`);
    process.send?.('taken');
  } catch (error) {
    process.send?.(error instanceof Error ? error.message : 'unknown');
  }
}
