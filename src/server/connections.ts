import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../runtime/clock.ts';

interface ConnectionLimitDeps {
  /** Maximum number of simultaneous connections. */
  readonly limit: number;
  readonly clock: Pick<Clock, 'elapsed'>;
}

/**
 * A client that takes longer for one answer than any scrape may be disconnected when another one connects, in
 * milliseconds.
 */
const ANSWER_MS = 120_000;

/** Scrapers wait for one answer before the next request; each pipelined request costs memory. */
const MAX_AHEAD = 8;

interface Connection {
  readonly socket: Socket;
  answering: number;
  since: number;
}

/**
 * Limits the number of a server's connections without ever refusing a new one: beyond the limit, the least important
 * connection is closed. Connections that have sent no request are closed first, then idle ones between requests, then
 * those that wait for an answer; within each group, the oldest first. A scraper therefore always gets a connection,
 * even if many others hold theirs.
 */
export function limitConnections(server: Server, { limit, clock }: ConnectionLimitDeps): void {
  // Each in order of insertion, so that the first is the oldest.
  const silent = new Map<string, Connection>();
  const resting = new Map<string, Connection>();
  const answering = new Map<string, Connection>();
  const groups = [silent, resting, answering];

  function move(key: string, to: Map<string, Connection>, connection: Connection): void {
    for (const group of groups) group.delete(key);
    connection.since = clock.elapsed();
    to.set(key, connection);
  }

  function find(key: string): Connection | undefined {
    return silent.get(key) ?? resting.get(key) ?? answering.get(key);
  }

  function close(key: string, { socket }: Connection): void {
    for (const group of groups) group.delete(key);
    socket.destroy();
  }

  function closeOne(): void {
    for (const group of groups) {
      for (const [key, connection] of group) {
        close(key, connection);
        return;
      }
    }
  }

  function closeSlow(): void {
    const tooLong = clock.elapsed() - ANSWER_MS;
    for (const [key, connection] of answering) {
      if (connection.since > tooLong) return;
      close(key, connection);
    }
  }

  server.on('connection', (socket: Socket) => {
    const key = keyOf(socket);
    if (silent.size + resting.size + answering.size >= limit) closeOne();
    const connection: Connection = { socket, answering: 0, since: clock.elapsed() };
    silent.set(key, connection);
    socket.once('close', () => {
      if (find(key) !== connection) return;
      for (const group of groups) group.delete(key);
    });
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    closeSlow();
    const key = keyOf(request.socket);
    const connection = find(key);
    if (connection === undefined) return;
    connection.answering += 1;
    if (connection.answering > MAX_AHEAD) {
      close(key, connection);
      return;
    }
    if (connection.answering === 1) move(key, answering, connection);
    response.once('close', () => {
      connection.answering -= 1;
      if (connection.answering === 0 && find(key) === connection) move(key, resting, connection);
    });
  });
}

/** By the remote address: with TLS, requests refer to another object than the accepted connection. */
function keyOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort} ${socket.localAddress}`;
}
