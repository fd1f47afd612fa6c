import { describe, expect, test } from 'vitest';
import type { PagedRequest } from '../../src/catalog/source.ts';
import type { IdentityOfAnswers } from '../../src/client/client.ts';
import { PlatformError } from '../../src/text/errors.ts';
import { waitFor } from '../support/wait-for.ts';
import { answers, createTestClient, failureOf, startServer, tokensRequest } from './platform-server.ts';

describe('identity', () => {
  const listing: PagedRequest = {
    ...tokensRequest(),
    cursorParameter: 'cursor',
    read: (body) => ({ items: [body], next: undefined }),
    idOf: () => undefined,
  };

  test.each([
    ['an answer', (client: ReturnType<typeof createTestClient>['client']) => client.get(tokensRequest())],
    [
      'a page',
      (client: ReturnType<typeof createTestClient>['client']) => client.pages(listing, () => undefined),
    ],
  ])('sees %s, may ask for more, and what it rejects is not passed on', async (_case, ask) => {
    const server = await startServer((request, response) => response.end(JSON.stringify(request.url)));
    const seen: unknown[] = [];
    const foreign = new PlatformError('server', 'of another organization');
    const identity: IdentityOfAnswers = {
      async accept(request, answer, more) {
        const { body } = await more({ ...request, path: '/more' });
        seen.push([request.path, answer.body, body]);
        if (seen.length > 1) throw foreign;
      },
    };
    const { client } = createTestClient(server.url, { identity });
    await ask(client);
    expect(seen).toEqual([[tokensRequest().path, tokensRequest().path, '/more']]);
    expect(await failureOf(ask(client))).toBe(foreign);
  });
});

describe('a client', () => {
  test('does work in slices, and returns what it makes', async () => {
    const { client } = createTestClient('http://127.0.0.1:1');
    const made: number[] = [];
    function* work() {
      for (let step = 0; step < 3; step++) {
        made.push(step);
        yield;
      }
      return 'done';
    }
    expect([await client.inSlices(work()), made]).toEqual(['done', [0, 1, 2]]);
  });

  test('that is closed ends its requests, closes its connections and makes no more', async () => {
    const sockets = new Set<object>();
    const server = await startServer((request, response, count) => {
      sockets.add(request.socket);
      request.socket.on('close', () => sockets.delete(request.socket));
      if (count === 1) response.end('{}');
    });
    const { client, codes } = createTestClient(server.url);
    await client.get(tokensRequest());
    const failing = failureOf(client.get(tokensRequest()));
    await waitFor(() => server.requests.length === 2, { seen: () => server.requests.length });
    client.close();
    const words = 'GET /api/v1/analytics/tokens: the client was closed';
    expect(await failing).toMatchObject({ reason: 'network', message: words });
    expect(await failureOf(client.get(tokensRequest()))).toMatchObject({ reason: 'network', message: words });
    await waitFor(() => sockets.size === 0, { seen: () => sockets.size });
    expect([codes, server.requests.length]).toEqual([['200'], 2]);
  });

  test('asks before each request whether it may be made', async () => {
    const server = await startServer(answers({}));
    const paused = new Error('not now');
    const { client } = createTestClient(server.url, {
      demand() {
        if (server.requests.length > 0) throw paused;
      },
    });
    await client.get(tokensRequest());
    await expect(client.get(tokensRequest())).rejects.toBe(paused);
    expect(server.requests).toHaveLength(1);
  });
});
