import type { Server, ServerOptions } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { contextOptions } from './certificates.ts';
import { admits, asksForCertificate, shownBy } from './client-policy.ts';
import type { TlsSettings } from './settings.ts';

/** A client has this long for its handshake. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** The listening side of TLS. */
export interface TlsListener {
  createServer(options: ServerOptions): Server;
  /** What the next connections are served with; those that are open go on. */
  update(tls: TlsSettings): void;
  /** Whether a connection is open although its client has not shown the certificate that is asked for. */
  isUncertified(socket: Socket): boolean;
}

/**
 * Creates the listening side of TLS. Clients without the certificate that is asked for are cut off after the
 * handshake, unless `keepsUncertified`: then somebody else judges what they may see.
 */
export function createTlsListener(initial: TlsSettings, keepsUncertified: boolean): TlsListener {
  let current = initial;
  let server: ReturnType<typeof createServer> | undefined;
  const uncertified = new WeakSet<Socket>();

  function judge(socket: TLSSocket): void {
    if (admits(current, shownBy(socket))) return;
    uncertified.add(socket);
    // The HTTP side, which gets the socket after this, finds it closed.
    if (!keepsUncertified) socket.destroy();
  }

  return {
    createServer(options) {
      server = createServer({
        ...options,
        ...contextOptions(current),
        handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
        requestCert: asksForCertificate(current),
        // Node would know only two of the five policies.
        rejectUnauthorized: false,
      });
      server.prependListener('secureConnection', judge);
      return server;
    },
    update(tls) {
      server?.setSecureContext(contextOptions(tls));
      // Node has no method for this. Were it ignored one day, nobody would be asked, and so nobody admitted.
      if (server !== undefined) Object.assign(server, { requestCert: asksForCertificate(tls) });
      current = tls;
    },
    isUncertified: (socket) => uncertified.has(socket),
  };
}
