import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, test } from 'vitest';
import { createTestApp } from '../server/fixtures.ts';
import { drawn, type Random } from './random.ts';
import { tryAll } from './trial.ts';

const OWN = 'exporter.example:9889';
const ALLOWED = 'grafana.corp.example';
/** Foreign origins of a page. */
const FOREIGN = [
  'https://evil.example',
  'http://other.exporter.example:9889',
  'https://exporter.example.evil.example:9889',
  'http://evil-grafana.corp.example',
  'http://localhost:9889',
  'http://127.0.0.1:9889',
  'http://[::1]:9889',
  'null',
  'file://',
  'chrome-extension://abcdef',
] as const;
const FETCH_SITES = ['cross-site', 'same-site', 'Cross-Site', undefined] as const;
const BODIES = ['', 'a=1', '{"a": 1}', '<xml/>'] as const;
const TYPES = ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data; boundary=x'] as const;

let server: Server;
let changes = 0;

beforeAll(async () => {
  const { app } = createTestApp({
    allowedHosts: ['exporter.example', ALLOWED],
    refresh: () => {
      changes += 1;
      return [];
    },
    reload: async () => {
      changes += 1;
      return { ok: true };
    },
  });
  server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterAll(() => {
  server.close();
  server.closeAllConnections();
});

test('whatever a page of another site sends, it changes nothing', async () => {
  await tryAll({
    seeds: 1_500,
    secrets: [],
    isForeseen: () => false,
    async run(random) {
      const before = changes;
      const { path, headers, status } = await send(foreignRequest(random));
      if (changes !== before || status < 400) throw new Error(`${path} ${status} ${JSON.stringify(headers)}`);
      return '';
    },
  });
});

test('requests of tools and its own pages are not mistaken for those of another site', async () => {
  await tryAll({
    seeds: 500,
    secrets: [],
    isForeseen: () => false,
    async run(random) {
      const before = changes;
      const { path, headers, status } = await send(ownRequest(random));
      if (changes !== before + 1) throw new Error(`${path} ${status} ${JSON.stringify(headers)}`);
      return '';
    },
  });
});

interface Sent {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Requests that a foreign page may make a browser send, by a form or a script, also after DNS rebinding. */
function foreignRequest(random: Random): Sent {
  const isRebound = random() < 0.2;
  const site = drawn(FETCH_SITES, random);
  const origin = isRebound ? 'http://evil.example:9889' : drawn(FOREIGN, random);
  return {
    path: drawn(['/-/refresh', '/-/reload', '/-/refresh?x=1'], random),
    headers: {
      host: isRebound ? 'evil.example:9889' : OWN,
      origin,
      ...(site === undefined ? {} : { 'sec-fetch-site': isRebound ? 'same-origin' : site }),
      'content-type': drawn(TYPES, random),
    },
    body: drawn(BODIES, random),
  };
}

function ownRequest(random: Random): Sent {
  const headers = drawn<Readonly<Record<string, string>>>(
    [
      {},
      { 'user-agent': 'curl/8' },
      { origin: `http://${OWN}` },
      { origin: `http://${OWN.toUpperCase()}`, 'sec-fetch-site': 'same-origin' },
      { origin: `https://${ALLOWED}` },
      { 'sec-fetch-site': 'none' },
    ],
    random,
  );
  const host = headers['origin']?.startsWith('http://')
    ? OWN
    : drawn([OWN, '10.0.0.7:9889', 'localhost'], random);
  return { path: drawn(['/-/refresh', '/-/reload'], random), headers: { ...headers, host }, body: '' };
}

function send(sent: Sent): Promise<Sent & { readonly status: number }> {
  const { path, headers, body } = sent;
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    httpRequest({ port, method: 'POST', path, headers, agent: false }, (response) => {
      response.resume();
      response.once('end', () => resolve({ ...sent, status: response.statusCode ?? 0 }));
    })
      .on('error', reject)
      .end(body);
  });
}
