import { BlockList, isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { ConfigError } from '../text/errors.ts';
import { bareHost, portOf, withoutBrackets } from './host-name.ts';
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

/** The host of a URL, without brackets or a final dot. */
interface Host {
  readonly name: string;
  readonly port: number;
  /** 4 or 6 if the name is an address, otherwise 0. */
  readonly family: number;
}

type Rule = (host: Host) => boolean;

/**
 * Parses the hosts that no proxy is used for, separated by commas or spaces, as curl and Go read them: `*` is every host,
 * `corp.example` and `.corp.example` a domain with its subdomains, `*.corp.example` the subdomains alone, `10.1.2.3`,
 * `[::1]`, `10.0.0.0/8` and `fd00::/8` addresses; a name or an address may be followed by a port. Anything else matches
 * nothing. Names are never resolved. This machine itself always matches.
 */
export function parseNoProxy(text: string): (url: URL) => boolean {
  const rules = [
    isThisMachine,
    ...text
      .toLowerCase()
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(parseRule),
  ];
  return (url) => {
    const host = hostOf(url);
    return rules.some((rule) => rule(host));
  };
}

function hostOf(url: URL): Host {
  const name = bareHost(url.hostname);
  return { name, port: portOf(url), family: isIP(name) };
}

function parseRule(entry: string): Rule {
  if (entry === '*') return () => true;
  const [network = '', prefix] = entry.split('/');
  if (prefix !== undefined) return within(bareHost(network), prefix);
  // An address of IPv6 with a port has brackets.
  const [, named = entry, port] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
  const matches = isIP(bareHost(named)) === 0 ? below(named) : within(bareHost(named));
  return port === undefined ? matches : (host) => host.port === Number(port) && matches(host);
}

function below(pattern: string): Rule {
  const domain = domainToASCII(bareHost(pattern.replace(/^\*?\./, '')));
  if (domain === '') return () => false;
  const excludesItself = pattern.startsWith('*');
  return ({ name, family }) =>
    family === 0 && (name.endsWith(`.${domain}`) || (name === domain && !excludesItself));
}

function within(network: string, prefix?: string): Rule {
  const version = isIP(network);
  const bits = version === 6 ? 128 : 32;
  const length = prefix === undefined ? bits : /^\d{1,3}$/.test(prefix) ? Number(prefix) : bits + 1;
  if (version === 0 || length > bits) return () => false;
  const list = new BlockList();
  list.addSubnet(network, length, version === 6 ? 'ipv6' : 'ipv4');
  return ({ name, family }) => family !== 0 && list.check(name, family === 6 ? 'ipv6' : 'ipv4');
}

function isThisMachine(host: Host): boolean {
  return host.name === 'localhost' || LOOPBACK.some((rule) => rule(host));
}

const LOOPBACK: readonly Rule[] = [within('127.0.0.0', '8'), within('::1')];
