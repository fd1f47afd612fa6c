import { describe, expect, test } from 'vitest';
import type { ApiRequest } from '../../src/catalog/source.ts';
import { parseRetryAfter } from '../../src/client/response.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import {
  answers,
  createTestClient,
  failureOf,
  START,
  startServer,
  tokensRequest,
} from './platform-server.ts';

const wiki: ApiRequest = { endpoint: 'wiki', host: 'api', path: '/api/v0/wiki', query: {} };

describe('retries', () => {
  test.each([429, 500, 502, 503, 504, 529])('%i is retried until it succeeds', async (status) => {
    const server = await startServer(answers({ status }, { status }, {}));
    const { client, clock, codes, retried } = createTestClient(server.url);
    await client.get(tokensRequest());
    expect(codes).toEqual([String(status), String(status), '200']);
    expect(retried).toEqual(['tokens', 'tokens']);
    expect(clock.waits).toEqual([1_000, 2_000]);
  });

  test('end after the configured number, with the last failure', async () => {
    const server = await startServer(
      answers({ status: 500 }, { status: 502, body: '{"detail":"bad gateway"}' }),
    );
    const { client, codes } = createTestClient(server.url, { retries: 2 });
    const error = await failureOf(client.get(tokensRequest()));
    expect(error).toMatchObject({
      reason: 'server',
      status: 502,
      message: expect.stringContaining('bad gateway'),
    });
    expect(codes).toHaveLength(3);
  });

  test('wait up to 30 s each and give up after 120 s', async () => {
    const server = await startServer(answers({ status: 500 }));
    const { client, clock } = createTestClient(server.url, { retries: 100 });
    await failureOf(client.get(tokensRequest()));
    expect(clock.waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  test.each([
    [50_000, [50_000, 50_000, 17_000]],
    // The first attempt may use its whole timeout.
    [100_000, [100_000, 19_000]],
  ])('give an attempt of %i ms no more than what is left of the 120 s', async (timeoutMs, expected) => {
    const clock = createFakeClock(START, { autoAdvance: true });
    const limits: number[] = [];
    // A platform that answers nothing: each attempt ends with its time limit.
    const { client } = createTestClient('http://127.0.0.1:1', {
      ...{ retries: 100, timeoutMs, clock },
      exchange: async (_url, _key, bounds) => {
        limits.push(bounds.timeoutMs);
        await clock.advance(bounds.timeoutMs);
        return { kind: 'timeout', words: 'no answer' };
      },
    });
    await failureOf(client.get(tokensRequest()));
    expect(limits).toEqual(expected);
    expect(clock.now() - START).toBe(120_000);
  });

  test('have full jitter', async () => {
    const server = await startServer(answers({ status: 500 }));
    const draws = [0.5, 0.25, 0];
    const { client, clock } = createTestClient(server.url, { retries: 3, random: () => draws.shift() ?? 0 });
    await failureOf(client.get(tokensRequest()));
    expect(clock.waits).toEqual([500, 500, 0]);
  });

  test('do not begin after the client was closed', async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(500).end(() => client.close());
    });
    const { client, codes } = createTestClient(server.url);
    await failureOf(client.get(tokensRequest()));
    expect(server.requests).toHaveLength(1);
    // It was aborted on purpose, which says nothing about the platform.
    expect(codes).toEqual([]);
  });

  test('are disabled if the caller says so, except when the platform gives a time', async () => {
    const server = await startServer(
      answers({ status: 503, headers: { 'retry-after': '2' } }, { status: 429 }, { status: 500 }, {}),
    );
    const { client, clock } = createTestClient(server.url);
    const failure = await failureOf(client.get({ ...tokensRequest(), retryOn: 'throttled' }));
    expect(failure).toMatchObject({ reason: 'server', status: 500 });
    expect(clock.waits).toEqual([2_000, 2_000]);
    const unasked = await startServer(answers({ status: 503, headers: { 'retry-after': '0' } }, {}));
    const other = createTestClient(unasked.url);
    expect(await failureOf(other.client.get({ ...tokensRequest(), retryOn: 'throttled' }))).toMatchObject({
      reason: 'server',
      status: 503,
    });
  });

  test('end with the request, of which nothing more is counted', async () => {
    const arrived = Promise.withResolvers<void>();
    const server = await startServer(() => arrived.resolve());
    const { client, codes } = createTestClient(server.url);
    const unwanted = new AbortController();
    const failing = failureOf(client.get({ ...tokensRequest(), signal: unwanted.signal }));
    await arrived.promise;
    unwanted.abort();
    expect((await failing).reason).toBe('network');
    expect(server.requests).toHaveLength(1);
    expect(codes).toEqual([]);
  });
});

describe('Retry-After', () => {
  test.each([
    ['seconds', '7'],
    ['an HTTP date', new Date(START + 7_000).toUTCString()],
  ])('given as %s is waited for', async (_case, header) => {
    const headers = { 'retry-after': header, date: new Date(START).toUTCString() };
    const server = await startServer(answers({ status: 429, headers }, {}));
    const { client, clock } = createTestClient(server.url);
    await client.get(tokensRequest());
    expect(clock.waits).toEqual([7_000]);
  });

  test("is a date by the server's clock, however far off ours is", async () => {
    const theirs = START + 9 * 3_600_000;
    const headers = {
      'retry-after': new Date(theirs + 7_000).toUTCString(),
      date: new Date(theirs).toUTCString(),
    };
    const server = await startServer(answers({ status: 429, headers }, {}));
    const { client, clock } = createTestClient(server.url);
    await client.get(tokensRequest());
    expect(clock.waits).toEqual([7_000]);
  });

  test('shorter than the back-off does not shorten it', async () => {
    const server = await startServer(answers({ status: 503, headers: { 'retry-after': '0' } }, {}));
    const { client, clock } = createTestClient(server.url);
    await client.get(tokensRequest());
    expect(clock.waits).toEqual([1_000]);
  });

  test('on 429, longer than what is left, fails at once and pauses the whole organization', async () => {
    const server = await startServer(answers({ status: 429, headers: { 'retry-after': '600' } }, {}));
    const { client, clock, log, codes } = createTestClient(server.url);
    const error = await failureOf(client.get(tokensRequest()));
    expect(error).toMatchObject({ reason: 'throttled', status: 429, retryAt: START + 600_000 });
    expect(error.message).toContain('until 2026-11-20T12:10:00Z');
    expect(error.hint).toContain('for this organization');
    expect(await failureOf(client.get(wiki))).toBe(error);
    expect(clock.waits).toEqual([]);
    await clock.advance(599_999);
    expect(await failureOf(client.get(tokensRequest()))).toBe(error);
    await clock.advance(1);
    await client.get(wiki);
    expect(codes).toEqual(['429', '200']);
    expect(log.events.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'Pause requested by the platform'],
    ]);
  });

  test('that requests under way are asked for together is logged once', async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(429, { 'retry-after': '600' });
      response.end('{}');
    });
    const { client, codes, log } = createTestClient(server.url);
    const refused = await Promise.all([client.get(tokensRequest()), client.get(wiki)].map(failureOf));
    expect(refused.map(({ reason }) => reason)).toEqual(['throttled', 'throttled']);
    expect(codes).toEqual(['429', '429']);
    expect(log.events).toHaveLength(1);
  });

  test('on 503, longer than what is left, pauses that endpoint alone, which stays a failure of the server', async () => {
    const server = await startServer((request, response) => {
      const isWiki = request.url?.startsWith('/api/v0/wiki');
      if (isWiki) response.writeHead(503, { 'retry-after': '1800' });
      response.end('{}');
    });
    const { client, clock, codes, holds } = createTestClient(server.url);
    const error = await failureOf(client.get(wiki));
    expect(error).toMatchObject({ reason: 'server', status: 503, retryAt: START + 1_800_000 });
    expect(error.hint).toContain('of this endpoint');
    expect(holds.active()).toEqual([{ scope: 'wiki', until: START + 1_800_000, error }]);
    await client.get(tokensRequest());
    expect(await failureOf(client.get(wiki))).toBe(error);
    await clock.advance(1_800_000);
    expect(holds.active()).toEqual([]);
    expect(await failureOf(client.get(wiki))).not.toBe(error);
    expect(codes).toEqual(['503', '200', '503']);
  });

  test('on a 503 that says that it is a rate limit pauses the organization', async () => {
    const limited = {
      status: 503,
      headers: { 'retry-after': '600' },
      body: '{"detail":"Rate limit exceeded"}',
    };
    const server = await startServer(answers(limited, {}));
    const { client } = createTestClient(server.url);
    const error = await failureOf(client.get(wiki));
    expect(error).toMatchObject({ reason: 'throttled', status: 503 });
    expect(await failureOf(client.get(tokensRequest()))).toBe(error);
  });

  test('beyond an hour is retried after an hour, by one request for which the others wait', async () => {
    const held: (() => void)[] = [];
    const asked = Promise.withResolvers<void>();
    const server = await startServer((_request, response, count) => {
      const again = () => response.writeHead(429, { 'retry-after': '999999999999' }).end();
      if (count === 1) {
        again();
        return;
      }
      held.push(again);
      asked.resolve();
    });
    const { client, clock } = createTestClient(server.url);
    const first = await failureOf(client.get(tokensRequest()));
    expect(first).toMatchObject({ retryAt: START + 3_600_000 });
    await clock.advance(3_600_000);
    const later = [tokensRequest(), wiki, tokensRequest()].map((request) => failureOf(client.get(request)));
    await asked.promise;
    for (const answer of held) answer();
    const [probe, ...others] = await Promise.all(later);
    expect(probe).toMatchObject({ reason: 'throttled', retryAt: START + 7_200_000 });
    expect(others).toEqual([probe, probe]);
    expect(server.requests).toHaveLength(2);
  });

  test('lets all continue once the request after it was answered, successfully or not', async () => {
    const server = await startServer(
      answers({ status: 429, headers: { 'retry-after': '600' } }, { status: 404 }, {}),
    );
    const { client, clock, codes } = createTestClient(server.url);
    await failureOf(client.get(tokensRequest()));
    await clock.advance(600_000);
    const [probe] = await Promise.all([failureOf(client.get(tokensRequest())), client.get(wiki)]);
    expect(probe.status).toBe(404);
    expect(codes).toEqual(['429', '404', '200']);
  });

  test('with no retries left is kept as well', async () => {
    const server = await startServer(answers({ status: 429, headers: { 'retry-after': '5' } }, {}));
    const { client } = createTestClient(server.url, { retries: 0 });
    expect(await failureOf(client.get(wiki))).toMatchObject({ reason: 'throttled', retryAt: START + 5_000 });
    await failureOf(client.get(wiki));
    expect(server.requests).toHaveLength(1);
  });

  test('adds up to 120 s at most', async () => {
    const server = await startServer(answers({ status: 429, headers: { 'retry-after': '50' } }));
    const { client, clock } = createTestClient(server.url, { retries: 50 });
    expect((await failureOf(client.get(tokensRequest()))).reason).toBe('throttled');
    expect(clock.waits).toEqual([50_000, 50_000]);
  });

  test.each([
    ['120', 120_000],
    ['1.5', 1_500],
    [' 3 ', 3_000],
    ['Fri, 20 Nov 2026 12:01:00 GMT', 60_000],
    ['Friday, 20-Nov-26 12:01:00 GMT', 60_000],
    ['Fri Nov 20 12:01:00 2026', 60_000],
    ['Fri, 20 Nov 2026 11:00:00 GMT', 0],
    ['99999999999', 3_600_000],
    ['9'.repeat(400), 3_600_000],
    ['Fri, 20 Nov 2099 12:00:00 GMT', 3_600_000],
    ['-5', undefined],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j means %j ms', (header, ms) => {
    expect(parseRetryAfter(header, START)).toBe(ms);
  });
});
