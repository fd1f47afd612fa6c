import { once } from 'node:events';
import {
  createServer,
  type Server as HttpListener,
  type IncomingMessage,
  type RequestListener,
  type ServerOptions,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, Server, type Socket } from 'node:net';
import { codeOf } from '../files/local-file.ts';
import { formatListenAddress, type ListenAddress } from '../net/listen-address.ts';
import { ConfigError, messageOf } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';
import { limitConnections, parseOneByOne } from './connections.ts';

export interface HttpServerDeps {
  readonly app: RequestListener;
  readonly clock: Pick<Clock, 'elapsed' | 'wait'>;
  /** Maximum number of simultaneous connections. Beyond it, the least important ones are closed. */
  readonly maxConnections: number;
  /** Creates the listening server, such as one for TLS; plain HTTP by default. */
  readonly createServer?: ((options: ServerOptions) => HttpListener) | undefined;
}

/** How long a shutdown waits for requests, in milliseconds: the process exits within 5 s, and store and log need a second. */
const CLOSE_DEADLINE_MS = 3_000;
const DRAIN_STEP_MS = 25;

const SERVER_OPTIONS = {
  /** The time limit for receiving a request. A scrape's request fits into one packet; only an attack takes longer. */
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  /**
   * Prometheus closes idle connections after 5 min. Waiting a little longer leaves closing to the client, so that it
   * never sends a scrape on a connection that is being closed.
   */
  keepAliveTimeout: 310_000,
  connectionsCheckingInterval: 5_000,
  maxHeaderSize: 16_384,
  /** The application checks `Host` itself, because health checks may lack it. */
  requireHostHeader: false,
} as const;

/** A client that reads nothing of its answer for this long is disconnected. */
const STALLED_CLIENT_MS = 60_000;

export type HttpServer = ReturnType<typeof createHttpServer>;

/** Creates a server around a request listener; nothing listens before `listen`. */
export function createHttpServer(deps: HttpServerDeps) {
  const server = (deps.createServer ?? createServer)(SERVER_OPTIONS);
  const began = limitConnections(server, { limit: deps.maxConnections, clock: deps.clock });
  const parsed = parseOneByOne(server);
  let answering = 0;
  let closing = false;
  // A request with an unknown `Expect` header is answered like any other.
  server.on('request', answer).on('checkExpectation', answer);
  server.timeout = STALLED_CLIENT_MS;
  const sockets = new Set<Socket>();
  server.on('connection', track);
  // With TLS, the inner socket: its byte count is what the client sent.
  server.on('secureConnection', track);

  function answer(request: IncomingMessage, response: ServerResponse): void {
    answering += 1;
    const [ended, answered] = [began(request.socket), parsed(request)];
    // Fires when the last byte was sent or the connection is gone.
    response.on('close', () => {
      answering -= 1;
      ended();
      answered();
    });
    if (closing) response.shouldKeepAlive = false;
    deps.app(request, response);
  }

  function track(socket: Socket): void {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  }

  /** Resolves with the address in use; rejects with a ConfigError, and the system's code, if it is not available. */
  async function listen(address: ListenAddress): Promise<AddressInfo> {
    server.listen(address.port, address.host);
    try {
      await once(server, 'listening');
    } catch (error) {
      throw listenError(address, error);
    }
    return server.address() as AddressInfo;
  }

  /**
   * Stops accepting, lets requests in progress end and closes idle connections; whatever is left after `deadlineMs`
   * milliseconds is aborted. Resolves when every connection is closed.
   */
  async function close(deadlineMs = CLOSE_DEADLINE_MS): Promise<void> {
    if (!server.listening) return;
    const deadline = deps.clock.elapsed() + deadlineMs;
    let closed = false;
    closing = true;
    const whenClosed = once(server, 'close').then(() => {
      closed = true;
    });
    // http's own close treats an answer that is written but not yet sent as idle, and aborts it.
    Server.prototype.close.call(server);
    while (!closed && deps.clock.elapsed() < deadline) {
      if (answering === 0) server.closeIdleConnections();
      closeSilent();
      await Promise.race([whenClosed, deps.clock.wait(DRAIN_STEP_MS)]);
    }
    // All connections, and those in the middle of a TLS handshake.
    for (const socket of sockets) socket.destroy();
    await whenClosed;
  }

  /** Browsers preconnect; Node.js does not count a connection that never sent anything as idle. */
  function closeSilent(): void {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }

  return { listen, close };
}

/** Why an address is not available, by the system's error code. */
const LISTEN_PROBLEMS: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'another process already uses this port'],
  ['EACCES', 'permission denied'],
  ['EADDRNOTAVAIL', 'this machine does not have this address'],
  ['ENOTFOUND', 'unknown host name'],
  ['EAI_AGAIN', 'unknown host name'],
]);

function listenError(address: ListenAddress, error: unknown): ConfigError {
  const problem = LISTEN_PROBLEMS.get(codeOf(error)) ?? messageOf(error);
  const message = `cannot listen on ${formatListenAddress(address)}: ${problem}`;
  const thrown = new ConfigError(message, 'choose another address with --web.listen-address');
  return Object.assign(thrown, { code: codeOf(error) });
}
