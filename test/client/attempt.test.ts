import { describe, expect, test } from 'vitest';
import { Client, type RequestObserver } from '../../src/client/client.ts';
import type { Exchanged } from '../../src/client/exchange.ts';
import type { PlatformError } from '../../src/text/errors.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeLogger } from '../support/fake-logger.ts';
import { KEY, START, tokensRequest } from './platform-server.ts';

const ANSWER: Exchanged = {
  ...{ kind: 'answer', status: 200, text: '{}', bytes: 2, date: 'today' },
  ...{ contentType: undefined, retryAfter: undefined },
};

/** Makes one attempt, whose exchange takes 1.5 s. */
async function attempt(
  exchanged: Exchanged,
  { request = tokensRequest(), key = KEY, org = 'acme', host = 'http://127.0.0.1' } = {},
) {
  const clock = createFakeClock(START);
  const events: Parameters<RequestObserver['request']>[0][] = [];
  const asked: string[] = [];
  const client = new Client({
    ...{ org, baseUrl: host, appUrl: host, clock, random: () => 1, log: createFakeLogger() },
    ...{ credential: async () => key, timeoutMs: 1_000, maxResponseBytes: 7, retries: 0 },
    ...{ requestsPerSecond: Number.POSITIVE_INFINITY, version: '1.2.3' },
    exchange: async (url) => {
      asked.push(url.href);
      await clock.advance(1_500);
      return exchanged;
    },
    observer: { request: (event) => events.push(event), retry: () => undefined },
  });
  const outcome = await client.get(request).then(
    (answer) => ({ ok: true as const, answer }),
    (error: PlatformError) => ({ ok: false as const, error }),
  );
  return { outcome, events, asked };
}

describe('an attempt', () => {
  test.each<[Exchanged, string, string | undefined]>([
    [ANSWER, '200', 'today'],
    [{ kind: 'too-large', status: 206 }, '206', undefined],
    [{ kind: 'redirect', status: 301, words: 'elsewhere' }, '301', undefined],
    [{ kind: 'timeout', words: 'no answer' }, 'timeout', undefined],
    [{ kind: 'network', words: 'refused' }, 'network', undefined],
  ])('that ends as %j is counted as %s', async (exchanged, code, date) => {
    const { events } = await attempt(exchanged);
    const { endpoint, path } = tokensRequest();
    expect(events).toEqual([{ org: 'acme', endpoint, code, seconds: 1.5, path, date }]);
  });

  test('says by which key it was answered, without the key', async () => {
    const fingerprintOf = async (key: string, org: string) => {
      const { outcome } = await attempt(ANSWER, { key, org });
      return outcome.ok ? outcome.answer.key : undefined;
    };
    const one = await fingerprintOf(KEY, 'acme');
    expect(one).toMatch(/^[0-9a-f]{16}$/);
    expect(await fingerprintOf(KEY, 'acme')).toBe(one);
    const others = [await fingerprintOf(`${KEY}x`, 'acme'), await fingerprintOf(KEY, 'other')];
    expect(new Set([one, ...others]).size).toBe(3);
  });

  test.each([
    ['https://api.test:8443/gateway//', 'https://api.test:8443/gateway/api/v1/analytics/tokens'],
    ['http://api.test', 'http://api.test/api/v1/analytics/tokens'],
  ])('below %s asks %s', async (host, url) => {
    expect((await attempt(ANSWER, { host })).asked).toEqual([url]);
    const request = tokensRequest({ startDate: '2026-11-19' });
    expect((await attempt(ANSWER, { host, request })).asked).toEqual([`${url}?startDate=2026-11-19`]);
  });

  const longest = Array.from({ length: 20 }, () => 'abcdefghijk').join('/');
  test.each([
    ['/v2/tokens', '/v2/tokens'],
    [`/${longest}`, `/${longest}`],
    [`/${longest}/a`, undefined],
    [`/${'x'.repeat(255)}`, `/${'x'.repeat(255)}`],
    [`/${'x'.repeat(256)}`, undefined],
    ['/v2/tokens/', undefined],
    ['/v2/%74okens', undefined],
    [`/v2/${KEY}`, undefined],
    ['/v2/tokens?more=1', undefined],
    ['/v2/tokens?', '/v2/tokens'],
  ])('that was moved to %s is asked as %s the next time', async (path, expected) => {
    for (const base of ['', '/gateway']) {
      const host = `http://api.test${base}`;
      const { outcome } = await attempt({ ...ANSWER, movedTo: new URL(`${host}${path}`) }, { host });
      expect(outcome).toMatchObject({ ok: true, answer: { movedTo: expected } });
    }
  });
});
