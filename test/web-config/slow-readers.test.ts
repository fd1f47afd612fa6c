import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { createFakeExposition } from '../server/fake-exposition.ts';
import { createTestApp, serviceStatus } from '../server/fixtures.ts';
import { waitFor } from '../support/wait-for.ts';
import { startWorld, tlsFile } from './world.ts';

const MIB = 1024 * 1024;
/** More than any operating system takes for a client that does not read. */
const PAGE = Buffer.alloc(48 * MIB, '0123456789abcdef');

async function serve() {
  const page = {
    kind: 'page',
    contentType: 'text/plain',
    contentEncoding: 'gzip',
    contentLength: PAGE.length,
    // Parts that are neither as long as a piece nor as a record.
    body: { parts: [PAGE.subarray(0, 100_003), PAGE.subarray(100_003)] },
  } as const;
  const { app } = createTestApp({
    exposition: { ...createFakeExposition(), scrape: async () => page, probe: async () => page },
    status: () => serviceStatus({ version: String(PAGE) }),
  });
  const sockets: Socket[] = [];
  const { port } = await startWorld(tlsFile(), {
    app(request, response) {
      sockets.push(request.socket);
      app(request, response);
    },
  });
  return { port, sockets };
}

async function open(port: number, text: string): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  await once(socket, 'secureConnect');
  socket.write(text);
  return socket;
}

test.each(['/metrics', '/probe?target=acme', '/', '/status'])(
  'a client that never reads %s over TLS holds only a piece of it',
  async (path) => {
    const { port, sockets } = await serve();
    await open(port, `GET ${path} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n\r\n`);
    await waitFor(() => expect(sockets[0]?.bytesWritten).toBeGreaterThan(0));
    expect(sockets[0]?.writableLength).toBeLessThan(MIB);
  },
);

test('over TLS, pipelined answers arrive complete, one after the other', async () => {
  const { port } = await serve();
  const scrape = 'GET /metrics HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n';
  const socket = await open(port, `${scrape}\r\n${scrape}Connection: close\r\n\r\n`);
  const received = Buffer.concat(await socket.toArray());
  const length = received.indexOf('\r\n\r\n') + 4 + PAGE.length;
  for (const answer of [received.subarray(0, length), received.subarray(length)]) {
    expect(String(answer.subarray(0, 15))).toBe('HTTP/1.1 200 OK');
    expect(answer.subarray(answer.indexOf('\r\n\r\n') + 4).equals(PAGE)).toBe(true);
  }
});

test('over TLS, too, a client that sends 2 000 requests without waiting is disconnected at once', async () => {
  const { port, sockets } = await serve();
  const socket = await open(port, 'GET /-/healthy HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2_000));
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.resume();
  await closed;
  // TLS delivers 16 KiB at a time.
  expect(sockets.length).toBeLessThan(10);
});
