import { isIPv4, isIPv6 } from 'node:net';

/** Where a server listens; without a host on all interfaces, with port 0 on one that the system picks. */
export interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
}

const hostname =
  /^(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?$/;

/** Reads `:9889`, `127.0.0.1:9889`, `[::1]:9889` or `host:9889`; undefined where it is none of them. */
export function parseListenAddress(text: string): ListenAddress | undefined {
  const match = /^(?:\[([^\]]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const port = Number(match[3]);
  if (port > 65_535) return undefined;
  const [, bracketed, plain = ''] = match;
  if (bracketed !== undefined) return isIPv6(bracketed) ? { host: bracketed, port } : undefined;
  if (plain === '') return { host: undefined, port };
  return isIPv4(plain) || isName(plain) ? { host: plain, port } : undefined;
}

/** Writes an address in the form that `parseListenAddress` reads. */
export function formatListenAddress({ host, port }: ListenAddress): string {
  if (host === undefined) return `:${port}`;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

// Figures and dots alone are a mistyped IPv4 address, not a name.
function isName(text: string): boolean {
  return hostname.test(text) && !/^[\d.]+$/.test(text);
}
