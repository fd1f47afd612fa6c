import { describe, expect, test } from 'vitest';
import type { ApiRequest } from '../../src/catalog/source.ts';
import { parseRetryAfter } from '../../src/platform/retry-after.ts';
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
  test.each([429, 500, 502, 503, 504])('%i is asked again until it passes', async (status) => {
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
    expect(codes).toHaveLength(1);
  });
});

describe('Retry-After', () => {
  test.each([
    ['seconds', '7'],
    ['an HTTP date', new Date(START + 7_000).toUTCString()],
  ])('given as %s is waited for', async (_case, header) => {
    const server = await startServer(answers({ status: 429, headers: { 'retry-after': header } }, {}));
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
    expect(await failureOf(client.get(wiki))).toBe(error);
    expect(clock.waits).toEqual([]);
    await clock.advance(599_999);
    expect(await failureOf(client.get(tokensRequest()))).toBe(error);
    await clock.advance(1);
    await client.get(wiki);
    expect(codes).toEqual(['429', '200']);
    expect(log.events.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'The platform asked for a pause'],
    ]);
  });

  test('on 503, longer than what is left, pauses the organization as well', async () => {
    const server = await startServer(answers({ status: 503, headers: { 'retry-after': '3600' } }, {}));
    const { client, clock, codes } = createTestClient(server.url);
    const error = await failureOf(client.get(wiki));
    expect(error).toMatchObject({ reason: 'throttled', status: 503, retryAt: START + 3_600_000 });
    expect(await failureOf(client.get(tokensRequest()))).toBe(error);
    await clock.advance(3_600_000);
    await client.get(tokensRequest());
    expect(codes).toEqual(['503', '200']);
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
    ['99999999999', 86_400_000],
    ['-5', undefined],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%j means %j ms', (header, ms) => {
    expect(parseRetryAfter(header, START)).toBe(ms);
  });
});
