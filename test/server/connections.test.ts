import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpServer } from '../../src/server/http-server.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { waitFor } from '../support/wait-for.ts';
import { createFakeExposition } from './fake-exposition.ts';
import { createTestApp } from './fixtures.ts';

const LIMIT = 8;

async function serve() {
  const parts = createTestApp();
  const clock = createFakeClock(0);
  const server = createHttpServer({ app: parts.app, clock, maxConnections: LIMIT });
  onTestFinished(() => server.close(0));
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  return { ...parts, clock, port };
}

/** A connection that records whether the server has closed it. */
async function open(port: number, text = '') {
  const socket: Socket = connect(port, '127.0.0.1');
  const connection = { socket, closed: false, received: '' };
  socket.on('error', () => undefined);
  socket.on('close', () => {
    connection.closed = true;
  });
  socket.on('data', (data) => {
    connection.received += String(data);
  });
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  if (text !== '') socket.write(text);
  return connection;
}

async function ask(port: number, path: string, agent: Agent): Promise<number | undefined> {
  const [response] = (await once(get({ port, path, agent, host: '127.0.0.1' }), 'response')) as [
    IncomingMessage,
  ];
  await response.toArray();
  return response.statusCode;
}

test('closes the oldest of those without a request, and answers every request', async () => {
  const { port } = await serve();
  const silent: { readonly closed: boolean }[] = [];
  for (let count = 0; count < 3 * LIMIT; count++) silent.push(await open(port));
  await waitFor(() => expect(silent.filter(({ closed }) => !closed)).toHaveLength(LIMIT));
  expect(silent.slice(-LIMIT).some(({ closed }) => closed)).toBe(false);
  expect(await ask(port, '/metrics', new Agent())).toBe(200);
});

test('keeps a scraper’s connection while others only hold theirs', async () => {
  const { port } = await serve();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  await ask(port, '/metrics', agent);
  const [scraper] = Object.values(agent.freeSockets).flat();
  for (let count = 0; count < 3 * LIMIT; count++) await open(port);
  expect(await ask(port, '/metrics', agent)).toBe(200);
  expect(Object.values(agent.freeSockets).flat()).toEqual([scraper]);
});

test('closes an idle connection before one that waits for its answer', async () => {
  const { port, exposition } = await serve();
  const release = Promise.withResolvers<void>();
  exposition.hold = release.promise;
  const waiting = await open(port, 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
  await waitFor(() => expect(exposition.requests.length).toBe(1));
  const rested: { readonly closed: boolean }[] = [];
  for (let count = 0; count < 2 * LIMIT; count++) {
    const connection = await open(port, 'GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n');
    await waitFor(() => expect(connection.received).toContain('healthy'));
    rested.push(connection);
  }
  await waitFor(() => expect(rested.filter(({ closed }) => !closed)).toHaveLength(LIMIT - 1));
  release.resolve();
  await waitFor(() => expect(waiting.received).toContain('# tokens'));
});

test('knows which of several connections it answers', async () => {
  const { port, exposition } = await serve();
  const first = await open(port);
  const others: { readonly closed: boolean }[] = [];
  for (let count = 1; count < LIMIT; count++) others.push(await open(port));
  exposition.hold = new Promise(() => undefined);
  first.socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
  await waitFor(() => expect(exposition.requests.length).toBe(1));
  await open(port);
  await waitFor(() => expect(others.map(({ closed }) => closed).indexOf(true)).toBe(0));
  expect(first.closed).toBe(false);
});

test('makes room even if every connection waits for an answer', async () => {
  const { port, exposition } = await serve();
  exposition.hold = new Promise(() => undefined);
  for (let count = 0; count < LIMIT; count++) await open(port, 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
  await waitFor(() => expect(exposition.requests.length).toBe(LIMIT));
  exposition.hold = undefined;
  expect(await ask(port, '/metrics', new Agent())).toBe(200);
});

test('disconnects clients that take minutes for one answer', async () => {
  const { port, exposition, clock } = await serve();
  exposition.hold = new Promise(() => undefined);
  const slow = await open(port, 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
  await waitFor(() => expect(exposition.requests.length).toBe(1));
  exposition.hold = undefined;
  expect(await ask(port, '/metrics', new Agent())).toBe(200);
  expect(slow.closed).toBe(false);
  await clock.advance(121_000);
  expect(await ask(port, '/metrics', new Agent())).toBe(200);
  await waitFor(() => expect(slow.closed).toBe(true));
});

test('inflates for a limited number of clients at a time, and disconnects the slowest', async () => {
  const inflating: Readable[] = [];
  const page = {
    kind: 'page',
    contentType: 'text/plain',
    contentEncoding: undefined,
    contentLength: 1e9,
    body: {
      stream() {
        const stream = Readable.from(endless());
        inflating.push(stream);
        return stream;
      },
    },
  } as const;
  const parts = createTestApp({ exposition: { ...createFakeExposition(), scrape: async () => page } });
  const server = createHttpServer({ app: parts.app, clock: createFakeClock(0), maxConnections: 512 });
  onTestFinished(() => server.close(0));
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  const readers = [];
  for (let count = 0; count < 66; count++) {
    const reader = await open(port, 'GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
    reader.socket.pause();
    await waitFor(() => expect(inflating.length).toBe(count + 1));
    readers.push(reader);
  }
  await waitFor(() =>
    expect(inflating.map(({ destroyed }) => destroyed)).toEqual([
      ...[true, true],
      ...Array.from({ length: 64 }, () => false),
    ]),
  );
});

function* endless(): Iterable<Buffer> {
  const block = Buffer.alloc(65_536, 'x');
  for (;;) yield block;
}

test.each([
  ['Content-Length: 0\r\n\r\n', 'keep-alive'],
  ['Content-Length: 2\r\n\r\nab', 'close'],
  ['Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 'close'],
])('after an answer to a request with %j the connection is %s', async (rest, then) => {
  const { port } = await serve();
  const connection = await open(port, `POST /-/refresh HTTP/1.1\r\nHost: x\r\n${rest}`);
  await waitFor(() => expect(connection.received).toContain('HTTP/1.1 202'));
  expect(connection.received.toLowerCase()).toContain(`connection: ${then}`);
});

test('does not receive a body that is never read', async () => {
  const { port } = await serve();
  const uploader = await open(
    port,
    'POST /-/refresh HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
  );
  await waitFor(() => expect(uploader.received).toContain('202'));
  expect(uploader.received.toLowerCase()).toContain('connection: close');
  await waitFor(() => expect(uploader.closed).toBe(true));
});
