import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type DatabaseUrl, parseDatabaseUrl } from '../runtime/database-url.ts';
import { attempt, ConfigError, messageOf } from '../runtime/errors.ts';
import {
  type Credential,
  createFixedCredential,
  readSecret,
  type SecretSources,
  secretIn,
} from './credential.ts';
import type { Environment } from './environment.ts';
import { readNamed } from './followed.ts';
import type { SharedOptions } from './options.ts';
import type { Resolved } from './resolve.ts';

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

async function readUrl(
  { values, origin }: Given<'storage.url'>,
  sources: SecretSources,
): Promise<Credential | undefined> {
  const value = values['storage.url'];
  const given = origin('storage.url');
  if (value === undefined || given === undefined || given === urlVariable) {
    const url = await readSecret(urlVariable, sources, urlIn);
    if (url !== undefined) await check(await url.read(), url.describe(), sources);
    return url;
  }
  if (sources.environment[fileVariable]) {
    throw new ConfigError(`${given} and ${fileVariable} are both set`, 'set only one of them');
  }
  const { password } = await check(value, given, sources);
  if (password !== undefined) {
    throw new ConfigError(
      `${given} contains a password`,
      `set ${urlVariable} or ${fileVariable} instead: others can read flags and configuration files`,
    );
  }
  return createFixedCredential(value, given, secretIn);
}

/** The URL in a text; throws a `ConfigError` that never repeats an invalid one. */
function urlIn(text: string, source: string): string {
  const url = secretIn(text, source);
  parsed(url, source);
  return url;
}

/** Parses a URL and reads its files; rejects with a `ConfigError` that never repeats an invalid URL. */
async function check(
  text: string,
  origin: string,
  { environment, files }: SecretSources,
): Promise<DatabaseUrl> {
  const url = parsed(text, origin);
  refuseVariables(url, origin, environment);
  const { rootCert, cert, key } = url.tls || {};
  for (const [name, path] of Object.entries({ sslrootcert: rootCert, sslcert: cert, sslkey: key })) {
    if (path === undefined) continue;
    const what = `${origin}: ${name}: ${path}`;
    const pem = await readNamed(files, path, what);
    try {
      if (name === 'sslkey') createPrivateKey(pem);
      else new X509Certificate(pem);
    } catch (error) {
      throw new ConfigError(`${what} cannot be used (${messageOf(error)})`);
    }
  }
  return url;
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
