import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Files } from '../files/reader.ts';
import { type DatabaseAccess, type DatabaseUrl, parseDatabaseUrl } from '../net/database-url.ts';
import { attempt, ConfigError, messageOf } from '../text/errors.ts';
import { type Credential, followSecret, placeOfSecret, type SecretSources, secretIn } from './credential.ts';
import { readNamed } from './followed.ts';
import type { SharedOptions } from './options.ts';
import type { Environment, Resolved } from './resolve.ts';

/** Where the history and the hook events are stored. */
export type StorageConfig = Awaited<ReturnType<typeof readStorage>>;

type Given<Flag extends keyof SharedOptions> = Resolved<Pick<SharedOptions, Flag>>;

const urlVariable = 'AGENT_PLATFORM_STORAGE_URL';
const fileVariable = 'AGENT_PLATFORM_STORAGE_URL_FILE';

/**
 * Reads the settings of the store. Rejects with a `ConfigError` if both a file and a database are given, or if a password
 * is set where others could read it.
 */
export async function readStorage(
  given: Given<'storage.path' | 'storage.url' | 'storage.on-damage'>,
  sources: SecretSources,
) {
  const { values } = given;
  // Contains the password of the database; undefined for the file.
  const url = await readUrl(given, sources);
  const path = given.origin('storage.path');
  if (url !== undefined && path !== undefined) {
    throw new ConfigError(
      `${path} and ${url.describe()} are both set`,
      'give either a file or a database; an empty AGENT_PLATFORM_STORAGE_PATH removes the path that a container image or a package sets',
    );
  }
  return { url, path: values['storage.path'], onDamage: values['storage.on-damage'] };
}

/** Reads both stores, for a copy from one to the other; rejects with a `ConfigError` if one is missing. */
export async function readBothStores(given: Given<'storage.path' | 'storage.url'>, sources: SecretSources) {
  const path = given.values['storage.path'];
  const url = await readUrl(given, sources);
  if (url === undefined)
    throw new ConfigError('no database is given', `set ${urlVariable} or ${fileVariable}`);
  if (path === ':memory:') throw new ConfigError('storage.path: memory cannot be copied', 'give a file');
  return { path, url };
}

/** Follows the URL and the files that it names. */
async function readUrl(
  { values, origin }: Given<'storage.url'>,
  { environment, files }: SecretSources,
): Promise<Credential<DatabaseAccess> | undefined> {
  const value = values['storage.url'];
  const given = origin('storage.url');
  const isOpen = value !== undefined && given !== undefined && given !== urlVariable;
  const place = isOpen
    ? { source: given, textIn: async () => value }
    : placeOfSecret(urlVariable, environment);
  if (place === undefined) return undefined;
  const { source, textIn } = place;
  const read = async (followed: Files) =>
    accessIn(await textIn(followed), source, { environment, files: followed });
  const url = await followSecret(source, files, read, (access) => access.url);
  if (!isOpen) return url;
  if (environment[fileVariable]) {
    throw new ConfigError(`${source} and ${fileVariable} are both set`, 'set only one of them');
  }
  if (parsed(value, source).password === undefined) return url;
  throw new ConfigError(
    `${source} contains a password`,
    `set ${urlVariable} or ${fileVariable} instead: others can read flags and configuration files`,
  );
}

/** The URL in a text, and its files; rejects with a `ConfigError` that never repeats an invalid URL. */
async function accessIn(
  text: string,
  source: string,
  { environment, files }: SecretSources,
): Promise<DatabaseAccess> {
  const url = secretIn(text, source);
  const parts = parsed(url, source);
  refuseVariables(parts, source, environment);
  const { rootCert, cert, key } = parts.tls || {};

  /** The text of a file that is usable; `parse` throws otherwise. */
  async function pem<Parsed>(name: string, path: string | undefined, parse: (text: string) => Parsed) {
    if (path === undefined) return undefined;
    const what = `${source}: ${name}: ${path}`;
    const content = await readNamed(files, path, what);
    try {
      return { content, parsed: parse(content) };
    } catch (error) {
      throw new ConfigError(`${what} cannot be used (${messageOf(error)})`);
    }
  }

  const certificate = (content: string) => new X509Certificate(content);
  const authority = await pem('sslrootcert', rootCert, certificate);
  const own = await pem('sslcert', cert, certificate);
  const ownKey = await pem('sslkey', key, createPrivateKey);
  if (own !== undefined && ownKey !== undefined && !own.parsed.checkPrivateKey(ownKey.parsed)) {
    throw new ConfigError(`${source}: sslkey is not the key of the certificate in sslcert`);
  }
  return { url, rootCert: authority?.content, cert: own?.content, key: ownKey?.content };
}

function parsed(text: string, origin: string): DatabaseUrl {
  try {
    return parseDatabaseUrl(text);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError(`${origin}: ${error.message}`, error.hint);
  }
}

/**
 * Refuses variables of libpq that the URL does not override. The connection does not depend on them, but whoever set one,
 * such as `PGSSLMODE`, believes that it does.
 */
function refuseVariables({ tls, password }: DatabaseUrl, origin: string, environment: Environment): void {
  const vain = [
    ...(tls === undefined ? ['PGSSLMODE', 'PGSSLROOTCERT', 'PGSSLCERT', 'PGSSLKEY'] : []),
    ...(password === undefined ? ['PGPASSWORD'] : []),
    // The driver would send these, and no URL can override them.
    'PGOPTIONS',
    'PGREPLICATION',
  ].find((name) => environment[name]);
  if (vain === undefined) return;
  throw new ConfigError(
    `${vain} is set, but only the URL of ${origin} decides how to connect`,
    vain.startsWith('PGSSL')
      ? 'add sslmode=verify-full or sslmode=disable to the URL'
      : `unset ${vain}${vain === 'PGPASSWORD' ? ', and write the password into the URL' : ''}`,
  );
}

/** The URL of the database and the password in it, for redaction. */
export function storageSecrets({ url }: StorageConfig): readonly string[] {
  return (url?.secrets() ?? []).flatMap((text) => {
    const parsed = URL.parse(text);
    const passwords = [parsed?.password ?? '', parsed?.searchParams.get('password') ?? ''];
    return [
      text,
      ...passwords.flatMap((one) => (one === '' ? [] : [one, attempt(() => decodeURIComponent(one)) ?? one])),
    ];
  });
}
