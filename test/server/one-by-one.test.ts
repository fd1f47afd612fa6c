import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpServer } from '../../src/server/http-server.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { propertyRuns } from '../support/thoroughness.ts';
import { waitFor } from '../support/wait-for.ts';

const GET = 'GET /get HTTP/1.1\r\nHost: x\r\n\r\n';
/** Requests of every kind that end in another way, and what an application that repeats them answers. */
const KINDS: readonly (readonly [request: string, answer: string])[] = [
  [GET, 'GET /get '],
  ['GET /odd HTTP/1.1\r\nHost: x\r\nExpect: a miracle\r\n\r\n', 'GET /odd '],
  [
    'POST /length HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\na\r\n\r\nbody',
    'POST /length a\r\n\r\nbody',
  ],
  [
    'POST /chunks HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nab\r\n\r\n1\r\nc\r\n0\r\n\r\n',
    'POST /chunks ab\r\nc',
  ],
  [
    'POST /continue HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\nab',
    'POST /continue ab',
  ],
];

/** A server that records which requests it has, and the largest number that had no answer at the same time. */
async function serve(app: RequestListener) {
  const seen = { urls: [] as string[], open: 0, most: 0 };
  const server = createHttpServer({
    app(request, response) {
      seen.urls.push(request.url ?? '');
      seen.open += 1;
      seen.most = Math.max(seen.most, seen.open);
      response.on('close', () => {
        seen.open -= 1;
      });
      return app(request, response);
    },
    clock: createSystemClock(),
    maxConnections: 512,
  });
  onTestFinished(() => server.close(0));
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  return { seen, port };
}

const repeat: RequestListener = async (request, response) => {
  response.end(`<${request.method} ${request.url} ${await text(request).catch(() => 'nothing')}>`);
};

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** What answers have in angle brackets, once there are as many as expected. */
async function answers(socket: Socket, expected: number): Promise<readonly (string | undefined)[]> {
  let received = '';
  socket.on('data', (data) => {
    received += String(data);
  });
  return waitFor(() => {
    const bodies = [...received.matchAll(/<([^>]*)>/g)].map(([, body]) => body);
    expect(bodies).toHaveLength(expected);
    return bodies;
  });
}

test('whatever requests follow each other, cut wherever, are answered in order', async () => {
  const { seen, port } = await serve(repeat);
  const story = fc.record({
    kinds: fc.array(fc.constantFrom(...KINDS), { minLength: 1, maxLength: 8 }),
    cuts: fc.array(fc.nat(900), { maxLength: 12 }),
  });
  await fc.assert(
    fc.asyncProperty(story, async ({ kinds, cuts }) => {
      const socket = await open(port);
      const bytes = kinds.map(([request]) => request).join('');
      const places = [0, ...cuts.filter((cut) => cut < bytes.length).toSorted((a, b) => a - b), bytes.length];
      for (const [index, place] of places.slice(1).entries()) {
        await new Promise((sent) => socket.write(bytes.slice(places[index], place), sent));
      }
      expect(await answers(socket, kinds.length)).toEqual(kinds.map(([, answer]) => answer));
      socket.destroy();
    }),
    { numRuns: propertyRuns(60) },
  );
  // The head of a request may follow the end of a body in the same piece.
  expect(seen.most).toBeLessThanOrEqual(2);
});

test('a request is no request before the one ahead of it has its answer', async () => {
  const held = Promise.withResolvers<void>();
  const { seen, port } = await serve(async (request, response) => {
    if (request.url === '/first') await held.promise;
    response.end('<answered>');
  });
  const socket = await open(port);
  socket.write(GET.replace('/get', '/first') + GET.repeat(7));
  await waitFor(() => expect(seen.urls).toEqual(['/first']));
  const other = await open(port);
  other.write(GET.replace('/get', '/other'));
  await answers(other, 1);
  expect(seen.urls).toEqual(['/first', '/other']);
  held.resolve();
  expect(await answers(socket, 8)).toHaveLength(8);
  expect(seen.most).toBe(2);
});

test('requests that arrive in pieces during an answer are answered after it', async () => {
  const held = Promise.withResolvers<void>();
  const { seen, port } = await serve(async (request, response) => {
    if (request.url === '/first') await held.promise;
    response.end('<answered>');
  });
  const socket = await open(port);
  socket.write(GET.replace('/get', '/first'));
  await waitFor(() => expect(seen.urls).toEqual(['/first']));
  for (const piece of ['GET /second HT', 'TP/1.1\r\nHost: x\r\n\r\n', GET.replace('/get', '/third')]) {
    socket.write(piece);
    await answers(await askOther(port), 1);
  }
  held.resolve();
  expect(await answers(socket, 3)).toHaveLength(3);
  expect(seen.urls.filter((url) => url !== '/other')).toEqual(['/first', '/second', '/third']);
});

/** Another client, by whose answer the server has read what was sent before. */
async function askOther(port: number): Promise<Socket> {
  const other = await open(port);
  other.write(GET.replace('/get', '/other'));
  return other;
}

test.each(KINDS)(
  'a client that sends 2 000 times %j without waiting is disconnected at once',
  async (request) => {
    const { seen, port } = await serve(repeat);
    const socket = await open(port);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.resume().write(request.repeat(2_000));
    await closed;
    expect(seen.urls.length).toBeLessThanOrEqual(2);
  },
);

test('clients that send ahead delay nobody else', async () => {
  let scraper: Socket | undefined;
  const { seen, port } = await serve((_, response) => {
    if (seen.urls.length === 1) scraper?.write(GET.replace('/get', '/scrape'));
    response.end();
  });
  scraper = await open(port);
  const eager = await Promise.all([open(port), open(port), open(port)]);
  for (const socket of eager) socket.write(GET.repeat(400));
  await waitFor(() => expect(seen.urls).toHaveLength(3 * 400 + 1));
  // Those that send ahead are not answered to the end first.
  expect(seen.urls.indexOf('/scrape')).toBeLessThan(100);
});
