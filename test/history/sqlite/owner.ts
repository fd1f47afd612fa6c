// A process that owns a history file until it is killed; with a second argument it only tries to take the lock.
import { createSqliteHistory } from '../../../src/history/sqlite/history.ts';
import { takeLock } from '../../../src/history/sqlite/lock.ts';
import { createSystemClock } from '../../../src/runtime/clock.ts';
import { dayNamed } from '../../support/day.ts';
import { createFakeLogger } from '../../support/fake-logger.ts';

const [file = '', attempt] = process.argv.slice(2);
if (attempt === undefined) {
  const history = await createSqliteHistory({
    path: file,
    schemaVersionOf: () => 1,
    clock: createSystemClock(),
    log: createFakeLogger(),
  });
  const day = dayNamed('2026-03-02');
  const answer = { days: [day], rows: new Map([[day, { n: 1 }]]), orgId: undefined, at: 1 };
  await history.putDays('acme', 'tokens', answer);
  process.send?.('owned');
  setInterval(() => undefined, 60_000);
} else {
  try {
    takeLock(`${file}.lock`);
    process.send?.('taken');
  } catch (error) {
    process.send?.(error instanceof Error ? error.message : 'unknown');
  }
}
