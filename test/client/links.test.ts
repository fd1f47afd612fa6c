import dns from 'node:dns';
import { createServer } from 'node:https';
import { type AddressInfo, isIP } from 'node:net';
import tls from 'node:tls';
import { inspect } from 'node:util';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { isObject } from '../../src/catalog/object.ts';
import { type RowsRequest, UnexpectedAnswer } from '../../src/catalog/source.ts';
import type { PlatformClientDeps } from '../../src/client/client.ts';
import { createLinks } from '../../src/client/links.ts';
import { createAgentPool } from '../../src/net/agents.ts';
import { sendByAxios } from '../../src/net/axios-transport.ts';
import { HttpClient } from '../../src/net/http-client.ts';
import type { PlatformError } from '../../src/text/errors.ts';
import { startProxy } from '../support/proxy.ts';
import { issue } from '../web-config/certificate.ts';
import {
  type Answer,
  answers,
  createTestClient,
  failureOf,
  KEY,
  letTimePass,
  startServer,
} from './platform-server.ts';

const PATH = '/orgs/octo-org/reports/users-1-day';
const SIGNED = '/acme/part.ndjson?sig=S1gnatureOfTheLink%2Bx&se=2026';
const SECRET = /part\.ndjson|S1gnature|acme\/|se=2026/i;
const MIB = 1024 * 1024;

const report: RowsRequest<unknown[]> = {
  ...{ endpoint: 'users', host: 'api', path: PATH, query: { day: '2026-11-18' } },
  linksOf(body) {
    const links = isObject(body) ? body['links'] : undefined;
    if (!Array.isArray(links)) throw new UnexpectedAnswer('links', body);
    return links;
  },
  start: () => [],
  add: (sum, row) => void sum.push(row),
};

/** An API that names these links, and the client that asks it. */
async function platformOf(links: readonly unknown[], overrides: Partial<PlatformClientDeps> = {}) {
  const api = await startServer(answers({ body: JSON.stringify({ links }) }));
  return { api, ...createTestClient(api.url, { linkHosts: ['127.0.0.1'], ...overrides }) };
}

/** A host of files, and a platform whose report has one link to it. */
async function reportAt(answer: Answer, overrides: Partial<PlatformClientDeps> = {}) {
  const files = await startServer(answer);
  return { files, ...(await platformOf([`${files.url}${SIGNED}`], overrides)) };
}

/** Lets these names have these addresses, for one test; returns the names that were looked up. */
function resolveAs(addresses: Readonly<Record<string, readonly string[]>>) {
  const asked: string[] = [];
  const lookup: unknown = (name: string, ...rest: unknown[]) => {
    const done = rest.at(-1) as (error: Error | null, found?: unknown, family?: number) => void;
    // A server looks up the address that it listens on.
    if (isIP(name) !== 0) return done(null, name, isIP(name));
    asked.push(name);
    const found = (addresses[name] ?? []).map((address) => ({ address, family: isIP(address) }));
    done(found.length === 0 ? new Error(`unexpected name ${name}`) : null, found);
  };
  const spy = vi.spyOn(dns, 'lookup').mockImplementation(lookup as typeof dns.lookup);
  onTestFinished(() => spy.mockRestore());
  return asked;
}

function toldBy(error: PlatformError): string {
  return (
    inspect(error, { depth: 20, showHidden: true, getters: true }) +
    JSON.stringify(error) +
    String(error.hint)
  );
}

describe('a link', () => {
  test('is asked without the key, the headers of the platform or a cookie', async () => {
    const files = await startServer(answers({ body: '{"a":1}\n' }));
    const api = await startServer(
      answers({
        headers: { 'set-cookie': 'session=1; Path=/' },
        body: JSON.stringify({ links: [`${files.url}${SIGNED}`] }),
      }),
    );
    const headers = (key: string) => ({
      'x-api-key': key,
      authorization: `Bearer ${key}`,
      'X-Version': '2026-03-10',
    });
    const { client, codes } = createTestClient(api.url, { linkHosts: ['127.0.0.1'], headers });
    expect(await client.lines(report)).toMatchObject({ sums: [[{ a: 1 }]] });
    const [asked] = files.requests;
    expect(asked?.url).toBe(SIGNED);
    expect(Object.keys(asked?.headers ?? {}).sort()).toEqual(
      ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'].sort(),
    );
    expect(JSON.stringify(asked?.headers)).not.toContain(KEY);
    expect(codes).toEqual(['200', '200']);
  });

  test('is followed by the next one: each has a sum of its own', async () => {
    const files = await startServer(
      (request, response) => void response.end(`${JSON.stringify(request.url)}\n`),
    );
    const links = ['/1', '/2', '/3'].map((part) => `${files.url}${part}`);
    const { client } = await platformOf(links);
    expect(await client.lines(report)).toEqual({
      sums: [['/1'], ['/2'], ['/3']],
      bytes: 15 + JSON.stringify({ links }).length,
    });
  });

  test('is not there yet as long as the report is not', async () => {
    const api = await startServer(answers({ status: 204, body: '' }));
    const { client } = createTestClient(api.url);
    expect(await client.lines({ ...report, mayBeUnready: true })).toBeUndefined();
    expect(await failureOf(client.lines(report))).toMatchObject({ reason: 'schema', status: 204 });
  });

  test('that has no content is a failure, though its report may be one that is not there yet', async () => {
    const { client } = await reportAt(answers({ status: 204, body: '' }), { retries: 0 });
    const error = await failureOf(client.lines({ ...report, mayBeUnready: true }));
    expect(error.message).toContain('answered 204');
  });

  test('is one of a hundred at most', async () => {
    const { client } = await platformOf(Array.from({ length: 101 }, () => 'https://127.0.0.1/'));
    expect((await failureOf(client.lines(report))).message).toContain('more than 100 links');
  });

  test('counts as a request of its report: by pace, quota, endpoint and path', async () => {
    const events: unknown[] = [];
    const files = await startServer(
      answers({ status: 503 }, { headers: { date: 'Thu, 01 Jan 1970 00:00:00 GMT' }, body: '1\n' }),
    );
    let quota = 0;
    let paced = 0;
    async function take() {
      paced += 1;
    }
    const limiter = { take, setRate: () => undefined, restart: () => undefined };
    const { client } = await platformOf([`${files.url}${SIGNED}`], {
      observer: {
        request: ({ seconds: _, date, ...event }) => events.push({ ...event, hasDate: date !== undefined }),
        retry: (event) => events.push(event),
      },
      dailyQuota: {
        take: async () => {
          quota += 1;
          return undefined;
        },
      },
      limiter,
    });
    await client.lines(report);
    const event = { org: 'acme', endpoint: 'users', path: PATH };
    expect(events).toEqual([
      { ...event, code: '200', hasDate: true },
      { ...event, code: '503', hasDate: false },
      { org: 'acme', endpoint: 'users' },
      { ...event, code: '200', hasDate: false },
    ]);
    expect([quota, paced]).toEqual([3, 3]);
  });

  test('that asks for a pause holds its organization', async () => {
    const { client, holds, files } = await reportAt(
      answers({ status: 429, headers: { 'retry-after': '900' }, body: 'no' }),
    );
    const error = await failureOf(client.lines(report));
    expect(error).toMatchObject({ reason: 'throttled', status: 429 });
    expect(holds.active().map(({ scope }) => scope)).toEqual(['organization']);
    await failureOf(client.lines(report));
    expect(files.requests).toHaveLength(1);
  });

  test('is one of four requests at a time', async () => {
    const open: (() => void)[] = [];
    let most = 0;
    const { client } = await reportAt((_request, response) => {
      open.push(() => void response.end('1\n'));
      most = Math.max(most, open.length);
      if (open.length === 4) for (const finish of open.splice(0)) finish();
    });
    await Promise.all(Array.from({ length: 8 }, () => client.lines(report)));
    expect(most).toBe(4);
  });
});

describe('a link that its host refuses', () => {
  test.each([401, 403, 404])('with %i is asked for anew, once, and the rows count once', async (status) => {
    const files = await startServer(
      answers({ body: '{"a":1}\n' }, { status }, { body: '{"a":1}\n' }, { body: '{"a":2}\n' }),
    );
    const { client, api, codes, retried } = await platformOf([`${files.url}/1`, `${files.url}/2`]);
    expect((await client.lines(report))?.sums).toEqual([[{ a: 1 }], [{ a: 2 }]]);
    expect(api.requests).toHaveLength(2);
    expect(codes).toEqual(['200', '200', String(status), '200', '200', '200']);
    expect(retried).toEqual([]);
  });

  test.each([401, 403, 404])(
    'with %i again is a failure of the server, and not of the key',
    async (status) => {
      const { client, api, files } = await reportAt(
        answers({ status, body: `<Message>${SIGNED}</Message>` }),
      );
      const error = await failureOf(client.lines(report));
      expect(error.reason).toBe('server');
      expect(error.status).toBeUndefined();
      expect(error.message).toBe(`GET ${PATH}, its link to 127.0.0.1 answered ${status}`);
      expect(error.hint).toContain('another link');
      expect([api.requests.length, files.requests.length]).toEqual([2, 2]);
    },
  );

  test('may have a report that is not there any more', async () => {
    const files = await startServer(answers({ status: 404 }));
    const api = await startServer(
      answers({ body: JSON.stringify({ links: [files.url] }) }, { status: 204, body: '' }),
    );
    const { client } = createTestClient(api.url, { linkHosts: ['127.0.0.1'] });
    expect(await client.lines({ ...report, mayBeUnready: true })).toBeUndefined();
  });

  test.each([301, 302, 303, 307, 308])('with the redirect %i is not followed', async (status) => {
    const other = await startServer(answers({ body: '1\n' }));
    const { client, api } = await reportAt(
      answers({ status, headers: { location: `${other.url}${SIGNED}` } }),
    );
    const error = await failureOf(client.lines(report));
    expect(error).toMatchObject({ reason: 'server', status });
    expect(error.message).toMatch(/answered \d+, a redirect, which is not followed$/);
    expect([other.requests, api.requests.length]).toEqual([[], 1]);
  });

  test('for a time is asked again', async () => {
    const { client, codes } = await reportAt(answers({ status: 500 }, { status: 503 }, { body: '1\n' }));
    expect((await client.lines(report))?.sums).toEqual([[1]]);
    expect(codes).toEqual(['200', '500', '503', '200']);
  });
});

describe('the host of a link', () => {
  const hosts = [
    'example.com',
    '.parts.test',
    'files.corp.test',
    '127.0.0.1',
    '10.1.2.3',
    'fd00:0::7',
    'BÜCHER.example',
  ];

  test.each([
    'https://evilexample.com/x',
    'https://example.com.evil.test/x',
    'https://example.co/x',
    'https://com/x',
    'https://xn--example.com-/x',
    'https://corp.test/x',
    'https://10.1.2.4/x',
    'https://192.168.1.1/x',
    'https://[fd00::8]/x',
    'https://8.8.8.8/x',
    'https://1.127.0.0.1.test/x',
  ])('%s is not asked', async (link) => {
    const asked = resolveAs({});
    const { client, codes } = await platformOf([link], { linkHosts: hosts });
    const { reason, message } = await failureOf(client.lines(report));
    expect([reason, message]).toEqual(['server', expect.stringMatching(/not allowed$|not public$/)]);
    expect([asked, codes]).toEqual([[], ['200']]);
  });

  test.each([
    ['https://example.com:1/x', 'example.com'],
    ['https://a.b.example.com:1/x', 'a.b.example.com'],
    ['https://EXAMPLE.com.:1/x', 'example.com.'],
    ['https://parts.test:1/x', 'parts.test'],
    ['https://one.parts.test:1/x', 'one.parts.test'],
    ['https://b%C3%BCcher.example:1/x', 'xn--bcher-kva.example'],
  ])('%s is looked up', async (link, name) => {
    const asked = resolveAs({});
    const { client } = await platformOf([link], { linkHosts: hosts, retries: 0 });
    const error = await failureOf(client.lines(report));
    expect([asked, error.reason]).toEqual([[name], 'network']);
  });

  test('that is not allowed is named together with the line that allows it', async () => {
    const { client } = await platformOf([`https://files.octo.test${SIGNED}`]);
    const error = await failureOf(client.lines(report));
    expect(error.message).toBe(`GET ${PATH} answered a link to files.octo.test, a host that is not allowed`);
    expect(error.hint).toContain('link_hosts: ["files.octo.test"]');
    expect(toldBy(error)).not.toMatch(SECRET);
  });

  test.each([
    ['a private address of IPv4', ['10.0.0.1']],
    ['the address of the metadata', ['169.254.169.254']],
    ['a link-local address', ['fe80::1']],
    ['a unique local address', ['fd12::1']],
    ['a mapped address', ['::ffff:192.168.0.1']],
    ['a private address among public ones', ['8.8.8.8', '172.16.0.1']],
    ['an address of this machine', ['127.0.0.1']],
  ])('with %s is not asked, unless it is named itself', async (_case, addresses) => {
    resolveAs({ 'files.example.com': addresses });
    const { client, codes } = await platformOf([`https://files.example.com:1${SIGNED}`], {
      ...{ linkHosts: ['example.com', '.files.example.com'], retries: 4 },
    });
    const error = await failureOf(client.lines(report));
    expect(error.message).toBe(
      `GET ${PATH} answered a link to files.example.com, whose address is not public`,
    );
    expect(error.hint).toContain('link_hosts: ["files.example.com"]');
    expect(codes).toEqual(['200', 'network']);
    expect(toldBy(error)).not.toMatch(SECRET);
  });

  test('is looked up for each connection, so that no other address is asked than those that were checked', async () => {
    const files = await startServer((_request, response) => {
      response.writeHead(503, { connection: 'close' }).end();
    });
    const { port } = new URL(files.url);
    const addresses = { localhost: ['127.0.0.1'] };
    const asked = resolveAs(addresses);
    const rules = { baseUrl: files.url, linkHosts: ['localhost'] };
    const link = createLinks(rules).open(`http://localhost:${port}${SIGNED}`, 'GET /x', KEY);
    const agents = createAgentPool({ keepAlive: true, maxSockets: 4, limitMs: 60_000 });
    onTestFinished(() => agents.destroy());
    const http = new HttpClient({ agents, transport: sendByAxios });
    const ask = () =>
      http.send({ url: link.url, lookup: link.lookup, timeoutMs: 60_000 }, async ({ status }) => status);
    expect(await ask()).toBe(503);
    expect(link.refusal()).toBeUndefined();
    const elsewhere = createLinks({ ...rules, baseUrl: 'https://api.example.com' });
    expect(() => elsewhere.open(`https://127.0.0.1:${port}/`, 'GET /x', KEY)).toThrow(
      'which is this machine',
    );
    const other = elsewhere.open(`https://localhost:${port}${SIGNED}`, 'GET /x', KEY);
    await expect(
      http.send({ url: other.url, lookup: other.lookup, timeoutMs: 60_000 }, async () => 0),
    ).rejects.toThrow();
    expect(other.refusal()?.message).toContain('which is this machine');
    expect([asked, files.requests.length]).toEqual([['localhost', 'localhost'], 1]);
  });

  test('that is named itself may be private', async () => {
    const files = await startServer(answers({ body: '1\n' }));
    const { port } = new URL(files.url);
    resolveAs({ localhost: ['127.0.0.1'] });
    const { client } = await platformOf([`http://localhost:${port}${SIGNED}`], { linkHosts: ['localhost'] });
    expect((await client.lines(report))?.sums).toEqual([[1]]);
  });

  test.each([
    ['http to a host that is allowed', 'http://files.example.com/x', 'that is not https'],
    ['another scheme', 'file:///etc/passwd', 'no URL of a host'],
    ['another scheme with a host', 'ftp://files.example.com/x', 'that is not https'],
    ['a user', 'https://user@files.example.com/x', 'with credentials'],
    ['a password', 'https://:pass@files.example.com/x', 'with credentials'],
    ['the key in its query', `https://files.example.com/x?k=${KEY}`, 'with credentials'],
    ['the key in its host', `https://${KEY}.example.com/x`, 'with credentials'],
    ['no scheme', 'files.example.com/x', 'no URL of a host'],
    ['no host', 'https://', 'no URL of a host'],
    ['a path alone', '/x', 'no URL of a host'],
    ['a host of any length', `https://${'x.'.repeat(200)}example.com/`, 'no URL of a host'],
    ['any length', `https://files.example.com/${'x'.repeat(9_000)}`, 'no URL of a host'],
  ])('is not asked by a link with %s', async (_case, link, words) => {
    const asked = resolveAs({});
    const { client, codes } = await platformOf([link], { linkHosts: ['example.com'] });
    const error = await failureOf(client.lines(report));
    expect(error.message).toContain(words);
    expect(error.message.length).toBeLessThan(400);
    expect(toldBy(error)).not.toContain(KEY.slice(0, 10));
    expect([asked, codes]).toEqual([[], ['200']]);
  });

  test('is this machine only where the API is', async () => {
    const files = await startServer(answers({ body: '1\n' }));
    const { port } = new URL(files.url);
    const proxy = await startServer((request, response) => {
      response.end(JSON.stringify({ links: [request.headers['x-link']] }));
    });
    for (const [link, words] of [
      [`http://127.0.0.1:${port}/`, 'that is not https'],
      [`https://127.0.0.1:${port}/`, 'which is this machine'],
      [`https://2130706433:${port}/`, 'which is this machine'],
      [`https://0x7f.1:${port}/`, 'which is this machine'],
      [`https://[::1]:${port}/`, 'which is this machine'],
      [`https://[::ffff:127.0.0.1]:${port}/`, 'which is this machine'],
      [`https://0.0.0.0:${port}/`, 'which is this machine'],
      [`https://localhost:${port}/`, 'which is this machine'],
    ] as const) {
      const { client } = createTestClient('http://api.test', {
        proxy: { HTTP_PROXY: proxy.url },
        linkHosts: ['127.0.0.1', '::1', '::ffff:7f00:1', '0.0.0.0', 'localhost'],
        headers: () => ({ 'x-link': link }),
        retries: 0,
      });
      expect((await failureOf(client.lines(report))).message, link).toContain(words);
    }
    expect(files.requests).toEqual([]);
  });
});

/** A host of files with a certificate for this name, which this process trusts during one test. */
async function startSecure({ isTrusted }: { readonly isTrusted: boolean }) {
  const { certificate, key } = issue({ name: 'files', dns: ['files.example.com'] });
  const before = tls.getCACertificates('default');
  if (isTrusted) tls.setDefaultCACertificates([...before, certificate]);
  onTestFinished(() => tls.setDefaultCACertificates(before));
  const asked: (string | undefined)[] = [];
  const server = createServer({ cert: certificate, key }, ({ url, headers }, response) => {
    asked.push(url, headers.authorization);
    response.end('{"a":1}\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { port: (server.address() as AddressInfo).port, asked };
}

describe('over https', () => {
  test('a link is read, directly and through the proxy, which learns no more than its host', async () => {
    const { port, asked } = await startSecure({ isTrusted: true });
    resolveAs({ 'files.example.com': ['127.0.0.1'], localhost: ['127.0.0.1'] });
    const proxy = await startProxy({ port });
    for (const HTTPS_PROXY of ['', proxy.url]) {
      const { client } = await platformOf([`https://files.example.com:${port}${SIGNED}`], {
        ...{ linkHosts: ['files.example.com'], proxy: { HTTPS_PROXY } },
      });
      expect((await client.lines(report))?.sums).toEqual([[{ a: 1 }]]);
    }
    expect(asked).toEqual([SIGNED, undefined, SIGNED, undefined]);
    expect(proxy.heads).toEqual([expect.stringContaining(`CONNECT files.example.com:${port} `)]);
    expect(proxy.heads[0]).not.toMatch(SECRET);
  });

  test('the certificate of the host is verified', async () => {
    const { port, asked } = await startSecure({ isTrusted: false });
    resolveAs({ 'files.example.com': ['127.0.0.1'] });
    const { client } = await platformOf([`https://files.example.com:${port}${SIGNED}`], {
      ...{ linkHosts: ['files.example.com'], retries: 0 },
    });
    const error = await failureOf(client.lines(report));
    expect(error).toMatchObject({ reason: 'network', failedAt: 'tls' });
    expect(asked).toEqual([]);
  });
});

describe('through the proxy', () => {
  test('goes the link too, and the proxy gets no more than its host', async () => {
    const proxy = await startProxy(407);
    const { client } = await platformOf([`https://files.example.com${SIGNED}`], {
      ...{ linkHosts: ['example.com'], proxy: { HTTPS_PROXY: proxy.url }, retries: 0 },
    });
    const error = await failureOf(client.lines(report));
    expect(error.message).toBe(
      `GET ${PATH}, its link to files.example.com: the proxy ${proxy.name} opened no tunnel to files.example.com:443: 407 Proxy Authentication Required`,
    );
    expect(proxy.heads.join('')).toContain('CONNECT files.example.com:443');
    expect(proxy.heads.join('')).not.toMatch(SECRET);
  });

  test('goes no link to a private address', async () => {
    const proxy = await startProxy(407);
    const { client } = await platformOf(['https://169.254.169.254/latest/meta-data'], {
      ...{ linkHosts: ['example.com'], proxy: { HTTPS_PROXY: proxy.url }, retries: 0 },
    });
    expect((await failureOf(client.lines(report))).message).toContain('whose address is not public');
    expect(proxy.heads).toEqual([]);
  });
});

describe('an answer that is an attack, through a link', () => {
  const silence: Answer = () => undefined;
  const endless: Answer = (_request, response) => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const write = (): void => {
      while (!response.destroyed && response.write(chunk));
      if (!response.destroyed) response.once('drain', write);
    };
    write();
  };
  const echo = `no ${KEY} ${SIGNED}`;

  test.each<[string, Answer, string, string]>([
    ['an endless line', endless, 'limit', 'a line of more than 1048576 bytes'],
    ['nested brackets', answers({ body: '['.repeat(900_000) }), 'limit', 'row 1, which is too large'],
    [
      'a compressed bomb',
      (_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(64 * MIB, '7')));
      },
      'limit',
      'a line of more than 1048576 bytes',
    ],
    ['half an answer', answers({ body: `{"a":1}\n{"a":"${SIGNED}` }), 'schema', 'an incomplete last line'],
    [
      'an answer that breaks off',
      (_request, response) => void response.write('{"a":1}\n', () => response.destroy()),
      'network',
      'the answer is incomplete or damaged',
    ],
    ['a page', answers({ body: `<title>${echo}</title>` }), 'schema', 'row 1, which is not JSON'],
    [
      'an encoding that nobody asked for',
      (_request, response) => {
        response.writeHead(200, { 'content-encoding': 'br' }).end(brotliCompressSync('1\n'.repeat(100)));
      },
      'schema',
      'not JSON',
    ],
    ['nothing', answers({ body: '' }), 'schema', 'an empty body'],
    ['a part of it', answers({ status: 206, body: '1\n' }), 'server', 'answered 206'],
    ['an echo of the key and the link', answers({ status: 400, body: echo }), 'server', 'answered 400'],
    [
      'an echo in a redirect',
      answers({ status: 302, headers: { location: `/x?${KEY}` } }),
      'server',
      'answered 302',
    ],
    ['a rate that quotes it', answers({ status: 429, body: echo }), 'throttled', 'answered 429'],
    ['no answer', silence, 'timeout', 'no answer within the timeout (127.0.0.1:'],
  ])(
    'as %s is one failure, and neither link nor key is in it or in the log',
    async (_case, answer, reason, words) => {
      const timeoutMs = 60_000;
      const { client, files, log } = await reportAt(answer, { retries: 1, timeoutMs });
      const ask = () => failureOf(client.lines(report));
      const error =
        answer === silence ? await letTimePass(files, timeoutMs, { heads: false }, ask) : await ask();
      expect(error).toMatchObject({ reason, tooLarge: false });
      expect(error.message).toContain(`GET ${PATH}, its link to 127.0.0.1`);
      expect(error.message).toContain(words);
      const told =
        toldBy(error) + inspect(log.events, { depth: 20 }) + inspect(client, { depth: 20, showHidden: true });
      expect(told).not.toMatch(SECRET);
      expect(told).not.toContain(KEY.slice(0, 8));
      expect(told).not.toMatch(/axios/i);
    },
  );

  test('as a body that drips is limited in time', async () => {
    const timeoutMs = 60_000;
    const { client, files } = await reportAt((_request, response) => void response.write('{"a":1}\n'), {
      ...{ timeoutMs, retries: 0 },
    });
    const error = await letTimePass(files, timeoutMs, { heads: true }, () => failureOf(client.lines(report)));
    expect(error).toMatchObject({ reason: 'timeout' });
  });

  test.each([
    ['a link that is a number', { links: [7] }],
    ['links that are none', { links: 'https://example.com/' }],
    ['no links', {}],
    ['rows in place of links', [1, 2]],
  ])('as %s is a failure of the reader', async (_case, body) => {
    const api = await startServer(answers({ body: JSON.stringify(body) }));
    const { client } = createTestClient(api.url);
    await expect(client.lines(report)).rejects.toBeInstanceOf(Error);
  });

  test('where nothing listens names the host alone', async () => {
    const files = await startServer(answers({}));
    await files.close();
    const { client } = await platformOf([`${files.url}${SIGNED}`], { retries: 0 });
    const error = await failureOf(client.lines(report));
    expect(error).toMatchObject({ reason: 'network', hint: expect.stringContaining('keeps its reports') });
    expect(toldBy(error)).not.toMatch(SECRET);
  });
});
