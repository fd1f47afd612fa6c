import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../work/clock.ts';
import { createSerialQueue } from '../work/serial-queue.ts';

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

/** The state of a connection that counts against the limit. */
interface Connection {
  readonly socket: Socket;
  group?: Set<Connection> | undefined;
  /** The number of requests that wait for an answer. */
  answering: number;
  /** When the oldest unanswered request began, in milliseconds. */
  since: number;
}

/**
 * Limits the number of a server's connections without ever refusing a new one: beyond the limit, the least important
 * connection is closed. Connections that have sent no request are closed first, then idle ones between requests, then
 * those that wait for an answer; within each group, the oldest first. A scraper therefore always gets a connection,
 * even if many others hold theirs. Only a new connection looks at all others: a scrape must cost nothing here. The returned
 * function is called with the socket of each request; what it returns, once the request has been answered.
 */
export function limitConnections(
  server: Server,
  { limit, clock }: ConnectionLimitDeps,
): (socket: Socket) => () => void {
  // Within each group, connections are in the order in which they joined it.
  const [silent, idle, answering] = [new Set<Connection>(), new Set<Connection>(), new Set<Connection>()];
  const groups = [silent, idle, answering];
  const byAddress = new Map<string, Connection>();

  function move(connection: Connection, group?: Set<Connection>): void {
    connection.group?.delete(connection);
    connection.group = group?.add(connection);
  }

  function close(connection: Connection): void {
    move(connection);
    connection.socket.destroy();
  }

  function makeRoom(): void {
    const tooLong = clock.elapsed() - ANSWER_MS;
    for (const connection of answering) if (connection.since <= tooLong) close(connection);
    const open = groups.flatMap((group) => [...group]);
    const [least] = open;
    if (least !== undefined && open.length >= limit) close(least);
  }

  server.on('connection', (socket: Socket) => {
    makeRoom();
    const address = addressOf(socket);
    const connection: Connection = { socket, answering: 0, since: 0 };
    move(connection, silent);
    byAddress.set(address, connection);
    socket.once('close', () => {
      move(connection);
      if (byAddress.get(address) === connection) byAddress.delete(address);
    });
  });

  return (socket) => {
    // With TLS, requests refer to another object than the accepted connection, with the same addresses.
    const connection = byAddress.get(addressOf(socket));
    if (connection === undefined) return () => undefined;
    if (connection.answering === 0) {
      move(connection, answering);
      connection.since = clock.elapsed();
    }
    connection.answering += 1;
    return () => {
      connection.answering -= 1;
      // A connection that was closed meanwhile is in no group.
      if (connection.answering === 0 && answering.has(connection)) move(connection, idle);
    };
  };
}

function addressOf(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort} ${socket.localAddress}`;
}

/** Ends the head of every request, and a body in chunks. */
const END = '\r\n\r\n';

const NOTHING = Buffer.alloc(0);

/** The number of bytes that a client may send ahead of an answer: many times the size of a scraper's request. */
const MAX_AHEAD = 16_384;

/** Called with each request; the returned function once that has been answered. */
type Begun = (request: IncomingMessage) => () => void;

/**
 * Parses the pipelined requests of a connection one by one. Bytes after a request wait until that is answered; too many of them
 * close the connection. Node.js alone would parse all bytes that it has read at once, which can be thousands of requests from a
 * client that does not wait. Connections with pipelined requests take turns, so that they do not delay others.
 */
export function parseOneByOne(server: Server): Begun {
  const queue = createSerialQueue();
  const connections = new WeakMap<Socket, Begun>();

  function takeOver(socket: Socket): void {
    const [parse] = socket.listeners('data');
    // With TLS, only the inner socket has a parser.
    if (parse === undefined) return;
    const unanswered = new Set<IncomingMessage>();
    let ahead: Buffer = NOTHING;

    function parseNext(): void {
      while (ahead.length > 0 && socket.writable && ![...unanswered].some(({ complete }) => complete)) {
        const end = ahead.indexOf(END);
        const next = end === -1 ? ahead : ahead.subarray(0, end + END.length);
        // An idle connection holds no bytes.
        ahead = next.length === ahead.length ? NOTHING : ahead.subarray(next.length);
        parse?.call(socket, next);
      }
      if (ahead.length > MAX_AHEAD) socket.destroy();
    }

    socket.removeAllListeners('data').on('data', (bytes: Buffer) => {
      // Nothing follows the last answer.
      if (!socket.writable) return;
      ahead = ahead.length === 0 ? bytes : Buffer.concat([ahead, bytes]);
      parseNext();
    });
    connections.set(socket, (request) => {
      unanswered.add(request);
      return () => {
        if (ahead.length === 0) unanswered.delete(request);
        else {
          queue.run(async () => {
            await setImmediate();
            unanswered.delete(request);
            parseNext();
          });
        }
      };
    });
  }

  server.on('connection', takeOver).on('secureConnection', takeOver);
  return (request) => connections.get(request.socket)?.(request) ?? (() => undefined);
}
