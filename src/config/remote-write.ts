import { createHash } from 'node:crypto';
import type { Files } from '../files/reader.ts';
import { ConfigError } from '../text/errors.ts';
import type { backfillOptions } from './command-options.ts';
import { createFileCredential, secretIn } from './credential.ts';
import type { ValuesOf } from './option.ts';

/** How a remote target is addressed, as configured. */
export type RemoteWrite = NonNullable<Awaited<ReturnType<typeof readRemoteWrite>>>;

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
 * How a remote target is addressed, with credentials and CA; undefined if files are written instead. Reads the files that the
 * remote-write options name; rejects with a `ConfigError` if one is unusable, or unless there is one destination.
 */
export async function readRemoteWrite(values: ValuesOf<typeof backfillOptions>, files: Files) {
  const { output, 'remote-write.url': url, 'remote-write.username': user } = values;
  if ((output === undefined) === (url === undefined)) {
    throw new ConfigError(
      output === undefined ? 'no destination' : '--output and --remote-write.url are both given',
      'give one of them: --output for OpenMetrics files, --remote-write.url for remote write',
    );
  }
  const tokenFile = values['remote-write.bearer-token-file'];
  const passwordFile = values['remote-write.password-file'];
  if (tokenFile !== undefined && user !== undefined) {
    throw new ConfigError('--remote-write.bearer-token-file and --remote-write.username are both given');
  }
  if ((user === undefined) !== (passwordFile === undefined)) {
    throw new ConfigError('--remote-write.username and --remote-write.password-file must be given together');
  }
  const fixed = parseHeaders('--remote-write.header', values['remote-write.header']);
  for (const [name, value] of fixed) headerValueIn(value, `--remote-write.header: the value of ${name}`);
  const inFiles = parseHeaders('--remote-write.header-file', values['remote-write.header-file'], fixed);
  if (url === undefined) return undefined;
  async function open(
    name: string,
    file: string,
    textOf: (secret: string) => string,
    parse?: typeof secretIn,
  ) {
    const credential = await createFileCredential(file, file, files, parse);
    return { credential, header: async () => [name, textOf(await credential.read())] as const };
  }
  const bearer = (token: string) => `Bearer ${token}`;
  const basic = (password: string) => `Basic ${Buffer.from(`${user ?? ''}:${password}`).toString('base64')}`;
  const secret = await Promise.all([
    ...inFiles.map(([name, file]) => open(name, file, String, headerValueIn)),
    ...(tokenFile === undefined ? [] : [open('Authorization', tokenFile, bearer)]),
    ...(passwordFile === undefined ? [] : [open('Authorization', passwordFile, basic, secretIn)]),
  ]);
  const caFile = values['remote-write.tls-ca-file'];
  const caSource = `--remote-write.tls-ca-file: ${caFile}`;
  const authorities =
    caFile === undefined ? undefined : await createFileCredential(caFile, caSource, files, authoritiesIn);
  const identity = [user, tokenFile, fixed.toSorted(), inFiles.toSorted()];
  const isPlain = user === undefined && tokenFile === undefined && fixed.length + inFiles.length === 0;
  const digest = createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 16);
  return {
    url,
    /** The headers with the credentials of a request, as their files contain them now. */
    async headers(): Promise<Readonly<Record<string, string>>> {
      return Object.fromEntries([...fixed, ...(await Promise.all(secret.map(({ header }) => header())))]);
    },
    /** The trusted authorities, as their file contains them now; undefined for the usual ones. */
    ca: async () => authorities?.read(),
    /**
     * What distinguishes the tenants of one address, as the end of a key in the state file: user, headers and the files of
     * secrets. Only a digest, because a value could be secret.
     */
    tenant: isPlain ? '' : ` ${digest}`,
    /** All secrets, for redaction. */
    secrets: () => secret.flatMap(({ credential }) => credential.secrets()),
  };
}

function authoritiesIn(text: string, source: string): string {
  if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  throw new ConfigError(`${source} contains no certificate in PEM format`);
}

/**
 * Parses headers given as `Name: value` by the option `flag`. Throws a `ConfigError`, which never repeats a value, for an
 * invalid, reserved or repeated name.
 */
function parseHeaders(
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
function headerValueIn(text: string, source: string): string {
  const value = text.replace(/[\r\n]+$/, '');
  if (value === '') throw new ConfigError(`${source} is empty`);
  if (value.length > MAX_VALUE_LENGTH) throw new ConfigError(`${source} is longer than any header`);
  if (!VALUE.test(value))
    throw new ConfigError(`${source} contains characters that are not allowed in a header`);
  return value;
}
