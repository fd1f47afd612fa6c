import { createServer, request as httpRequest, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import request from 'supertest';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AppDeps } from '../../src/server/app.ts';
import { createHttpServer } from '../../src/server/http-server.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { createTestApp, serviceStatus } from './fixtures.ts';

const CHANGING = ['/-/refresh', '/-/reload'];
const HEALTH = ['/-/healthy', '/-/ready'];
const ROUTES = ['/metrics', '/', '/status', ...HEALTH, '/probe?target=acme', '/nowhere'];

describe('lifecycle requests', () => {
  test.each([
    ['a page of another site', { 'sec-fetch-site': 'cross-site' }],
    ['a page of another host', { origin: 'https://evil.example' }],
    [
      'a page of another host of the same site',
      { origin: 'https://b.example', 'sec-fetch-site': 'same-site' },
    ],
    ['a page on another port', { origin: 'http://exporter.example:3000' }],
    ['a page without an origin of its own', { origin: 'null' }],
    ['an origin that is none', { origin: 'exporter.example:9889' }],
    ['localhost, which is allowed as a host only', { origin: 'http://localhost:3000' }],
  ])('of %s are refused', async (_, headers) => {
    const { app, refreshes } = createTestApp({
      reload: () => Promise.reject(new Error('reloaded')),
      allowedHosts: ['exporter.example'].slice(1),
    });
    for (const path of CHANGING) {
      const response = await request(app)
        .post(path)
        .set({ host: 'exporter.example:9889', ...headers });
      expect(response.status).toBe(403);
    }
    expect(refreshes).toEqual([]);
  });

  test.each([
    ['no browser', {}],
    ['a page of this host', { origin: 'http://exporter.example:9889', 'sec-fetch-site': 'same-origin' }],
    ['a page behind a proxy that ends TLS', { host: 'exporter.example', origin: 'https://exporter.example' }],
    ['a page of a host that is allowed', { origin: 'https://grafana.corp.example' }],
  ])('of %s work', async (_, headers) => {
    const { app } = createTestApp({ allowedHosts: ['exporter.example', '*.corp.example'] });
    for (const path of CHANGING) {
      const response = await request(app)
        .post(path)
        .set({ host: 'exporter.example:9889', ...headers });
      expect([200, 202]).toContain(response.status);
    }
  });
});

describe('hosts', () => {
  test.each([
    ...ROUTES.filter((path) => !HEALTH.includes(path)),
    '/hooks/events',
    '/-/reload',
    '/-/healthy/',
  ])('that are not allowed get nothing from %s', async (path) => {
    const { app } = createTestApp({ allowedHosts: ['exporter.example'] });
    for (const host of [
      'evil.example',
      'evil.example:9889',
      'exporter.example.evil.example',
      '127.0.0.1.evil.example',
      '[::1].evil.example',
    ]) {
      const response = await request(app).get(path).set('host', host);
      expect([host, response.status]).toEqual([host, 421]);
    }
  });

  test('that are allowed, addresses and localhost get answers', async () => {
    const { app } = createTestApp({ allowedHosts: ['exporter.example', '*.corp.example'] });
    for (const host of [
      ...['exporter.example', 'Exporter.Example.:9889', 'a.b.corp.example', 'localhost:9889'],
      ...['10.1.2.3:9889', '[::1]:9889', '[fe80::1]'],
    ]) {
      expect([host, (await request(app).get('/metrics').set('host', host)).status]).toEqual([host, 200]);
    }
    expect((await request(app).get('/metrics').set('host', 'corp.example')).status).toBe(421);
  });

  test('are unrestricted if none is configured', async () => {
    const { app } = createTestApp();
    expect((await request(app).get('/metrics').set('host', 'anything.example')).status).toBe(200);
  });
});

describe('health checks', () => {
  const HOSTS = ['', 'Host: balancer.internal\r\n', 'Host: \r\n', 'Host: exporter.example\r\n'];

  test.each(['1.0', '1.1'])('of a balancer pass with HTTP/%s, whichever host they name', async (version) => {
    const port = await serve({ allowedHosts: ['exporter.example'] });
    for (const path of [...HEALTH, '/-/healthy?check=1']) {
      for (const host of HOSTS) {
        const text = `GET ${path} HTTP/${version}\r\n${host}Connection: close\r\n\r\n`;
        expect([path, host, await firstLineOf(port, text)]).toEqual([path, host, 'HTTP/1.1 200 OK']);
      }
    }
  });

  test.each([
    [[], '1.0', 'HTTP/1.1 200 OK'],
    [[], '1.1', 'HTTP/1.1 400 Bad Request'],
    [['exporter.example'], '1.0', 'HTTP/1.1 421 Misdirected Request'],
    [['exporter.example'], '1.1', 'HTTP/1.1 400 Bad Request'],
  ])('are the only requests without a host (allowed: %j, HTTP/%s)', async (allowedHosts, version, line) => {
    const port = await serve({ allowedHosts });
    for (const path of ['/metrics', '/', '/status']) {
      const text = `GET ${path} HTTP/${version}\r\nConnection: close\r\n\r\n`;
      expect([path, await firstLineOf(port, text)]).toEqual([path, line]);
    }
  });

  test('do not tell a host that is not allowed which organizations are missing', async () => {
    const ready = { ready: false, waitingFor: ['the first answer for acme/tokens'] };
    const { app } = createTestApp({
      allowedHosts: ['exporter.example'],
      status: () => serviceStatus({ ready }),
    });
    const own = await request(app).get('/-/ready').set('host', 'exporter.example');
    expect([own.status, own.text]).toEqual([
      503,
      'not ready, waiting for:\n- the first answer for acme/tokens\n',
    ]);
    const other = await request(app).get('/-/ready').set('host', 'evil.example');
    expect([other.status, other.text]).toEqual([503, 'not ready\n']);
  });

  async function serve(changes: Partial<AppDeps>): Promise<number> {
    const { app } = createTestApp(changes);
    const server = createHttpServer({ app, clock: createSystemClock(), maxConnections: 512 });
    onTestFinished(() => server.close(0));
    return (await server.listen({ host: '127.0.0.1', port: 0 })).port;
  }

  async function firstLineOf(port: number, text: string): Promise<string | undefined> {
    const socket = connect(port, '127.0.0.1').end(text);
    return String(Buffer.concat(await socket.toArray())).split('\r\n')[0];
  }
});

describe('codings', () => {
  test('of a transfer that are unknown are rejected', async () => {
    const { app } = createTestApp();
    expect(await statusOf(app, 'gzip, chunked')).toBe(501);
    expect(await statusOf(app, 'chunked')).toBe(202);
  });

  test.each(['identity;q=0', '*;q=0', 'gzip;q=0, identity;q=0', 'br, *;q=0'])(
    'that a client excludes are not used: %s',
    async (codings) => {
      const { app } = createTestApp();
      for (const path of ['/', '/status', '/metrics', '/probe?target=acme']) {
        const { status, headers } = await request(app).get(path).set('accept-encoding', codings);
        expect([path, status, headers['content-encoding']]).toEqual([path, 406, undefined]);
      }
    },
  );

  test('are gzip if only plain text is excluded', async () => {
    const { app } = createTestApp();
    const { status, headers } = await request(app)
      .get('/metrics')
      .set('accept-encoding', 'gzip, identity;q=0');
    expect([status, headers['content-encoding']]).toEqual([200, 'gzip']);
  });
});

/** The status of `POST /-/refresh` with a body in this transfer coding, which supertest would not send. */
async function statusOf(app: RequestListener, coding: string): Promise<number | undefined> {
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    const options = { port, method: 'POST', path: '/-/refresh', headers: { 'transfer-encoding': coding } };
    httpRequest(options, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end('x');
  });
}
