import { type AddressInfo, connect as connectTo, createServer, type Socket } from 'node:net';
import { createServer as createSecureServer } from 'node:tls';
import { onTestFinished } from 'vitest';

/** An HTTP proxy that never closes a connection by itself. */
export interface TestProxy {
  /** Its address, with credentials. */
  readonly url: string;
  /** Its host and port, as errors name them. */
  readonly name: string;
  /** The heads of all requests. */
  readonly heads: readonly string[];
  /** The number of open connections. */
  open(): number;
}

/**
 * What it does with a CONNECT: it answers with a status, not at all, with a 200 that nothing follows, with one and a page of
 * its own, or opens a tunnel to a port of this machine, whatever the target is.
 */
type ProxyAnswer = number | 'silence' | 'mute' | 'page' | { readonly port: number };

/** Starts a proxy for one test, with TLS if it gets a certificate. */
export async function startProxy(
  answer: ProxyAnswer,
  tls?: { readonly certificate: string; readonly key: string },
): Promise<TestProxy> {
  const heads: string[] = [];
  const sockets = new Set<Socket>();
  const server =
    tls === undefined
      ? createServer({ allowHalfOpen: false }, accept)
      : createSecureServer({ cert: tls.certificate, key: tls.key }, accept);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  function accept(socket: Socket): void {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    let head = '';
    socket.on('data', function onData(chunk) {
      head += chunk.toString('latin1');
      if (!head.includes('\r\n\r\n')) return;
      socket.off('data', onData);
      socket.resume();
      heads.push(head);
      respond(socket);
    });
  }

  function respond(socket: Socket): void {
    if (answer === 'silence') return;
    if (typeof answer === 'number') {
      socket.write(`HTTP/1.1 ${answer} Whatever\r\nContent-Length: 3\r\nX-From: proxy\r\n\r\nno\n`);
      return;
    }
    if (answer === 'mute') {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      return;
    }
    if (answer === 'page') {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n<html></html>');
      return;
    }
    const target = connectTo(answer.port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(target).pipe(socket);
    });
    target.on('error', () => socket.destroy()).on('close', () => socket.destroy());
    socket.on('close', () => target.destroy());
  }

  const { port } = server.address() as AddressInfo;
  const name = `localhost:${port}`;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://us%65r:secret@${name}`,
    name,
    heads,
    open: () => sockets.size,
  };
}
