import { ConfigError } from '../../runtime/errors.ts';

/** A header's name, and what was given for it: its value, or a file that contains the value. */
type GivenHeader = readonly [name: string, given: string];

/** Headers that belong to the protocol or to the connection. */
const RESERVED = new Set(
  `content-type content-encoding content-length x-prometheus-remote-write-version user-agent accept-encoding host
  connection keep-alive transfer-encoding te trailer upgrade expect proxy-authenticate proxy-authorization
  proxy-connection`.split(/\s+/),
);

const CREDENTIALS_HINT = 'use --remote-write.bearer-token-file, or --remote-write.username';
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;
const VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/;
const MAX_VALUE_LENGTH = 16_384;

/**
 * Parses headers given as `Name: value` by the option `flag`. Throws a `ConfigError`, which never repeats a value, for an
 * invalid, reserved or repeated name.
 */
export function parseHeaders(
  flag: string,
  texts: readonly string[],
  others: readonly GivenHeader[] = [],
): readonly GivenHeader[] {
  const seen = new Set(others.map(([name]) => name.toLowerCase()));
  return texts.map((text, index): GivenHeader => {
    const at = text.indexOf(':');
    const name = text.slice(0, Math.max(0, at)).trim();
    const given = text.slice(at + 1).trim();
    // The name of a header without a colon may be its value.
    if (!NAME.test(name) || given === '') {
      throw new ConfigError(
        `${flag}: header ${index + 1} is not in the form "Name: value"`,
        `such as ${flag} 'X-Scope-OrgID: tenant'`,
      );
    }
    const lower = name.toLowerCase();
    if (RESERVED.has(lower)) throw new ConfigError(`${flag}: ${name} cannot be set`, 'the exporter sets it');
    if (lower === 'authorization') throw new ConfigError(`${flag}: ${name} cannot be set`, CREDENTIALS_HINT);
    if (seen.has(lower)) throw new ConfigError(`${flag}: ${name} is given twice`);
    seen.add(lower);
    return [name, given];
  });
}

/** A header's value from a text that may end with line breaks; throws a `ConfigError` that never repeats it. */
export function headerValueIn(text: string, source: string): string {
  const value = text.replace(/[\r\n]+$/, '');
  if (value === '') throw new ConfigError(`${source} is empty`);
  if (value.length > MAX_VALUE_LENGTH) throw new ConfigError(`${source} is longer than any header`);
  if (!VALUE.test(value))
    throw new ConfigError(`${source} contains characters that are not allowed in a header`);
  return value;
}
