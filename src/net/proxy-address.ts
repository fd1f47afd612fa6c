import { ConfigError } from '../text/errors.ts';
import { portOf, withoutBrackets } from './host-name.ts';
import { parseNoProxy } from './no-proxy.ts';
import type { ProxySettings } from './proxy.ts';

/** An HTTP proxy. */
export type ProxyAddress = ReturnType<typeof parseAddress>;

/**
 * Parses proxy settings into what finds the proxy for a URL, undefined if it is to be requested directly; throws
 * a `ConfigError` without the value if one is not the URL of an HTTP proxy.
 */
export function parseProxies(settings: ProxySettings | undefined): (url: URL) => ProxyAddress | undefined {
  const plain = parseVariable('HTTP_PROXY', settings);
  const secure = parseVariable('HTTPS_PROXY', settings);
  if (plain === undefined && secure === undefined) return () => undefined;
  const isExcluded = parseNoProxy(settings?.NO_PROXY ?? '');
  return (url) => (isExcluded(url) ? undefined : url.protocol === 'https:' ? secure : plain);
}

function parseVariable(
  name: 'HTTP_PROXY' | 'HTTPS_PROXY',
  settings: ProxySettings | undefined,
): ProxyAddress | undefined {
  const text = settings?.[name]?.trim() ?? '';
  return text === '' ? undefined : parseAddress(name, text);
}

/** `host:port` means http, as in curl and Go. */
function parseAddress(variable: string, text: string) {
  const address = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(address)) throw new ConfigError(`${variable} is not a URL`);
  const url = new URL(address);
  const { protocol, hostname } = url;
  if (protocol !== 'http:' && protocol !== 'https:') {
    throw new ConfigError(
      `${variable} must begin with http:// or https://`,
      'Other kinds of proxies are not supported.',
    );
  }
  const secure = protocol === 'https:';
  const port = portOf(url);
  return {
    /** Whether the connection to the proxy itself uses TLS. */
    secure,
    host: withoutBrackets(hostname),
    port,
    /** Host and port, for messages. */
    name: `${hostname}:${port}`,
    /** The `Proxy-Authorization` header. */
    authorization: authorizationOf(variable, url),
    /** The URL, with its credentials. */
    href: url.href,
  };
}

function authorizationOf(variable: string, { username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  try {
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(pair).toString('base64')}`;
  } catch {
    throw new ConfigError(
      `${variable} contains credentials with an invalid percent-encoding`,
      'Write a percent sign as %25.',
    );
  }
}
