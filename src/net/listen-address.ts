// Apart from the other parsers: `node:net` takes milliseconds to load, which `--version` and the help need not spend.
import { isIPv4, isIPv6 } from 'node:net';

/** A listen address; without a host on all interfaces, with port 0 on one that the system chooses. */
export interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
}

const HOST_NAME =
  /^(?=.{1,253}$)[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?(\.[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?$/;

/** Parses `:9889`, `127.0.0.1:9889`, `[::1]:9889` or `host:9889`; undefined if it is invalid. */
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

/** Formats an address so that `parseListenAddress` can parse it. */
export function formatListenAddress({ host, port }: ListenAddress): string {
  if (host === undefined) return `:${port}`;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Host and port at which a server that listens there is reached from this machine. */
export function localPlace({ host, port }: ListenAddress): string {
  const everywhere = host === undefined || host === '0.0.0.0' || host === '::';
  return formatListenAddress({ host: everywhere ? '127.0.0.1' : host, port });
}

// Digits and dots only are a mistyped IPv4 address, not a name.
function isName(text: string): boolean {
  return HOST_NAME.test(text) && !/^[\d.]+$/.test(text);
}
