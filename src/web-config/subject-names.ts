import { SocketAddress } from 'node:net';
import { attempt } from '../text/errors.ts';

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
  return allowed.some((name) => names.includes(isAddress(name) ? canonical(name) : name));
}

/** One entry; a value with a comma or anything unusual is quoted like JSON. */
const ENTRY = /^([A-Za-z0-9 ]{1,30}):("(?:[^"\\]|\\.)*"|[^",]*)(?:, (?=.)|$)/;

function plain(value: string): string | undefined {
  return value.startsWith('"') ? attempt(() => String(JSON.parse(value))) : value;
}

function isAddress(name: string): boolean {
  return /^[\da-fA-F:.]+$/.test(name) && (name.includes(':') || /^\d+(\.\d+){3}$/.test(name));
}

/** The shortest form of an address; OpenSSL writes IPv6 addresses in full. */
function canonical(address: string): string {
  const family = address.includes(':') ? 'ipv6' : 'ipv4';
  return attempt(() => new SocketAddress({ address, family }).address) ?? address;
}
