import { gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Client, IdentityOfAnswers } from '../../src/client/client.ts';
import { ConfigError, messageOf, PlatformError } from '../../src/text/errors.ts';
import { startProxy } from '../support/proxy.ts';
import { waitFor } from '../support/wait-for.ts';
import {
  answers,
  createTestClient,
  failureOf,
  KEY,
  letTimePass,
  startServer,
  tokensRequest,
} from './platform-server.ts';

describe('a request', () => {
  test('carries the key, the accepted type and the user agent', async () => {
    const server = await startServer(answers({ body: '{"data":[]}' }));
    const { client, codes } = createTestClient(server.url);
    const answer = await client.get(tokensRequest({ startDate: '2026-11-18', endDate: '2026-11-19' }));
    expect(answer).toMatchObject({ body: { data: [] }, bytes: 11 });
    expect(server.requests[0]?.url).toBe('/api/v1/analytics/tokens?startDate=2026-11-18&endDate=2026-11-19');
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      accept: 'application/json',
      'user-agent': 'agent-platform-exporter/1.2.3',
    });
    expect(codes).toEqual(['200']);
  });

  test('carries the headers of its platform in place of those, with the key as it is then', async () => {
    const server = await startServer(answers({}));
    const { client } = createTestClient(server.url, {
      headers: (key) => ({
        Accept: 'application/vnd.test+json',
        'X-Api-Key': key,
        'X-Version': '2026-03-10',
      }),
    });
    await client.get(tokensRequest());
    expect(server.requests[0]?.headers).toMatchObject({
      ...{ accept: 'application/vnd.test+json', 'x-api-key': KEY, 'x-version': '2026-03-10' },
      'user-agent': 'agent-platform-exporter/1.2.3',
    });
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
  });

  test.each([
    'application/vnd.github+json; charset=utf-8',
    'application/problem+json',
    'text/plain',
    'application/octet-stream',
  ])('takes JSON that is called %s', async (type) => {
    const server = await startServer(answers({ headers: { 'content-type': type }, body: '{"data":[7]}' }));
    const { client } = createTestClient(server.url);
    expect((await client.get(tokensRequest())).body).toEqual({ data: [7] });
  });

  test('says what an error of another media type says', async () => {
    const headers = { 'content-type': 'application/problem+json' };
    const server = await startServer(answers({ status: 404, headers, body: '{"message":"Not Found"}' }));
    const { client } = createTestClient(server.url);
    expect((await failureOf(client.get(tokensRequest()))).message).toMatch(/answered 404: Not Found$/);
  });

  test('goes to the host it names, below the path of the base URL', async () => {
    const api = await startServer(answers({}));
    const app = await startServer(answers({}));
    const { client } = createTestClient(api.url, { baseUrl: `${api.url}/gateway/`, appUrl: app.url });
    await client.get(tokensRequest());
    await client.get({ endpoint: 'readiness', host: 'app', path: '/api/organization/x', query: {} });
    expect(api.requests.map(({ url }) => url)).toEqual(['/gateway/api/v1/analytics/tokens']);
    expect(app.requests.map(({ url }) => url)).toEqual(['/api/organization/x']);
  });

  test('uses a rotated key on the next attempt, and keeps its connection', async () => {
    const keys = ['first-key', 'second-key'];
    const ports = new Set<number | undefined>();
    const server = await startServer((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('{}');
    });
    const { client } = createTestClient(server.url, { credential: async () => keys.shift() ?? '' });
    await client.get(tokensRequest());
    await client.get(tokensRequest());
    expect(server.requests.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer first-key',
      'Bearer second-key',
    ]);
    expect(ports.size).toBe(1);
  });

  test('reads compressed answers and counts their unpacked size', async () => {
    const body = JSON.stringify({ data: 'x'.repeat(5_000) });
    const server = await startServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync(body));
    });
    const { client } = createTestClient(server.url);
    expect((await client.get(tokensRequest())).bytes).toBe(body.length);
  });

  test.each([
    ['socks5://user:secret@proxy:1080', 'HTTPS_PROXY must begin with http:// or https://'],
    ['http://', 'HTTPS_PROXY is not a URL'],
  ])('is not made where the proxy is %s', (HTTPS_PROXY, message) => {
    const create = () => createTestClient('http://127.0.0.1:1', { proxy: { HTTPS_PROXY } });
    expect(create).toThrow(ConfigError);
    expect(create).toThrow(message);
  });

  test('goes through a proxy where one is given, but not to this machine', async () => {
    const proxy = await startServer(answers({ body: '{"by":"proxy"}' }));
    const direct = await startServer(answers({ body: '{"by":"server"}' }));
    const { client } = createTestClient(direct.url, {
      appUrl: 'http://app.invalid',
      proxy: { HTTP_PROXY: proxy.url.replace('http://', ''), HTTPS_PROXY: '' },
    });
    const app = { endpoint: 'readiness', host: 'app', path: '/reports', query: {} } as const;
    expect((await client.get(app)).body).toEqual({ by: 'proxy' });
    expect(proxy.requests[0]?.url).toBe('http://app.invalid/reports');
    expect((await client.get(tokensRequest())).body).toEqual({ by: 'server' });
  });

  test('goes through no proxy but the one that is given, whatever the environment says', async () => {
    const direct = await startServer(answers({ body: '{"by":"server"}' }));
    for (const name of ['http_proxy', 'HTTP_PROXY', 'all_proxy']) vi.stubEnv(name, 'http://127.0.0.1:1');
    for (const name of ['no_proxy', 'NO_PROXY']) vi.stubEnv(name, '');
    onTestFinished(() => void vi.unstubAllEnvs());
    for (const proxy of [undefined, { HTTP_PROXY: 'http://proxy.invalid' }]) {
      const { client } = createTestClient(direct.url, { retries: 0, proxy });
      expect((await client.get(tokensRequest())).body).toEqual({ by: 'server' });
    }
  });

  test('fails if the proxy refuses the tunnel: the error names the proxy, and no connection is left', async () => {
    const proxy = await startProxy(407);
    const { client, codes } = createTestClient('https://api.test', { proxy: { HTTPS_PROXY: proxy.url } });
    const error = await failureOf(client.get(tokensRequest()));
    expect(error).toMatchObject({ reason: 'network', hint: expect.stringContaining('NO_PROXY') });
    const why = `the proxy ${proxy.name} opened no tunnel to api.test:443: 407 Proxy Authentication Required`;
    expect(error.message).toBe(`GET /api/v1/analytics/tokens: ${why}`);
    expect(codes).toEqual(Array(5).fill('network'));
    await waitFor(() => proxy.open() === 0, { seen: proxy.open });
  });

  test.each([
    [
      'cannot be reached',
      'http://127.0.0.1:1',
      'connection refused (api.test:80, through the proxy 127.0.0.1:1)',
    ],
    [
      'closes the connection',
      undefined,
      'the peer closed the connection (api.test:80, through the proxy 127.0.0.1:',
    ],
  ])('fails over plain HTTP if the proxy %s: the error names it', async (_, url, words) => {
    const proxy = await startServer((_request, response) => response.destroy());
    const { client } = createTestClient('http://api.test', {
      proxy: { HTTP_PROXY: url ?? proxy.url },
      retries: 0,
    });
    expect((await failureOf(client.get(tokensRequest()))).message).toContain(words);
  });

  test('names the proxy if there is no answer in time', async () => {
    const proxy = await startProxy('mute');
    const { client } = createTestClient('https://api.test', {
      proxy: { HTTPS_PROXY: proxy.url },
      retries: 0,
      timeoutMs: 500,
    });
    const error = await failureOf(client.get(tokensRequest()));
    expect(error.reason).toBe('timeout');
    expect(error.message).toContain(`the proxy ${proxy.name}`);
    await waitFor(() => proxy.open() === 0, { seen: proxy.open });
  });
});

describe('too much', () => {
  test.each([
    ['announced', { 'content-length': '2000' }],
    ['not announced', { 'transfer-encoding': 'chunked' }],
  ])(
    'an answer over the limit, %s, fails as too large and is not asked for again',
    async (_case, headers) => {
      const server = await startServer(answers({ headers, body: 'x'.repeat(2_000) }));
      const { client, codes } = createTestClient(server.url, { maxResponseBytes: 1_000 });
      const error = await failureOf(client.get(tokensRequest()));
      expect(error).toMatchObject({ reason: 'limit', tooLarge: true, status: 200 });
      expect(codes).toEqual(['200']);
      client.close();
    },
  );

  test('a small body that unpacks to more than the limit is stopped', async () => {
    const server = await startServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' });
      response.end(gzipSync(Buffer.alloc(10_000_000)));
    });
    const { client } = createTestClient(server.url, { maxResponseBytes: 100_000 });
    expect(await failureOf(client.get(tokensRequest()))).toMatchObject({ reason: 'limit', tooLarge: true });
  });

  test('a small body that needs too much memory once parsed is stopped, and the error names the option', async () => {
    const body = gzipSync('['.repeat(1_000_000));
    const headers = { 'content-encoding': 'gzip' };
    const server = await startServer((_request, response) => response.writeHead(200, headers).end(body));
    const { client } = createTestClient(server.url, { maxResponseBytes: 2_000_000 });
    const error = await failureOf(client.get(tokensRequest()));
    expect(error).toMatchObject({ reason: 'limit', tooLarge: true });
    expect(error.message).toContain('api.max_response_bytes');
    expect(error.hint).toContain('--api.max-response-bytes');
    expect(server.requests).toHaveLength(1);
  });

  const large = JSON.stringify({ data: Array(70).fill([]) });
  const listing = {
    ...{ ...tokensRequest(), cursorParameter: 'cursor', idOf: () => undefined },
    read: (body: unknown) => ({ items: [body], next: undefined }),
  };
  test.each<[string, Parameters<typeof answers>[0], (client: Client) => Promise<unknown>]>([
    ['is read', { body: large }, (client) => client.get(tokensRequest())],
    ['is a page', { body: large }, (client) => client.pages(listing, () => undefined)],
    [
      'is a page that cannot be read',
      { body: large },
      (client) => client.pages({ ...listing, read: () => JSON.parse('') }, () => undefined).catch(messageOf),
    ],
    ['is not JSON', { body: large.slice(1) }, (client) => failureOf(client.get(tokensRequest()))],
    ['is too large', { body: large + large }, (client) => failureOf(client.get(tokensRequest()))],
  ])('the memory of an answer that %s is given back', async (_case, answer, ask) => {
    const server = await startServer(answers(answer));
    const { client } = createTestClient(server.url, { maxResponseBytes: 1_300, retries: 0 });
    for (let round = 0; round < 4; round++)
      expect(await ask(client)).not.toMatchObject({ reason: 'timeout' });
  });

  test('the memory of an answer that is not admitted is given back, and that of what is asked about it', async () => {
    const server = await startServer(answers({ body: large }));
    const identity: IdentityOfAnswers = {
      async accept(request, _answer, more) {
        await more(request);
        throw new PlatformError('organization', 'of another one');
      },
    };
    const { client } = createTestClient(server.url, { maxResponseBytes: 1_300, identity });
    for (let round = 0; round < 4; round++)
      expect(await failureOf(client.get(tokensRequest()))).toMatchObject({ reason: 'organization' });
  });

  test('the status 413 says that a smaller request could succeed', async () => {
    const server = await startServer(answers({ status: 413, body: '' }));
    const { client } = createTestClient(server.url);
    expect(await failureOf(client.get(tokensRequest()))).toMatchObject({ reason: 'limit', tooLarge: true });
    expect(server.requests).toHaveLength(1);
  });
});

describe('time', () => {
  test.each([
    ['before the headers', () => undefined],
    ['in the middle of the body', (response: { write(text: string): void }) => response.write('{"data":')],
    ['in the middle of an endless error', undefined],
  ])('an answer that stops %s times out', async (_case, begin) => {
    const server = await startServer((_request, response) => {
      if (begin === undefined) response.writeHead(400).write('half a sentence');
      else begin(response);
    });
    const timeoutMs = 60_000;
    const { client, codes } = createTestClient(server.url, { timeoutMs, retries: 1 });
    const error = await letTimePass(server, timeoutMs, { heads: begin === undefined }, () =>
      failureOf(client.get(tokensRequest())),
    );
    if (begin === undefined) expect(error).toMatchObject({ reason: 'server', status: 400 });
    else {
      expect(error).toMatchObject({
        reason: 'timeout',
        message: expect.stringContaining('no answer within the timeout'),
        hint: expect.stringContaining('--api.timeout'),
      });
      expect(codes).toEqual(['timeout', 'timeout']);
    }
  });

  test('closing ends what is under way', async () => {
    const { promise: arrived, resolve } = Promise.withResolvers<void>();
    const server = await startServer(() => resolve());
    const { client } = createTestClient(server.url);
    const failing = failureOf(client.get(tokensRequest()));
    await arrived;
    client.close();
    expect(await failing).toMatchObject({ reason: 'network', message: expect.stringContaining('closed') });
    expect(server.requests).toHaveLength(1);
  });
});
