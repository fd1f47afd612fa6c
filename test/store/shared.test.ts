import { expect, test } from 'vitest';
import { SharedDatabase } from '../../src/store/shared.ts';
import { ConfigError } from '../../src/text/errors.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { waitFor } from '../support/wait-for.ts';

test('a database is tried at growing intervals until it is closed, and the trouble is said once', async () => {
  const [clock, log] = [createFakeClock(0), createFakeLogger()];
  let reads = 0;
  const database = new SharedDatabase({
    url: {
      read: async () => {
        reads += 1;
        throw new ConfigError('storage.url: no file', 'write it');
      },
      describe: () => 'the test',
    },
    ...{ clock, log },
  });
  for (let tries = 1; tries <= 5; tries += 1) {
    await waitFor(() => clock.waits.length === tries);
    expect(reads).toBe(tries);
    await clock.advance(5_000);
  }
  await waitFor(() => clock.waits.length === 6);
  expect(clock.waits.every((ms) => ms > 0 && ms <= 5_000)).toBe(true);
  expect(Math.max(...clock.waits)).toBeGreaterThan(1_000);
  expect([database.isUp(), database.trouble()?.reason, database.storeId]).toEqual([
    ...[false, 'settings', undefined],
  ]);
  expect(log.events.filter(({ level }) => level !== 'debug').map(({ level }) => level)).toEqual(['error']);
  await database.close();
  await expect(database.opened).rejects.toThrow();
  expect(reads).toBe(6);
});
