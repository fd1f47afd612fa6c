import { expect, test } from 'vitest';
import { backoffMs } from '../../src/work/backoff.ts';

const bounds = { baseMs: 1000, capMs: 30_000 };

test('waits double with each retry up to the cap', () => {
  const most = [0, 1, 2, 5, 10, 2000].map((retries) => backoffMs(retries, bounds));
  expect(most).toEqual([1000, 2000, 4000, 30_000, 30_000, 30_000]);
});

test('full jitter spreads each wait from nothing to its bound', () => {
  expect([0, 0.5].map((random) => backoffMs(1, bounds, () => random))).toEqual([0, 1000]);
});
