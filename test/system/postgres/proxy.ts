import { connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A network in front of a server, whose trouble the test decides. */
interface Proxy {
  readonly port: number;
  /** Delays each piece of an answer, in milliseconds. */
  delay(ms: number): void;
  /** Holds all answers back, or sends what was held back. */
  hold(isHeld: boolean): void;
  /** Cuts all connections. */
  cut(): void;
  /** Leads new connections to another port. */
  leadTo(port: number): void;
}

/** Starts a proxy on loopback until the end of the test. */
export async function startProxy(target: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  let port = target;
  let delayMs = 0;
  let gate = Promise.resolve();
  let open: (() => void) | undefined;

  function keep(socket: Socket): void {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  }

  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ port, host: '127.0.0.1', noDelay: true });
    keep(client);
    keep(upstream);
    client.pipe(upstream);
    let last = Promise.resolve();
    upstream.on('data', (piece) => {
      const due = Promise.withResolvers<void>();
      setTimeout(due.resolve, delayMs);
      last = Promise.all([last, due.promise, gate]).then(() => void client.write(piece));
    });
    upstream.on('close', () => void last.then(() => client.destroy()));
    client.on('close', () => upstream.destroy());
  });
  server.listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');

  function release(): void {
    open?.();
    open = undefined;
    gate = Promise.resolve();
  }
  function cut(): void {
    for (const socket of sockets) socket.destroy();
  }
  onTestFinished(() => {
    release();
    cut();
    server.close();
  });

  return {
    port: address.port,
    delay(ms) {
      delayMs = ms;
    },
    hold(isHeld) {
      release();
      if (!isHeld) return;
      const next = Promise.withResolvers<void>();
      gate = next.promise;
      open = next.resolve;
    },
    cut,
    leadTo(other) {
      port = other;
    },
  };
}
