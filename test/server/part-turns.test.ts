import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Scrape } from '../../src/exposition/exposition.ts';
import { createHttpServer } from '../../src/server/http-server.ts';
import { createPartTurns } from '../../src/server/metrics.ts';
import { createSystemClock } from '../../src/work/clock.ts';
import { waitFor } from '../support/wait-for.ts';
import { createFakeExposition } from './fake-exposition.ts';
import { createTestApp } from './fixtures.ts';

const PART: Scrape = { kind: 'unknown-collector', unknown: [], known: [] };

function requestOn(socket: Socket): Pick<IncomingMessage, 'socket'> {
  return { socket };
}

test('two parts are selected at a time, in the order in which they were asked for', async () => {
  const takePart = createPartTurns();
  const begun: number[] = [];
  const release = Array.from({ length: 4 }, () => Promise.withResolvers<void>());
  const parts = release.map(({ promise }, index) =>
    takePart(requestOn(new Socket()), index, async () => {
      begun.push(index);
      await promise;
      return PART;
    }),
  );
  await waitFor(() => expect(begun).toEqual([0, 1]));
  release[1]?.resolve();
  await waitFor(() => expect(begun).toEqual([0, 1, 2]));
  for (const { resolve } of release) resolve();
  expect(await Promise.all(parts)).toEqual([PART, PART, PART, PART]);
  expect(begun).toEqual([0, 1, 2, 3]);
});

test('nothing is selected for a client that is gone, and a failure ends its turn', async () => {
  const takePart = createPartTurns();
  const gone = new Socket().destroy();
  const never = () => Promise.reject(new Error('selected'));
  expect(await takePart(requestOn(gone), 'gone', never)).toBeUndefined();
  for (let count = 0; count < 3; count++) {
    await expect(takePart(requestOn(new Socket()), 'failing', never)).rejects.toThrow('selected');
  }
  expect(await takePart(requestOn(new Socket()), 'failing', async () => PART)).toBe(PART);
});

test('equal requests share what is under way, also if the first client is gone, and nothing afterwards', async () => {
  const takePart = createPartTurns();
  let selected = 0;
  const select = async (): Promise<Scrape> => {
    selected += 1;
    return { ...PART, known: [String(selected)] };
  };
  const key = { org: 'acme', collect: ['tokens'] };
  const sockets = [new Socket(), new Socket(), new Socket()];
  const shared = sockets.map((socket) => takePart(requestOn(socket), { ...key }, select));
  const other = takePart(requestOn(new Socket()), { ...key, org: 'beta' }, select);
  sockets[0]?.destroy();
  expect(new Set(await Promise.all(shared)).size).toBe(1);
  expect(await other).not.toBe(await shared[1]);
  expect(await takePart(requestOn(new Socket()), key, select)).not.toBe(await shared[1]);
  expect(selected).toBe(3);
});

test('a scrape of everything waits for no part', async () => {
  const exposition = createFakeExposition();
  const never = new Promise<Scrape>(() => undefined);
  const { app } = createTestApp({
    exposition: {
      ...exposition,
      probe: () => never,
      scrape: (asked) => (asked.collect === undefined ? exposition.scrape(asked) : never),
    },
  });
  const server = createHttpServer({ app, clock: createSystemClock(), maxConnections: 512 });
  onTestFinished(() => server.close(0));
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  const url = `http://127.0.0.1:${port}`;
  const pending = ['/probe?target=acme', '/metrics?collect[]=tokens', '/metrics?collect[]=spend'].map(
    (path) => fetch(url + path),
  );
  expect((await fetch(`${url}/metrics`)).status).toBe(200);
  await server.close(0);
  expect((await Promise.allSettled(pending)).map(({ status: ended }) => ended)).toEqual([
    'rejected',
    'rejected',
    'rejected',
  ]);
});
