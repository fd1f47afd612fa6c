import { ConfigError } from '../text/errors.ts';
import { suggestion } from '../text/suggestion.ts';
import { withoutBrackets } from './host-name.ts';

/** A URL of PostgreSQL, and what the files that it names contain, in PEM format. */
export interface DatabaseAccess {
  readonly url: string;
  readonly rootCert?: string | undefined;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** As libpq understands `sslmode` and its files, each a path. */
export interface DatabaseTls {
  readonly verify: 'nothing' | 'authority' | 'host';
  /** Begins with the handshake of TLS, which PostgreSQL supports from version 17 on. */
  readonly isDirect: boolean;
  readonly rootCert: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

const PARAMETERS = [
  'application_name',
  'host',
  'schema',
  'sslcert',
  'sslkey',
  'sslmode',
  'sslnegotiation',
  'sslrootcert',
] as const;
const MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
const NEGOTIATIONS = ['postgres', 'direct'] as const;
const STANDARD_PORT = 5432;
/** The server truncates longer ones. */
const MAX_NAME_BYTES = 63;

type Parameters = Readonly<Partial<Record<(typeof PARAMETERS)[number], string>>>;

/** What a URL of PostgreSQL says; nothing else, such as a variable of libpq, decides how to connect. */
export type DatabaseUrl = ReturnType<typeof parseDatabaseUrl>;

/**
 * Parses a URL of PostgreSQL. Throws a `ConfigError` for whatever it does not know, so that a misspelt parameter never
 * means an unencrypted connection; the error repeats no part that may be a password.
 */
export function parseDatabaseUrl(text: string) {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new ConfigError('is not a URL of PostgreSQL, such as postgres://user@host:5432/database');
  }
  if (url.hash !== '') throw new ConfigError('contains #', 'write %23 in a password or name');
  const given = parametersOf(url);
  const host = hostOf(url, given);
  const user = decoded(url.username, 'the user');
  if (user === '') throw new ConfigError('names no user', 'such as postgres://user@host:5432/database');
  const tls = tlsOf(given);
  if (tls && host.startsWith('/'))
    throw new ConfigError('sslmode: a socket is not encrypted', 'remove it, or give the name of a host');
  return {
    /** A name, an address, or the directory of a socket. */
    host,
    port: portOf(url),
    user,
    password: decoded(url.password, 'the password') || undefined,
    database: decoded(url.pathname.slice(1), 'the database') || user,
    schema: schemaOf(given),
    applicationName: applicationNameOf(given),
    /** False where the URL wants no encryption, undefined where it says nothing; then there is none either. */
    tls,
  };
}

function parametersOf(url: URL): Parameters {
  const given = new Map<string, string>();
  for (const [name, value] of url.searchParams) {
    if (!isParameter(name)) throw unknownParameter(name);
    if (given.has(name)) throw new ConfigError(`${name} is given twice`);
    if (value === '') throw new ConfigError(`${name} is empty`);
    given.set(name, value);
  }
  return Object.fromEntries(given);
}

function isParameter(name: string): boolean {
  return PARAMETERS.some((known) => known === name);
}

function unknownParameter(name: string): ConfigError {
  // Anything else may be a part of a password that contains a question mark.
  const shown = /^[A-Za-z_]{1,40}$/.test(name) ? ` ${name}` : '';
  return new ConfigError(
    `unknown parameter${shown}`,
    suggestion(name, PARAMETERS) ?? `known are ${PARAMETERS.join(', ')}`,
  );
}

function hostOf(url: URL, given: Parameters): string {
  const named = decoded(withoutBrackets(url.hostname), 'the host');
  if (given.host !== undefined) {
    if (!given.host.startsWith('/')) {
      throw new ConfigError('host must be the directory of a socket', 'write the name of a host after @');
    }
    return given.host;
  }
  if (named === '') throw new ConfigError('names no host', 'such as postgres://user@host:5432/database');
  if (named.includes(',')) throw new ConfigError('names several hosts', 'name the one of the primary server');
  return named;
}

function portOf(url: URL): number {
  if (url.port === '') return STANDARD_PORT;
  const port = Number(url.port);
  if (port === 0) throw new ConfigError('the port must be between 1 and 65535');
  return port;
}

function tlsOf({
  sslmode,
  sslnegotiation,
  sslrootcert,
  sslcert,
  sslkey,
}: Parameters): DatabaseTls | false | undefined {
  const mode = sslmode === undefined ? undefined : choice('sslmode', sslmode, MODES);
  const negotiation =
    sslnegotiation === undefined ? 'postgres' : choice('sslnegotiation', sslnegotiation, NEGOTIATIONS);
  if (mode === undefined || mode === 'disable') {
    const files = { sslrootcert, sslcert, sslkey, sslnegotiation };
    const [vain] = Object.entries(files).find(([, value]) => value !== undefined) ?? [];
    if (vain === undefined) return mode === undefined ? undefined : false;
    throw new ConfigError(`${vain} is given for a connection without encryption`, 'add sslmode=verify-full');
  }
  if ((sslcert === undefined) !== (sslkey === undefined))
    throw new ConfigError('sslcert and sslkey belong together', 'give both');
  if (mode === 'verify-ca' && sslrootcert === undefined)
    throw new ConfigError('sslmode=verify-ca needs sslrootcert', 'or use sslmode=verify-full');
  return {
    // With a file of authorities, libpq verifies them even if only encryption is required.
    verify: mode === 'verify-full' ? 'host' : sslrootcert === undefined ? 'nothing' : 'authority',
    isDirect: negotiation === 'direct',
    rootCert: sslrootcert,
    cert: sslcert,
    key: sslkey,
  };
}

function choice<Value extends string>(name: string, given: string, values: readonly Value[]): Value {
  const found = values.find((value) => value === given);
  if (found !== undefined) return found;
  throw new ConfigError(
    `${name} must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`,
    suggestion(given, values),
  );
}

function schemaOf({ schema = 'agent_platform' }: Parameters): string {
  if (/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) return schema;
  throw new ConfigError('schema must be a name of small letters, digits and underscores');
}

function applicationNameOf({ application_name: name = 'agent-platform-exporter' }: Parameters): string {
  if (/^[ -~]+$/.test(name) && name.length <= MAX_NAME_BYTES) return name;
  throw new ConfigError(`application_name must be at most ${MAX_NAME_BYTES} ASCII characters`);
}

function decoded(text: string, what: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ConfigError(`${what} is not percent-encoded correctly`, 'write %25 for a percent sign');
  }
}
