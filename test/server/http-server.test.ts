import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { afterEach, describe, expect, test } from 'vitest';
import type { AppDeps } from '../../src/server/app.ts';
import { createHttpServer, type HttpServer } from '../../src/server/http-server.ts';
import { ConfigError } from '../../src/text/errors.ts';
import { type Clock, createSystemClock } from '../../src/work/clock.ts';
import { waitFor } from '../support/wait-for.ts';
import { createFakeExposition } from './fake-exposition.ts';
import { createTestApp } from './fixtures.ts';

const servers: HttpServer[] = [];

afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close(0)));
});

async function serve(
  changes: Partial<AppDeps> = {},
  clock: Pick<Clock, 'elapsed' | 'wait'> = createSystemClock(),
) {
  const parts = createTestApp(changes);
  const server = createHttpServer({ app: parts.app, clock, maxConnections: 512 });
  servers.push(server);
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  return { ...parts, server, port };
}

async function ask(port: number, path: string, agent: Agent): Promise<IncomingMessage> {
  const [response] = (await once(get({ port, path, agent, host: '127.0.0.1' }), 'response')) as [
    IncomingMessage,
  ];
  return response;
}

async function open(port: number, text = ''): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return socket;
}

describe('listening', () => {
  test('says in one sentence that a port is taken', async () => {
    const { port } = await serve();
    const second = createHttpServer({
      app: () => undefined,
      clock: createSystemClock(),
      maxConnections: 512,
    });
    const failure = await second.listen({ host: '127.0.0.1', port }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConfigError);
    expect(failure).toMatchObject({
      message: `cannot listen on 127.0.0.1:${port}: another process already uses this port`,
      hint: 'choose another address with --web.listen-address',
    });
  });

  test('says that an address is not this machine’s', async () => {
    const server = createHttpServer({
      app: () => undefined,
      clock: createSystemClock(),
      maxConnections: 512,
    });
    await expect(server.listen({ host: '203.0.113.1', port: 0 })).rejects.toThrow(
      'cannot listen on 203.0.113.1:0: this machine does not have this address',
    );
  });
});

describe('closing', () => {
  test('finishes the scrape in progress, but accepts no new one', async () => {
    // The deadline is not reached, however slow this machine is.
    const { port, server, exposition } = await serve({}, { ...createSystemClock(), elapsed: () => 0 });
    const release = Promise.withResolvers<void>();
    exposition.hold = release.promise;
    const agent = new Agent({ keepAlive: true });
    const answer = ask(port, '/metrics', agent);
    await waitFor(() => expect(exposition.requests.length).toBe(1));

    const closed = server.close();
    await waitFor(async () =>
      expect(await open(port).catch((error: Error) => error.message)).toContain('ECONNREFUSED'),
    );
    release.resolve();
    const response = await answer;
    expect(response.statusCode).toBe(200);
    expect(String(Buffer.concat(await response.toArray()))).toBe('# tokens\n# spend\n');
    await closed;
    agent.destroy();
  });

  test('sends an answer completely, even if the client is slow', async () => {
    const body = Buffer.alloc(64 * 1024 * 1024, 'x');
    const page = {
      kind: 'page',
      contentType: 'text/plain',
      contentEncoding: undefined,
      contentLength: body.length,
      body: { parts: [body] },
    } as const;
    // The deadline is not reached, however slow this machine is.
    const { port, server } = await serve(
      { exposition: { ...createFakeExposition(), scrape: async () => page } },
      { ...createSystemClock(), elapsed: () => 0 },
    );
    const agent = new Agent({ keepAlive: true });
    const response = await ask(port, '/metrics', agent);
    const closed = server.close();
    let received = 0;
    for await (const chunk of response) received += (chunk as Buffer).length;
    expect(received).toBe(body.length);
    await closed;
    agent.destroy();
  });

  test('does not wait for connections that are idle', async () => {
    // There is no deadline: it ends because there is nothing to wait for.
    const { port, server } = await serve({}, { ...createSystemClock(), elapsed: () => 0 });
    const agent = new Agent({ keepAlive: true });
    (await ask(port, '/-/healthy', agent)).resume();
    const silent = await open(port);
    await server.close();
    silent.destroy();
    agent.destroy();
  });

  test('aborts what has not ended at the deadline', async () => {
    const { port, server, exposition } = await serve();
    exposition.hold = new Promise(() => undefined);
    const socket = await open(port, 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.on('error', () => undefined);
    await waitFor(() => expect(exposition.requests.length).toBe(1));
    const cut = once(socket, 'close');
    await server.close(50);
    await cut;
  });

  test('is quiet about a server that never listened or is closed already', async () => {
    const { server } = await serve();
    await server.close();
    await server.close();
  });
});

describe('a client that disconnects in the middle', () => {
  test('ends the stream that fed it, and affects no other client', async () => {
    const body = Readable.from(chunks());
    const page = {
      kind: 'page',
      contentType: 'text/plain',
      contentEncoding: undefined,
      contentLength: 1e9,
      body: { stream: () => body },
    } as const;
    const { port, log } = await serve({
      exposition: { ...createFakeExposition(), scrape: async () => page },
    });
    const socket = await open(port, 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(socket, 'data');
    socket.destroy();
    await waitFor(() => expect(body.destroyed).toBe(true));
    await waitFor(() => expect(log.events.map(({ level }) => level)).toEqual(['debug']));
    expect((await ask(port, '/-/healthy', new Agent())).statusCode).toBe(200);
  });

  test('is disconnected if the stream that feeds it fails', async () => {
    const page = {
      kind: 'page',
      contentType: 'text/plain',
      contentEncoding: undefined,
      contentLength: 1e9,
      body: { stream: () => Readable.from(failing()) },
    } as const;
    const { port } = await serve({ exposition: { ...createFakeExposition(), scrape: async () => page } });
    const response = await ask(port, '/metrics', new Agent());
    await expect(response.toArray()).rejects.toThrow('aborted');
  });

  function* chunks(): Iterable<Buffer> {
    for (;;) yield Buffer.alloc(65_536, 'x');
  }

  function* failing(): Iterable<Buffer> {
    yield Buffer.alloc(65_536, 'x');
    throw new Error('broken');
  }
});

test('survives garbage and oversized headers', async () => {
  const { port } = await serve();
  for (const [text, status] of [
    ['nonsense\r\n\r\n', '400'],
    [`GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(20_000)}\r\n\r\n`, '431'],
  ] as const) {
    const socket = await open(port, text);
    const [data] = (await once(socket, 'data')) as [Buffer];
    expect(String(data)).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    socket.destroy();
  }
});
