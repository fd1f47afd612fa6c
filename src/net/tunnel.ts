import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { connectAttemptMs, nodeHttp } from './node-http.ts';
import { ProxyError } from './proxy.ts';
import type { ProxyAddress } from './proxy-address.ts';

/** A tunnel that is being opened. */
export type Tunnel = ReturnType<typeof openTunnel>;

/** Opens a tunnel to `target` (host and port) through a proxy, within `limitMs` milliseconds. */
export function openTunnel(proxy: ProxyAddress, target: string, limitMs: number) {
  const { promise: opened, resolve, reject } = Promise.withResolvers<Socket>();
  const { STATUS_CODES } = nodeHttp(false);
  const client = nodeHttp(proxy.secure);
  const options = {
    ...connectionTo(proxy, limitMs),
    method: 'CONNECT',
    path: target,
    agent: false,
    // Without the header `Connection: close`, which would contradict a tunnel.
    setDefaultHeaders: false,
    headers: {
      Host: target,
      'Proxy-Connection': 'keep-alive',
      ...(proxy.authorization === undefined ? {} : { 'Proxy-Authorization': proxy.authorization }),
    },
  };
  const request = client.request(options);
  const timer = setTimeout(() => end('ETIMEDOUT', 'no answer in time'), limitMs);
  request.on('error', (error) => {
    const code: unknown = Reflect.get(error, 'code');
    const known = typeof code === 'string' ? code : 'ECONNRESET';
    end(known, known);
  });
  // Emitted for an answer with any status.
  request.on('connect', ({ statusCode = 0 }: IncomingMessage, socket: Socket, begun: Buffer) => {
    // Whoever gets the connection listens too; this one is for errors of a connection that is being closed.
    socket.on('error', () => undefined);
    if (statusCode === 200) {
      clearTimeout(timer);
      // Bytes that came with the answer: a page in place of a tunnel fails at once, and not by waiting for it.
      if (begun.length > 0) socket.unshift(begun);
      resolve(socket);
    } else {
      socket.destroy();
      end('PROXY_REFUSED', `${statusCode} ${STATUS_CODES[statusCode] ?? ''}`.trim());
    }
  });
  request.end();

  function end(code: string, why: string): void {
    clearTimeout(timer);
    request.destroy();
    reject(new ProxyError(code, `the proxy ${proxy.name} opened no tunnel to ${target}: ${why}`));
  }

  return {
    /** The connection to the target; rejects with a `ProxyError`, and the connection to the proxy is closed. */
    opened,
    /** Closes it if it is not open yet. */
    close: () => end('ECONNABORTED', 'the connection was closed'),
  };
}

/** The options of a connection to the proxy itself, for `net` and `tls` alike. */
export function connectionTo({ host, port }: ProxyAddress, limitMs: number) {
  return {
    host,
    port,
    // Otherwise that of the request's Host header, which is the target.
    servername: isIP(host) === 0 ? host : '',
    autoSelectFamilyAttemptTimeout: connectAttemptMs(limitMs),
  };
}
