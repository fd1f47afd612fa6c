import { expect, test } from 'vitest';
import { jitteredBackoffMs } from '../../src/runtime/backoff.ts';

const bounds = { baseMs: 1000, capMs: 30_000 };

test('waits double with each retry up to the cap', () => {
  const most = [0, 1, 2, 5, 10, 2000].map((retries) => jitteredBackoffMs(retries, () => 1, bounds));
  expect(most).toEqual([1000, 2000, 4000, 30_000, 30_000, 30_000]);
});

test('full jitter spreads each wait from nothing to its bound', () => {
  expect([0, 0.5].map((random) => jitteredBackoffMs(1, () => random, bounds))).toEqual([0, 1000]);
});
