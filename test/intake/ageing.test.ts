import { describe, expect, test } from 'vitest';
import { nextAgeing } from '../../src/intake/ageing.ts';
import type { HookStore } from '../../src/intake/store.ts';
import { stop } from './contract.ts';
import { createFileStore } from './parts.ts';

const DAY = 24 * 3_600_000;
const NOW = Date.UTC(2026, 10, 20);

/** Commits an event and returns whether it was new. */
async function isNew(store: HookStore, id: string, now: number) {
  return (await store.commit(() => ({ events: [stop(id)], now }))).isNew[0];
}

describe('a clock that leaps by a year', () => {
  test('forgets no event that could be sent again', async () => {
    const store = createFileStore();
    expect(await isNew(store, 'a', NOW)).toBe(true);
    expect(await isNew(store, 'b', NOW + 365 * DAY)).toBe(true);
    expect(await isNew(store, 'a', NOW + 365 * DAY)).toBe(false);
    expect(await isNew(store, 'a', NOW + 60_000)).toBe(false);
    await store.close();
  });

  test('is accepted a day later, and forgotten events are then too old to be counted again', async () => {
    const store = createFileStore();
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
