import { constants } from 'node:crypto';
import type { Server, ServerOptions } from 'node:http';
import { createServer } from 'node:https';
import { type Socket, SocketAddress } from 'node:net';
import { getCACertificates, type SecureContextOptions, type TLSSocket } from 'node:tls';
import { attempt } from '../text/errors.ts';
import { policies, type TlsSettings } from './schema.ts';

/** Maximum duration of a handshake. */
const HANDSHAKE_TIMEOUT_MS = 10_000;

/** The listening side of TLS. */
export type TlsListener = ReturnType<typeof createTlsListener>;

/**
 * Creates the listening side of TLS. Clients without the required certificate are disconnected after the handshake,
 * unless `keepsUncertified`: then the caller decides what they may access.
 */
export function createTlsListener(initial: TlsSettings, keepsUncertified: boolean) {
  let current = initial;
  let server: ReturnType<typeof createServer> | undefined;
  const uncertified = new WeakSet<Socket>();

  function checkClient(socket: TLSSocket): void {
    if (admits(current, socket)) return;
    uncertified.add(socket);
    // The HTTP server receives the socket afterwards and finds it closed.
    if (!keepsUncertified) socket.destroy();
  }

  return {
    createServer(options: ServerOptions): Server {
      server = createServer({
        ...options,
        ...contextOptions(current),
        handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
        requestCert: policies[current.clientAuth].asks,
        // Node.js implements only two of the five policies.
        rejectUnauthorized: false,
      });
      server.prependListener('secureConnection', checkClient);
      return server;
    },
    /** Applies to new connections; open ones are not interrupted. */
    update(tls: TlsSettings): void {
      server?.setSecureContext(contextOptions(tls));
      // Node.js has no method for this. If a later version ignores it, no client is asked for a certificate or
      // admitted.
      if (server !== undefined) Object.assign(server, { requestCert: policies[tls.clientAuth].asks });
      current = tls;
    },
    /** Whether a connection is open although its client has not presented the required certificate. */
    isUncertified: (socket: Socket) => uncertified.has(socket),
  };
}

/** Whether a client is admitted after the handshake. */
function admits({ clientAuth, allowedNames }: TlsSettings, socket: TLSSocket): boolean {
  const { requires, verifies } = policies[clientAuth];
  const certificate = socket.getPeerX509Certificate();
  if (certificate === undefined) return !requires;
  // Authorized: a chain of valid signatures leads to one of the CAs.
  if (verifies && !socket.authorized) return false;
  return allowedNames === undefined || hasAllowedName(certificate.subjectAltName, allowedNames);
}

/** TLS settings as Node.js options. */
export function contextOptions(tls: TlsSettings): SecureContextOptions {
  return {
    cert: tls.certificate,
    key: tls.key,
    ca: authoritiesOf(tls),
    minVersion: tls.minVersion,
    maxVersion: tls.maxVersion,
    ciphers: tls.ciphers,
    ecdhCurve: tls.curves,
    honorCipherOrder: tls.serverOrder,
    // A resumed session would keep a client certificate that was checked under earlier settings.
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}

function authoritiesOf({ clientAuth, clientCa }: TlsSettings): SecureContextOptions['ca'] {
  if (clientCa !== undefined || !policies[clientAuth].verifies) return clientCa;
  // Some systems list certificates twice, and clients abort a handshake that names too many.
  const ofSystem = [...new Set(getCACertificates('system'))];
  // Without system certificates, the ones bundled with Node are used.
  return ofSystem.length === 0 ? undefined : ofSystem;
}

/**
 * The alternative names of a certificate, parsed from Node.js' text (`DNS:a, IP Address:10.0.0.1, URI:"spiffe://a,
 * b"`): DNS names, e-mail addresses, IP addresses and URIs, unchanged. An unparsable text has no names.
 */
export function subjectNames(text: string | undefined): readonly string[] {
  const names: string[] = [];
  let rest = text ?? '';
  while (rest !== '') {
    const match = ENTRY.exec(rest);
    if (match === null) return [];
    const [whole, kind = '', value = ''] = match;
    rest = rest.slice(whole.length);
    const name = plain(value);
    if (name === undefined) return [];
    if (kind === 'DNS' || kind === 'email' || kind === 'URI') names.push(name);
    if (kind === 'IP Address') names.push(canonical(name));
  }
  return names;
}

/** Whether a certificate's names contain an allowed one exactly. */
export function hasAllowedName(text: string | undefined, allowed: readonly string[]): boolean {
  const names = subjectNames(text);
  return allowed.some((name) => names.includes(canonical(name)));
}

/** One entry; a value with a comma or anything unusual is quoted like JSON. */
const ENTRY = /^([A-Za-z0-9 ]{1,30}):("(?:[^"\\]|\\.)*"|[^",]*)(?:, (?=.)|$)/;

function plain(value: string): string | undefined {
  return value.startsWith('"') ? attempt(() => String(JSON.parse(value))) : value;
}

/** The shortest form of an IPv6 address, which OpenSSL writes in full; any other text is returned as it is. */
function canonical(text: string): string {
  if (!/^[\da-fA-F:.]+$/.test(text)) return text;
  return attempt(() => new SocketAddress({ address: text, family: 'ipv6' }).address) ?? text;
}
