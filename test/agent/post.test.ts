import dns from 'node:dns';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createPost, createSecrets, type PostRequest, readToken } from '../../src/agent/post.ts';
import type { Secret } from '../../src/agent/settings/basics.ts';
import { HttpError } from '../../src/net/http-error.ts';
import { startProxy } from '../support/proxy.ts';
import { waitFor } from '../support/wait-for.ts';

type Done = (error: null, addresses: readonly dns.LookupAddress[]) => void;

const generousMs = 300_000;

function to(url: string): PostRequest {
  return { url, body: '{}', headers: { authorization: 'Bearer token' }, timeoutMs: generousMs };
}

/** A server that answers with the path and the token that it got. */
async function startServer(): Promise<number> {
  const server = createServer((request, response) =>
    response.end(`${request.url} ${request.headers.authorization}`),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

describe('a POST through a proxy', () => {
  test.each([403, 407, 503])(
    'that is answered %i fails with its name, and leaves no connection',
    async (status) => {
      const proxy = await startProxy(status);
      const post = createPost({ HTTPS_PROXY: proxy.url });
      for (let nth = 0; nth < 100; nth++) {
        const sent = post(to('https://exporter.test/agent/events'));
        await expect(sent).rejects.toThrow(HttpError);
        await expect(sent).rejects.toThrow(
          `the proxy ${proxy.name} opened no tunnel to exporter.test:443: ${status} `,
        );
      }
      await waitFor(() => proxy.open() === 0, { seen: proxy.open });
    },
  );

  test.each(['silence', 'mute'] as const)(
    'that is answered by %s ends in time, and leaves no connection',
    async (answer) => {
      const proxy = await startProxy(answer);
      const sent = createPost({ HTTPS_PROXY: proxy.url })({
        ...to('https://exporter.test/'),
        timeoutMs: 200,
      });
      await expect(sent).rejects.toMatchObject({
        code: 'ETIMEDOUT',
        message: expect.stringContaining(`the proxy ${proxy.name}`),
      });
      await waitFor(() => proxy.open() === 0, { seen: proxy.open });
    },
  );

  test('over plain HTTP that cannot be reached fails with its name', async () => {
    const sent = createPost({ HTTP_PROXY: 'http://user:secret@127.0.0.1:1' })(to('http://exporter.test/'));
    await expect(sent).rejects.toThrow(/^ECONNREFUSED, through the proxy 127\.0\.0\.1:1$/);
  });

  test('is not sent to an invalid one, but its value is not repeated', async () => {
    const post = createPost({ HTTP_PROXY: 'socks5://user:secret@proxy:1' });
    await expect(post(to('http://exporter.test/'))).rejects.toThrow(
      /^HTTP_PROXY must begin with http:\/\/ or https:\/\/$/,
    );
  });
});

describe('a POST around a proxy', () => {
  test('goes to a subdomain that is excluded: the token does not reach the proxy', async () => {
    const lookup: unknown = (_name: string, _options: unknown, done: Done) =>
      done(null, [{ address: '127.0.0.1', family: 4 }]);
    vi.spyOn(dns, 'lookup').mockImplementation(lookup as typeof dns.lookup);
    onTestFinished(() => void vi.restoreAllMocks());
    const port = await startServer();
    const proxy = await startProxy(403);
    const post = createPost({ HTTP_PROXY: proxy.url, NO_PROXY: 'corp.test' });
    expect(await post(to(`http://exporter.corp.test:${port}/hooks/events`))).toMatchObject({
      status: 200,
      body: '/hooks/events Bearer token',
    });
    expect(proxy.heads).toEqual([]);
  });

  test('goes to this machine, and does not depend on the variable of the other scheme', async () => {
    const port = await startServer();
    const post = createPost({ HTTP_PROXY: 'http://127.0.0.1:1', HTTPS_PROXY: 'socks5://proxy:1' });
    expect(await post(to(`http://127.0.0.1:${port}/x`))).toMatchObject({ status: 200 });
  });
});

/** A server that answers with `handle`. */
async function answering(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('a POST', () => {
  const post = createPost({});

  test('is one of JSON with its length', async () => {
    const url = await answering((request, response) => {
      const { method, headers } = request;
      response.end(JSON.stringify({ method, ...headers }));
    });
    const { body } = await post({ ...to(url), body: '{"a":"ü"}', headers: { 'x-mine': 'a' } });
    expect(JSON.parse(body)).toMatchObject({
      ...{ method: 'POST', 'content-type': 'application/json', 'content-length': '10', 'x-mine': 'a' },
      ...{ 'user-agent': 'agent-platform-exporter-hook', connection: 'close' },
    });
  });

  test('follows no redirect, and takes 16 KiB of an answer', async () => {
    const url = await answering((_request, response) => {
      response.writeHead(307, { location: 'http://127.0.0.1:1/', 'retry-after': '7' });
      response.write('x'.repeat(10_000));
      response.write('y'.repeat(10_000));
      // It does not end.
    });
    expect(await post(to(url))).toEqual({
      status: 307,
      retryAfter: '7',
      body: `${'x'.repeat(10_000)}${'y'.repeat(6384)}`,
    });
  });

  test.each(['', 'x'])(
    'of which only the status matters does not wait for a body that begins %j, and closes its connection',
    async (body) => {
      const closed = Promise.withResolvers<void>();
      const url = await answering((_request, response) => {
        response.writeHead(200).flushHeaders();
        response.write(body);
        // It does not end.
        response.on('close', () => closed.resolve());
      });
      expect(await post({ ...to(url), statusOnly: true })).toMatchObject({ status: 200, body: '' });
      await closed.promise;
    },
  );

  test('without an answer in time fails with the time', async () => {
    const url = await answering(() => undefined);
    await expect(post({ ...to(url), timeoutMs: 20 })).rejects.toMatchObject({
      ...{ name: 'HttpError', code: 'ETIMEDOUT', message: 'no answer within 20 ms' },
    });
  });

  test('whose connection breaks off fails with the code', async () => {
    const url = await answering((request) => request.socket.destroy());
    await expect(post(to(url))).rejects.toMatchObject({ name: 'HttpError', message: 'ECONNRESET' });
    const half = await answering((_request, response) => {
      response.writeHead(200, { 'content-length': 10 });
      response.write('x', () => response.destroy());
    });
    await expect(post(to(half))).rejects.toMatchObject({ name: 'HttpError', code: 'ECONNRESET' });
  });

  test('names the file of certificates that cannot be read', async () => {
    const sent = post({ ...to('https://127.0.0.1:1/'), caFile: '/nowhere/ca.pem' });
    await expect(sent).rejects.toThrow('the file of certificates /nowhere/ca.pem does not exist');
  });

  test('names a file of certificates that has none', async () => {
    const sent = post({ ...to('https://127.0.0.1:1/'), caFile: import.meta.filename });
    await expect(sent).rejects.toThrow(/post\.test\.ts contains no certificate in PEM format$/);
  });
});

describe('a secret', () => {
  const remembered: string[] = [];
  const environment = { GOOD: ' two words\n', EMPTY: ' ', LINES: 'a\nb', SPACES: 'a  b', UMLAUT: 'ü' };
  const secret = createSecrets(environment, (text) => void remembered.push(text));

  test('is remembered for the log, without what surrounds it', () => {
    expect(secret({ variable: 'GOOD' })).toBe('two words');
    expect(remembered).toEqual(['two words']);
  });

  const invalid = 'contains invalid characters: line breaks, tabs or non-ASCII characters';

  test.each<[Secret, string]>([
    [{ variable: 'MISSING' }, 'MISSING is not set'],
    [{ variable: 'EMPTY' }, 'EMPTY is not set'],
    [{ variable: 'LINES' }, `LINES ${invalid}`],
    [{ variable: 'SPACES' }, `SPACES ${invalid}`],
    [{ variable: 'UMLAUT' }, `UMLAUT ${invalid}`],
    [{ file: '/dev/null' }, '/dev/null '],
    [{ file: '/nowhere/token' }, '/nowhere/token does not exist'],
  ])('that cannot be used is refused by its source: %j', (source, message) => {
    expect(() => secret(source)).toThrow(message);
  });
});

test.each([
  ["'token'", 'quotation marks around the key'],
  ['AGENT_PLATFORM_HOOKS_TOKEN=token', 'NAME= in front of the key'],
])('the token %s is refused with the reason, which does not repeat it', (token, reason) => {
  const secret = createSecrets({ TOKEN: token }, () => undefined);
  expect(() => readToken({ variable: 'TOKEN' }, secret)).toThrow(
    new Error(`TOKEN contains ${reason}: write the key alone`),
  );
});
