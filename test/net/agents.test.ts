import { once } from 'node:events';
import { createServer as createPlainServer, get } from 'node:http';
import { createServer, request } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import tls from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type AgentPool, createAgentPool } from '../../src/net/agents.ts';
import { ProxyError, proxyIn } from '../../src/net/proxy.ts';
import { parseProxies } from '../../src/net/proxy-address.ts';
import { ConfigError } from '../../src/text/errors.ts';
import { startProxy, type TestProxy } from '../support/proxy.ts';
import { waitFor } from '../support/wait-for.ts';
import { issue } from '../web-config/certificate.ts';

/** More than any machine needs: what must end before it does not depend on it. */
const generousMs = 300_000;

function poolOf(proxy: TestProxy, limitMs = generousMs): AgentPool {
  const settings = { HTTPS_PROXY: proxy.url };
  const pool = createAgentPool({ keepAlive: true, maxSockets: 2, limitMs, proxy: settings });
  onTestFinished(() => pool.destroy());
  return pool;
}

/** The body of an answer, or the error. */
function ask(
  pool: AgentPool,
  url = 'https://api.test/path',
  more: { readonly signal?: AbortSignal; readonly ca?: string } = {},
): Promise<string | Error> {
  const { agent } = pool.for(new URL(url));
  return new Promise((resolve) => {
    const asked = request(url, { agent, ...more }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        body += part;
      });
      response.on('end', () => resolve(body));
    });
    asked.on('error', resolve);
    asked.end();
  });
}

async function noneOpen(proxy: TestProxy): Promise<void> {
  await waitFor(() => proxy.open() === 0, { what: 'no open connection', seen: proxy.open });
}

describe('a proxy that opens no tunnel', () => {
  test.each([
    [403, '403 Forbidden'],
    [407, '407 Proxy Authentication Required'],
    [503, '503 Service Unavailable'],
    [299, '299'],
  ])('answers %i: the connection is closed, and the error names the proxy', async (status, why) => {
    const proxy = await startProxy(status);
    const error = await ask(poolOf(proxy));
    expect(error).toBeInstanceOf(ProxyError);
    expect(error).toMatchObject({
      code: 'PROXY_REFUSED',
      message: `the proxy ${proxy.name} opened no tunnel to api.test:443: ${why}`,
    });
    await noneOpen(proxy);
  });

  test('a hundred times leaves no connection, for each way to fail', async () => {
    for (const answer of [403, 407, 503, 'silence', 'mute'] as const) {
      const proxy = await startProxy(answer);
      const pool = poolOf(proxy, answer === 'silence' ? 1 : generousMs);
      for (let nth = 1; nth <= 100; nth += 1) {
        const stop = new AbortController();
        const asked = ask(pool, 'https://api.test', { signal: stop.signal });
        if (answer === 'mute') {
          await waitFor(() => proxy.heads.length === nth);
          stop.abort();
        }
        expect(await asked).toBeInstanceOf(Error);
      }
      await noneOpen(proxy);
    }
  });

  test('is not waited for longer than a request may take', async () => {
    const proxy = await startProxy('silence');
    const message = `the proxy ${proxy.name} opened no tunnel to api.test:443: no answer in time`;
    expect(await ask(poolOf(proxy, 20))).toMatchObject({ code: 'ETIMEDOUT', message });
    await noneOpen(proxy);
  });

  test('sends a page after its 200: that fails at once', async () => {
    const proxy = await startProxy('page');
    expect(await ask(poolOf(proxy))).toMatchObject({ code: 'ERR_SSL_WRONG_VERSION_NUMBER' });
    await noneOpen(proxy);
  });

  test('is not there: the error names it', async () => {
    const proxy = { ...(await startProxy(403)), url: 'http://127.0.0.1:1' };
    expect(await ask(poolOf(proxy))).toMatchObject({
      code: 'ECONNREFUSED',
      message: 'the proxy 127.0.0.1:1 opened no tunnel to api.test:443: ECONNREFUSED',
    });
  });

  test.each(['silence', 'mute'] as const)('by %s: closing the pool ends it at once', async (answer) => {
    const proxy = await startProxy(answer);
    const pool = poolOf(proxy);
    const asked = [ask(pool), ask(pool, 'https://other.test')];
    await waitFor(() => proxy.heads.length === 2);
    pool.destroy();
    for (const outcome of await Promise.all(asked)) expect(outcome).toBeInstanceOf(Error);
    await noneOpen(proxy);
  });
});

/** A certificate for a proxy that this process trusts during one test. */
function trustedProxy() {
  const own = issue({ name: 'proxy', dns: ['localhost'] });
  const before = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...before, own.certificate]);
  onTestFinished(() => tls.setDefaultCACertificates(before));
  return own;
}

describe('a proxy that opens tunnels', () => {
  async function startTarget(names: readonly string[]): Promise<{ port: number; ca: string }> {
    const issued = issue({ name: 'target', dns: names, ips: [[...Buffer.alloc(15), 7]] });
    const server = createServer({ cert: issued.certificate, key: issued.key }, (asked, response) =>
      response.end(`${asked.headers.host} ${asked.url} ${asked.headers['proxy-authorization'] ?? ''}`),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    return { port: (server.address() as AddressInfo).port, ca: issued.certificate };
  }

  test.each(['http', 'https'])('over %s gets the credentials, and its tunnel is reused', async (scheme) => {
    const { port, ca } = await startTarget(['api.test']);
    const own = scheme === 'https' ? trustedProxy() : undefined;
    const proxy = await startProxy({ port }, own);
    const pool = poolOf(proxy);
    expect(await ask(pool, undefined, { ca })).toBe('api.test /path ');
    expect(await ask(pool, undefined, { ca })).toBe('api.test /path ');
    expect(proxy.heads).toEqual([expect.stringMatching(/^CONNECT api\.test:443 HTTP\/1\.1\r\n/)]);
    expect(proxy.heads[0]).toContain(`\r\nProxy-Authorization: Basic ${btoa('user:secret')}\r\n`);
    expect(proxy.heads[0]).toContain('\r\nHost: api.test:443\r\n');
    pool.destroy();
    await noneOpen(proxy);
  });

  test('to an address of IPv6, in brackets', async () => {
    const { port, ca } = await startTarget([]);
    const proxy = await startProxy({ port });
    expect(await ask(poolOf(proxy), 'https://[::7]:8443/x', { ca })).toBe('[::7]:8443 /x ');
    expect(proxy.heads[0]).toMatch(/^CONNECT \[::7\]:8443 /);
  });

  test('to a host with a certificate for another name: the error is that of the certificate', async () => {
    const { port, ca } = await startTarget(['other.test']);
    const proxy = await startProxy({ port });
    const error = await ask(poolOf(proxy), undefined, { ca });
    expect(error).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    await noneOpen(proxy);
  });
});

describe('a proxy for plain HTTP', () => {
  test.each(['http', 'https'])('over %s gets the whole address and the credentials', async (scheme) => {
    const proxy = await startProxy(200, scheme === 'https' ? trustedProxy() : undefined);
    const settings = { HTTP_PROXY: proxy.url, NO_PROXY: 'direct.test' };
    const pool = createAgentPool({ keepAlive: true, maxSockets: 1, limitMs: generousMs, proxy: settings });
    onTestFinished(() => pool.destroy());
    const url = new URL('http://api.test:8080/path');
    const { agent, proxy: name } = pool.for(url);
    const body = new Promise((resolve, reject) => {
      get(url, { agent }, (response) => resolve(text(response))).on('error', reject);
    });
    expect(await body).toBe('no\n');
    expect(name).toBe(proxy.name);
    expect(proxy.heads).toEqual([expect.stringMatching(/^GET http:\/\/api\.test:8080\/path HTTP\/1\.1\r\n/)]);
    expect(proxy.heads[0]?.toLowerCase()).toContain(
      `\r\nproxy-authorization: basic ${btoa('user:secret').toLowerCase()}\r\n`,
    );
    expect(pool.for(new URL('http://direct.test')).proxy).toBeUndefined();
  });
});

describe('the variables of an environment', () => {
  test('are upper case, or lower case where that is empty', () => {
    const lower = { http_proxy: 'a', https_proxy: 'b', no_proxy: 'c' };
    expect(proxyIn({})).toEqual({});
    expect(proxyIn(lower)).toEqual({ HTTP_PROXY: 'a', HTTPS_PROXY: 'b', NO_PROXY: 'c' });
    expect(proxyIn({ ...lower, HTTP_PROXY: '', HTTPS_PROXY: 'B', NO_PROXY: 'C' })).toEqual({
      HTTP_PROXY: 'a',
      HTTPS_PROXY: 'B',
      NO_PROXY: 'C',
    });
  });
});

describe('the address of a proxy', () => {
  test.each([
    ['socks5://user:secret@proxy:1080', 'HTTPS_PROXY must begin with http:// or https://'],
    ['http://', 'HTTPS_PROXY is not a URL'],
    ['user:secret@proxy:99999', 'HTTPS_PROXY is not a URL'],
    ['http://user:%zz@proxy', 'HTTPS_PROXY contains credentials with an invalid percent-encoding'],
  ])('%s is refused without being repeated', (HTTPS_PROXY, message) => {
    const parse = () => parseProxies({ HTTPS_PROXY });
    expect(parse).toThrow(ConfigError);
    expect(parse).toThrow(new RegExp(`^${message}$`));
  });

  test.each([
    ['proxy.test:3128', { secure: false, name: 'proxy.test:3128' }],
    [' http://proxy.test ', { secure: false, name: 'proxy.test:80' }],
    ['https://proxy.test/', { secure: true, name: 'proxy.test:443' }],
    ['http://[fd00::1]:3128', { secure: false, name: '[fd00::1]:3128', host: 'fd00::1', port: 3128 }],
  ])('%s is understood', (HTTPS_PROXY, expected) => {
    const find = parseProxies({ HTTPS_PROXY, NO_PROXY: 'direct.test' });
    expect(find(new URL('https://api.test'))).toMatchObject(expected);
    expect(find(new URL('https://api.direct.test'))).toBeUndefined();
    // The other scheme has a variable of its own.
    expect(find(new URL('http://api.test'))).toBeUndefined();
  });
});

test('a connection is closed once it was free for a while, and not while it waits for an answer', async () => {
  const server = createPlainServer({ keepAliveTimeout: 0 }, async (_, response) => {
    await waitFor(() => timedOut);
    response.end('late');
  });
  let timedOut = false;
  const open = new Set<Socket>();
  server.on('connection', (socket) => open.add(socket.once('close', () => open.delete(socket))));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const pool = createAgentPool({ keepAlive: true, maxSockets: 1, limitMs: generousMs, timeout: 1 });
  onTestFinished(() => pool.destroy());
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const asked = get(url, { agent: pool.for(url).agent });
  asked.once('socket', (socket) =>
    socket.once('timeout', () => {
      timedOut = true;
    }),
  );
  const [response] = await once(asked, 'response');
  expect(await text(response)).toBe('late');
  await waitFor(() => expect(open.size).toBe(0));
});
