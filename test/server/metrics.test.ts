import fc from 'fast-check';
import request from 'supertest';
import { describe, expect, test } from 'vitest';
import { parseCollect } from '../../src/server/metrics.ts';
import { createFakeExposition } from './fake-exposition.ts';
import { createTestApp } from './fixtures.ts';

describe('GET /metrics', () => {
  test('serves text if the client has no preference', async () => {
    const { app } = createTestApp();
    const response = await request(app).get('/metrics').set('Accept-Encoding', 'identity');
    expect(response.status).toBe(200);
    expect(response.text).toBe('# tokens\n# spend\n');
    expect(response.headers).toMatchObject({
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'content-length': '17',
      vary: 'Accept, Accept-Encoding',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(response.headers).not.toHaveProperty('x-powered-by');
    expect(response.headers).not.toHaveProperty('etag');
    expect(response.headers).not.toHaveProperty('content-encoding');
  });

  test('serves OpenMetrics to clients that prefer it, repeatedly', async () => {
    const { app } = createTestApp();
    for (let count = 0; count < 2; count++) {
      const response = await request(app)
        .get('/metrics')
        .set(
          'Accept',
          'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1',
        );
      expect(response.headers['content-type']).toBe(
        'application/openmetrics-text; version=1.0.0; charset=utf-8',
      );
      expect(response.text).toMatch(/# EOF\n$/);
    }
  });

  test('does not mix the answers to different clients', async () => {
    const { app, exposition } = createTestApp();
    await request(app).get('/metrics').set('Accept', 'text/plain').set('Accept-Encoding', 'gzip');
    await request(app).get('/metrics').set('Accept', 'text/plain').set('Accept-Encoding', 'gzip;q=0');
    await request(app)
      .get('/metrics')
      .set('Accept', 'application/openmetrics-text')
      .set('Accept-Encoding', 'gzip');
    expect(exposition.requests).toEqual([
      { format: 'text', gzip: true },
      { format: 'text', gzip: false },
      { format: 'openmetrics', gzip: true },
    ]);
  });

  test('answers a scraper of gzip alone like any other client', async () => {
    const { app } = createTestApp({ allowedHosts: ['exporter.example'] });
    const [usual, other] = await Promise.all(
      ['gzip', 'gzip, br'].map((coding) => request(app).get('/metrics').set('Accept-Encoding', coding)),
    );
    const { date: _, ...headers } = usual?.headers ?? {};
    expect(other?.headers).toMatchObject(headers);
    expect([usual?.status, usual?.text]).toEqual([200, other?.text]);
    const rebound = await request(app)
      .get('/metrics')
      .set('Accept-Encoding', 'gzip')
      .set('Host', 'evil.example');
    expect(rebound.status).toBe(421);
  });

  test.each(['gzip', 'gzip, br'])('answers 500 if a scrape with %s fails, and logs why', async (coding) => {
    const exposition = { ...createFakeExposition(), scrape: () => Promise.reject(new Error('broken')) };
    const { app, log } = createTestApp({ exposition });
    const { status } = await request(app).get('/metrics').set('Accept-Encoding', coding);
    expect([status, log.events.map(({ message }) => message)]).toEqual([500, ['Request failed']]);
  });

  test('compresses if the client accepts it', async () => {
    const { app } = createTestApp();
    // The client decompresses; the header shows that the body was compressed.
    const response = await request(app).get('/metrics').set('Accept-Encoding', 'gzip');
    expect(response.headers['content-encoding']).toBe('gzip');
    expect(response.text).toBe('# tokens\n# spend\n');
  });

  test('sends a body in several parts as one', async () => {
    const parts = [Buffer.from('a 1\n'), Buffer.from('b 2\n')];
    const page = {
      kind: 'page',
      contentType: 'text/plain',
      contentEncoding: undefined,
      contentLength: 8,
      body: { parts },
    } as const;
    const { app } = createTestApp({ exposition: { ...createFakeExposition(), scrape: async () => page } });
    expect((await request(app).get('/metrics')).text).toBe('a 1\nb 2\n');
  });

  test('answers HEAD with the headers of GET', async () => {
    const { app } = createTestApp();
    for (const coding of ['gzip', 'identity']) {
      const get = await request(app).get('/metrics').set('Accept-Encoding', coding);
      const head = await request(app).head('/metrics').set('Accept-Encoding', coding);
      expect(head.status).toBe(200);
      expect(head.text).toBeUndefined();
      const { date: _, ...headers } = get.headers;
      expect(head.headers).toMatchObject(headers);
    }
  });

  test.each([
    '/metrics?collect[]=spend',
    '/metrics?collect%5B%5D=spend',
    '/metrics?collect[]=spend&collect[]=spend&x=1',
  ])('%s narrows', async (path) => {
    const { app } = createTestApp();
    expect((await request(app).get(path)).text).toBe('# spend\n');
  });

  test('accepts several collectors', async () => {
    const { app } = createTestApp();
    expect((await request(app).get('/metrics?collect[]=spend&collect[]=tokens')).text).toBe(
      '# spend\n# tokens\n',
    );
  });

  test.each([
    ['?collect[]=<script>', 'No such collector. Available collectors: tokens, spend.\n'],
    ['?collect[]=', 'collect[] needs the name of a collector, as in collect[]=tokens.\n'],
    ['?collect=tokens', 'The parameter that selects collectors is collect[], as in collect[]=tokens.\n'],
    ['?collect[0]=tokens', 'The parameter that selects collectors is collect[], as in collect[]=tokens.\n'],
    ['?collect[]=%E0%A4%A', 'The query string is not correctly percent-encoded.\n'],
  ])('refuses %s', async (query, sentence) => {
    const { app } = createTestApp();
    const response = await request(app).get(`/metrics${query}`);
    expect(response.status).toBe(400);
    expect(response.text).toBe(sentence);
    expect(response.headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  test('answers 500 without details if rendering fails', async () => {
    const scrape = () => Promise.reject(new Error('secret detail'));
    const { app, log } = createTestApp({ exposition: { ...createFakeExposition(), scrape } });
    const response = await request(app).get('/metrics');
    expect(response.status).toBe(500);
    expect(response.text).not.toContain('secret');
    expect(log.events).toMatchObject([{ level: 'error' }]);
  });

  test('takes a telemetry path literally', async () => {
    const { app } = createTestApp({ telemetryPath: '/a.b/:x*' });
    expect((await request(app).get('/a.b/:x*')).status).toBe(200);
    expect((await request(app).get('/aXb/yy')).status).toBe(404);
    expect((await request(app).get('/metrics')).status).toBe(404);
  });
});

describe('the query', () => {
  test('never throws, and names only what was asked', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const query = parseCollect(`/metrics?collect[]=tokens&${text}`);
        if (!('problem' in query)) expect(query.collect).toContain('tokens');
      }),
    );
  });

  test('preserves any names', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1 }), (names) => {
        const query = names.map((name) => `collect%5B%5D=${encodeURIComponent(name)}`).join('&');
        expect(parseCollect(`/metrics?${query}`)).toEqual({ collect: names });
      }),
    );
  });
});
