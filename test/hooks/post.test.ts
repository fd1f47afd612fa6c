import dns from 'node:dns';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { createPost, createSecrets, PostError, type PostRequest, readToken } from '../../src/hooks/post.ts';
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
        const sent = post(to('https://exporter.test/hooks/events'));
        await expect(sent).rejects.toThrow(PostError);
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

test.each([
  ["'token'", 'quotation marks around the key'],
  ['AGENT_PLATFORM_HOOKS_TOKEN=token', 'NAME= in front of the key'],
])('the token %s is refused with the reason, which does not repeat it', (token, reason) => {
  const secret = createSecrets({ TOKEN: token }, () => undefined);
  expect(() => readToken({ variable: 'TOKEN' }, secret)).toThrow(
    new Error(`TOKEN contains ${reason}: write the key alone`),
  );
});
