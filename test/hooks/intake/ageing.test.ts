import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createSqliteHookStore } from '../../../src/hooks/intake/sqlite/store.ts';
import { nextAgeing } from '../../../src/hooks/intake/sqlite/tables.ts';
import { createDirectory } from '../../history/files.ts';

const DAY = 24 * 3_600_000;
const NOW = Date.UTC(2026, 10, 20);

/** Commits an event and returns whether it was new. */
async function isNew(store: ReturnType<typeof createSqliteHookStore>, id: string, now: number) {
  let answered = false;
  await store.commit({
    take: () => ({ ids: [id], now }),
    decide([first = false]) {
      answered = first;
      return { events: new Map(), ends: new Map(), sessions: new Map() };
    },
  });
  return answered;
}

describe('a clock that leaps by a year', () => {
  test('forgets no event that could be sent again', async () => {
    const store = createSqliteHookStore({ path: path.join(createDirectory(), 'hooks.db') });
    expect(await isNew(store, 'a', NOW)).toBe(true);
    expect(await isNew(store, 'b', NOW + 365 * DAY)).toBe(true);
    expect(await isNew(store, 'a', NOW + 365 * DAY)).toBe(false);
    expect(await isNew(store, 'a', NOW + 60_000)).toBe(false);
    await store.close();
  });

  test('is accepted a day later, and forgotten events are then too old to be counted again', async () => {
    const store = createSqliteHookStore({ path: path.join(createDirectory(), 'hooks.db') });
    await isNew(store, 'a', NOW);
    await isNew(store, 'b', NOW + 365 * DAY);
    await isNew(store, 'c', NOW + 366 * DAY);
    expect(store.forgottenBefore(NOW + 60_000)).toBe(NOW);
    await store.close();
  });
});

test('ages count from the present in ordinary times, and after a short absence', () => {
  expect(nextAgeing(undefined, NOW)).toEqual({ at: NOW });
  expect(nextAgeing({ at: NOW }, NOW + 20 * DAY)).toEqual({ at: NOW + 20 * DAY });
  // After the clock went back, nothing ages further.
  expect(nextAgeing({ at: NOW }, NOW - 5 * DAY)).toEqual({ at: NOW });
});
