import { ConfigError } from '../runtime/errors.ts';
import { type Credential, createFileCredential, createFixedCredential } from './credential.ts';
import type { Environment } from './environment.ts';
import type { Files } from './files.ts';
import type { RawOptions } from './option.ts';

/** Where the history and the hook events are stored. */
export interface StorageConfig {
  /** The file of the history, or `:memory:`; not used if there is a URL. */
  readonly path: string;
  /** The URL of the PostgreSQL database, which contains its password; undefined for the file. */
  readonly url: Credential | undefined;
  /** What happens to a file that is damaged or from a newer release. */
  readonly onDamage: 'keep' | 'replace';
}

interface StorageValues {
  readonly 'storage.path': string;
  readonly 'storage.url': string | undefined;
  readonly 'storage.on-damage': 'keep' | 'replace';
}

const urlVariable = 'AGENT_PLATFORM_STORAGE_URL';
const fileVariable = 'AGENT_PLATFORM_STORAGE_URL_FILE';

/**
 * Reads the settings of the store; `sources` are those that the values come from. Rejects with a `ConfigError` if both a
 * file and a database are given, or if a password is set where others could read it.
 */
export async function readStorage(
  values: StorageValues,
  sources: readonly RawOptions[],
  environment: Environment,
  files: Files,
): Promise<StorageConfig> {
  const url = await readUrl(values['storage.url'], sources, environment, files);
  const path = sources.flatMap((source) => source.get('storage.path') ?? [])[0];
  if (url !== undefined && path !== undefined) {
    throw new ConfigError(
      `${path.origin} and ${url.describe()} are both set`,
      'give either a file or a database; an empty AGENT_PLATFORM_STORAGE_PATH removes the path that a container image or a package sets',
    );
  }
  return { url, path: values['storage.path'], onDamage: values['storage.on-damage'] };
}

/** Reads both stores, for a copy from one to the other; rejects with a `ConfigError` if one is missing. */
export async function readBothStores(
  values: Pick<StorageValues, 'storage.path' | 'storage.url'>,
  sources: readonly RawOptions[],
  environment: Environment,
  files: Files,
): Promise<{ readonly path: string; readonly url: Credential }> {
  const path = values['storage.path'];
  const url = await readUrl(values['storage.url'], sources, environment, files);
  if (url === undefined)
    throw new ConfigError('no database is given', `set ${urlVariable} or ${fileVariable}`);
  if (path === ':memory:') throw new ConfigError('storage.path: memory cannot be copied', 'give a file');
  return { path, url };
}

async function readUrl(
  value: string | undefined,
  sources: readonly RawOptions[],
  environment: Environment,
  files: Files,
): Promise<Credential | undefined> {
  const given = sources.flatMap((source) => source.get('storage.url') ?? [])[0];
  const file = environment[fileVariable] || undefined;
  if (given !== undefined && file !== undefined) {
    throw new ConfigError(`${given.origin} and ${fileVariable} are both set`, 'set only one of them');
  }
  if (file !== undefined) {
    const source = `${file} (${fileVariable})`;
    const url = await createFileCredential(file, source, files);
    check(await url.read(), source);
    return url;
  }
  if (given === undefined || value === undefined) return undefined;
  const hasPassword = check(value, given.origin);
  if (hasPassword && given.origin !== urlVariable) {
    throw new ConfigError(
      `${given.origin} contains a password`,
      `set ${urlVariable} or ${fileVariable} instead: others can read flags and configuration files`,
    );
  }
  return createFixedCredential(value, given.origin);
}

/** Throws a `ConfigError` that never repeats an invalid URL; returns whether it contains a password. */
function check(text: string, origin: string): boolean {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    throw new ConfigError(
      `${origin}: is not a URL of PostgreSQL, such as postgres://user@host:5432/database`,
    );
  }
  const schema = url.searchParams.get('schema');
  if (schema !== null && !/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new ConfigError(`${origin}: schema must be a name of small letters, digits and underscores`);
  }
  return url.password !== '' || url.searchParams.has('password');
}

/** The URL of the database and the password in it, for redaction. */
export function storageSecrets({ url }: StorageConfig): readonly string[] {
  return (url?.secrets() ?? []).flatMap((text) => {
    const parsed = URL.parse(text);
    const passwords = [parsed?.password ?? '', parsed?.searchParams.get('password') ?? ''];
    return [text, ...passwords.flatMap((one) => (one === '' ? [] : [one, decoded(one)]))];
  });
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
