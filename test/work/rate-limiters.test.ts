import { expect, test } from 'vitest';
import { createPacingLimiter, createTokenBucket } from '../../src/work/rate-limiters.ts';
import { createFakeClock } from '../support/fake-clock.ts';

test('a pacing limiter spaces requests evenly, also after a pause', async () => {
  const clock = createFakeClock(0, { autoAdvance: true });
  const limiter = createPacingLimiter(2, clock);
  const at: number[] = [];
  for (let count = 0; count < 3; count++) {
    await limiter.take();
    at.push(clock.elapsed());
  }
  await clock.advance(10_000);
  for (let count = 0; count < 2; count++) {
    await limiter.take();
    at.push(clock.elapsed());
  }
  expect(at).toEqual([0, 500, 1000, 11_000, 11_500]);
});

test('a pacing limiter keeps its last permission when its rate changes', async () => {
  const clock = createFakeClock(0, { autoAdvance: true });
  const limiter = createPacingLimiter(2, clock);
  await limiter.take();
  limiter.setRate(0.5);
  await limiter.take();
  expect(clock.elapsed()).toBe(2000);
});

test('a token bucket admits a burst, then one request per interval', async () => {
  const clock = createFakeClock(0);
  const bucket = createTokenBucket(clock);
  const rate = { intervalMs: 1000, burst: 2 };
  expect([bucket.take(rate), bucket.take(rate), bucket.take(rate)]).toEqual(['taken', 'taken', 1000]);
  await clock.advance(250);
  expect(bucket.take(rate)).toBe(750);
  await clock.advance(750);
  expect([bucket.take(rate), bucket.take(rate)]).toEqual(['taken', 1000]);
});

test('a token bucket keeps what was used when its rate changes', () => {
  const bucket = createTokenBucket(createFakeClock(0));
  bucket.take({ intervalMs: 1000, burst: 1 });
  expect(bucket.take({ intervalMs: 500, burst: 1 })).toBe(500);
  expect(bucket.take({ intervalMs: 500, burst: 2 })).toBe('taken');
});
