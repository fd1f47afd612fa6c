import {
  createServer,
  type Server as HttpListener,
  type RequestListener,
  type ServerOptions,
} from 'node:http';
import { type AddressInfo, Server, type Socket } from 'node:net';
import type { Clock } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/errors.ts';
import { limitConnections } from './connections.ts';

export interface HttpServerDeps {
  readonly app: RequestListener;
  readonly clock: Pick<Clock, 'elapsed' | 'wait'>;
  /** Most connections at a time; over it, the ones that matter least are closed. */
  readonly maxConnections: number;
  /** Makes the server that listens, such as one for TLS; plain HTTP where not given. */
  readonly createServer?: ((options: ServerOptions) => HttpListener) | undefined;
}

export interface ListenAddress {
  /** All interfaces, IPv6 included, where it is undefined. */
  readonly host: string | undefined;
  /** 0 lets the operating system choose. */
  readonly port: number;
}

export interface HttpServer {
  /** Resolves with the address in use; rejects with a ConfigError of one sentence where it cannot be had. */
  listen(address: ListenAddress): Promise<AddressInfo>;
  /**
   * Stops accepting, lets the requests under way end and closes what is idle; what still goes on after
   * `deadlineMs` milliseconds is cut off. Resolves when every connection is closed.
   */
  close(deadlineMs?: number): Promise<void>;
}

/** The process ends within 5 s; this leaves a second for the store and the log. */
const CLOSE_DEADLINE_MS = 3_000;
const DRAIN_STEP_MS = 25;

const SERVER_OPTIONS = {
  /** A scrape's request is one packet; only an attack takes longer. */
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  /**
   * Prometheus drops idle connections after 5 min. Waiting a little longer leaves the closing to the client, which
   * therefore never sends a scrape into a connection that is being closed.
   */
  keepAliveTimeout: 310_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
} as const;

/** A client that takes nothing of its answer for this long is cut off. */
const STALLED_CLIENT_MS = 60_000;

/** Creates a server around a request listener; nothing listens before `listen`. */
export function createHttpServer(deps: HttpServerDeps): HttpServer {
  const server = (deps.createServer ?? createServer)(SERVER_OPTIONS);
  limitConnections(server, { limit: deps.maxConnections, clock: deps.clock });
  let answering = 0;
  let closing = false;
  server.on('request', (_request, response) => {
    answering += 1;
    // Comes when the last byte has left, or the connection is gone.
    response.once('close', () => {
      answering -= 1;
    });
    if (closing) response.shouldKeepAlive = false;
  });
  server.on('request', deps.app);
  server.timeout = STALLED_CLIENT_MS;
  const sockets = new Set<Socket>();
  server.on('connection', track);
  // Of a TLS connection the socket inside: what it has read is what the client said.
  server.on('secureConnection', track);

  function track(socket: Socket): void {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  }

  function listen(address: ListenAddress): Promise<AddressInfo> {
    return new Promise((resolve, reject) => {
      function failed(error: NodeJS.ErrnoException): void {
        reject(listenError(address, error));
      }
      server.once('error', failed);
      server.listen(address.port, address.host, () => {
        server.off('error', failed);
        resolve(server.address() as AddressInfo);
      });
    });
  }

  async function close(deadlineMs = CLOSE_DEADLINE_MS): Promise<void> {
    if (!server.listening) return;
    const deadline = deps.clock.elapsed() + deadlineMs;
    let closed = false;
    closing = true;
    const whenClosed = new Promise<void>((resolve) => {
      // http's own close takes an answer that is written but not sent yet for idle, and cuts it off.
      Server.prototype.close.call(server, () => {
        closed = true;
        resolve();
      });
    });
    while (!closed && deps.clock.elapsed() < deadline) {
      if (answering === 0) server.closeIdleConnections();
      closeSilent();
      await Promise.race([whenClosed, deps.clock.wait(DRAIN_STEP_MS)]);
    }
    server.closeAllConnections();
    // Those in the middle of a TLS handshake are nobody's yet.
    for (const socket of sockets) socket.destroy();
    await whenClosed;
  }

  /** Browsers connect ahead of need; node does not count a connection that never said a word as idle. */
  function closeSilent(): void {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }

  return { listen, close };
}

function listenError(address: ListenAddress, error: NodeJS.ErrnoException): ConfigError {
  const shown = `${hostText(address.host)}:${address.port}`;
  const hint = 'choose another address with --web.listen-address';
  switch (error.code) {
    case 'EADDRINUSE':
      return new ConfigError(`cannot listen on ${shown}: another process already uses this port`, hint);
    case 'EACCES':
      return new ConfigError(`cannot listen on ${shown}: permission denied`, hint);
    case 'EADDRNOTAVAIL':
      return new ConfigError(`cannot listen on ${shown}: this machine does not have this address`, hint);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return new ConfigError(`cannot listen on ${shown}: unknown host name`, hint);
    default:
      return new ConfigError(`cannot listen on ${shown}: ${error.message}`, hint);
  }
}

function hostText(host: string | undefined): string {
  if (host === undefined) return '';
  return host.includes(':') ? `[${host}]` : host;
}
