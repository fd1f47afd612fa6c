import { describe, expect, test } from 'vitest';
import { createSystemClock } from '../../src/work/clock.ts';
import { createPacingLimiter } from '../../src/work/rate-limiters.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { answers, createTestClient, START, startServer, tokensRequest } from './platform-server.ts';

describe('the rate limit', () => {
  test('sends requests one by one, evenly spaced, in order', async () => {
    const clock = createFakeClock(START);
    const limiter = createPacingLimiter(5, clock);
    const went: [number, number][] = [];
    const all = [0, 1, 2, 3].map(async (place) => {
      await limiter.take();
      went.push([place, clock.elapsed()]);
    });
    await clock.advance(0);
    for (let step = 0; step < 6; step += 1) await clock.advance(100);
    await Promise.all(all);
    expect(went).toEqual([
      [0, 0],
      [1, 200],
      [2, 400],
      [3, 600],
    ]);
  });

  test('does not accumulate permissions while idle', async () => {
    const clock = createFakeClock(START);
    const limiter = createPacingLimiter(1, clock);
    await limiter.take();
    await clock.advance(60_000);
    await limiter.take();
    void limiter.take();
    await clock.advance(0);
    expect(clock.waits).toEqual([1_000]);
  });

  test('counts every attempt', async () => {
    const server = await startServer(answers({ status: 500 }, { status: 500 }, {}));
    const { client, clock } = createTestClient(server.url, { requestsPerSecond: 0.5, random: () => 0 });
    await client.get(tokensRequest());
    expect(clock.waits).toEqual([0, 2_000, 0, 2_000]);
  });
});

describe('concurrency', () => {
  test('is bounded to four requests of an organization, and the others follow in order', async () => {
    const held: (() => void)[] = [];
    const { promise: full, resolve } = Promise.withResolvers<void>();
    const server = await startServer((_request, response, count) => {
      if (count > 4) response.end('{}');
      else held.push(() => response.end('{}'));
      if (count === 4) resolve();
    });
    const { client } = createTestClient(server.url);
    const all = [1, 2, 3, 4, 5, 6, 7].map((n) => client.get(tokensRequest({ n: String(n) })));
    await full;
    await new Promise((settled) => setImmediate(settled));
    expect(server.requests).toHaveLength(4);
    held[0]?.();
    await all[6];
    expect(server.requests.slice(4).map(({ url }) => url.at(-1))).toEqual(['5', '6', '7']);
    for (const release of held) release();
    await Promise.all(all);
  });
});

describe('the rate on the wire', () => {
  test('is never above the one that is configured, with retries, redirects and several collectors at once', async () => {
    const PER_SECOND = 100;
    const arrivals: number[] = [];
    const clock = createSystemClock();
    const server = await startServer((request, response, count) => {
      arrivals.push(clock.elapsed());
      const kind = count % 5;
      if (kind === 0) request.socket.destroy();
      else if (kind === 1) response.writeHead(503).end();
      else if (kind === 2) response.writeHead(308, { location: request.url ?? '/' }).end();
      else response.end('{}');
    });
    const begun = clock.elapsed();
    const { client, codes } = createTestClient(server.url, {
      ...{ clock, requestsPerSecond: PER_SECOND, retries: 20, random: () => 0 },
    });
    await Promise.all(Array.from({ length: 25 }, (_, n) => client.get(tokensRequest({ n: String(n) }))));
    expect(arrivals.length).toBeGreaterThan(50);
    expect(codes.length).toBeLessThan(arrivals.length);
    // However late a request arrives, it is never before its turn.
    const early = arrivals.filter((at, place) => at - begun < (place * 1000) / PER_SECOND);
    expect(early).toEqual([]);
  });
});
