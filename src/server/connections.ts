import type { Server } from 'node:http';
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

/** One of the limited connections. */
interface Connection {
  readonly socket: Socket;
  /** The number of requests that wait for an answer; undefined before the first one. */
  answering: number | undefined;
  /** Rises with each change between waiting for a request and waiting for an answer, over all connections. */
  turn: number;
  /** When the oldest unanswered request began, in milliseconds. */
  since: number;
}

/**
 * Limits the number of a server's connections without ever refusing a new one: beyond the limit, the least important
 * connection is closed. Connections that have sent no request are closed first, then idle ones between requests, then
 * those that wait for an answer; within each group, the oldest first. A scraper therefore always gets a connection,
 * even if many others hold theirs. Only a new connection looks at all others: a scrape must cost nothing here. The returned
 * function is called with the socket of each request, and closes it if it has too many. What that function returns is called
 * once the request has been answered.
 */
export function limitConnections(
  server: Server,
  { limit, clock }: ConnectionLimitDeps,
): (socket: Socket) => () => void {
  const open = new Set<Connection>();
  const byAddress = new Map<string, Connection>();
  let turns = 0;

  function close(connection: Connection): void {
    open.delete(connection);
    connection.socket.destroy();
  }

  function makeRoom(): void {
    const tooLong = clock.elapsed() - ANSWER_MS;
    for (const connection of open) {
      if (isAnswering(connection) && connection.since <= tooLong) close(connection);
    }
    if (open.size < limit) return;
    close([...open].reduce((least, one) => (isLess(one, least) ? one : least)));
  }

  server.on('connection', (socket: Socket) => {
    makeRoom();
    const address = addressOf(socket);
    const connection: Connection = { socket, answering: undefined, turn: turns++, since: 0 };
    open.add(connection);
    byAddress.set(address, connection);
    socket.once('close', () => {
      open.delete(connection);
      if (byAddress.get(address) === connection) byAddress.delete(address);
    });
  });

  return (socket) => {
    // With TLS, requests refer to another object than the accepted connection, with the same addresses.
    const connection = byAddress.get(addressOf(socket));
    if (connection === undefined) return () => undefined;
    if (!isAnswering(connection)) {
      connection.turn = turns++;
      connection.since = clock.elapsed();
    }
    connection.answering = (connection.answering ?? 0) + 1;
    if (connection.answering > MAX_AHEAD) close(connection);
    return () => {
      connection.answering = (connection.answering ?? 0) - 1;
      if (connection.answering === 0) connection.turn = turns++;
    };
  };
}

function isAnswering({ answering }: Connection): boolean {
  return answering !== undefined && answering > 0;
}

/** Whether one connection is less important than another. */
function isLess(one: Connection, other: Connection): boolean {
  const [rank, otherRank] = [rankOf(one), rankOf(other)];
  return rank === otherRank ? one.turn < other.turn : rank < otherRank;
}

function rankOf({ answering }: Connection): number {
  if (answering === undefined) return 0;
  return answering === 0 ? 1 : 2;
}

function addressOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort} ${socket.localAddress}`;
}
