import type { Files } from '../files/reader.ts';
import { pasteProblem } from '../log/pasted-key.ts';
import { ConfigError, messageOf } from '../text/errors.ts';
import { follow, readNamed } from './followed.ts';
import type { Environment } from './process-environment.ts';

/** Where secrets are. */
export interface SecretSources {
  readonly environment: Environment;
  readonly files: Files;
}

/** A source of an API key, or of what contains another secret. */
export interface Credential<Content = string> {
  /** The current key: the last good one while its file contains no usable key. */
  read(): Promise<Content>;
  /** Reads its files if one has changed; resolves with whether it did, rejects with the `problem`. */
  refresh(): Promise<boolean>;
  /** Why the latest content of its files is not in use; undefined if it is. */
  problem(): string | undefined;
  /** Describes the source of the key, without the key. */
  describe(): string;
  /** The keys that `read` returned lately, newest last, for redaction. */
  secrets(): readonly string[];
}

/** Secrets come from the environment only, never from a flag or the text of a file key. */
export const secretVariables = {
  AGENT_PLATFORM_API_KEY: 'The API key of the organization configured by --api.base-url',
  AGENT_PLATFORM_API_KEY_FILE: 'A file that contains this key. It is read again when it changes',
  AGENT_PLATFORM_HOOKS_TOKEN:
    'The token that hook senders present to POST /hooks/events. Without a token, hook events are not accepted',
  AGENT_PLATFORM_HOOKS_TOKEN_FILE: 'A file that contains this token. It is read again when it changes',
  AGENT_PLATFORM_STORAGE_URL_FILE:
    'A file that contains the URL of --storage.url. It is read again when it changes, as are the files that the URL names',
  AGENT_PLATFORM_USERS_HASH_KEY:
    'The key of the hashes that identify users with --users.identity=hash; at least 16 bytes',
  AGENT_PLATFORM_USERS_HASH_KEY_FILE: 'A file that contains this key. It is read again when it changes',
} as const;

const MAX_KEY_LENGTH = 16_384;
const keysRemembered = 8;

/** A constant key, or what `parse` reads instead. Throws a `ConfigError` if it is invalid. */
export function createFixedCredential(text: string, source: string, parse = keyIn): Credential {
  const key = parse(text, source);
  return {
    read: async () => key,
    refresh: async () => false,
    problem: () => undefined,
    describe: () => source,
    secrets: () => [key],
  };
}

/**
 * A key in a file, read again when the file changes. `describe()` is `source`; rejects with a `ConfigError` if the file
 * contains no usable key at first. `parse` reads something else than a key; its errors must not repeat the text.
 */
export function createFileCredential(
  path: string,
  source: string,
  files: Files,
  parse: (text: string, source: string) => string = keyIn,
): Promise<Credential> {
  const read = async (followed: Files) => parse(await readNamed(followed, path, source), source);
  return followSecret(source, files, read, String);
}

/** What `read` makes of the files that it reads, of which the text from `secretOf` is secret; otherwise as `createFileCredential`. */
export async function followSecret<Content>(
  source: string,
  files: Files,
  read: (files: Files) => Promise<Content>,
  secretOf: (content: Content) => string,
): Promise<Credential<Content>> {
  const file = await follow(files, read);
  let problem: string | undefined;
  let known: readonly string[] = [secretOf(file.current())];

  async function refresh(): Promise<boolean> {
    try {
      const isChanged = await file.refresh();
      problem = undefined;
      const key = secretOf(file.current());
      if (key !== known.at(-1)) known = [...known, key].slice(-keysRemembered);
      return isChanged;
    } catch (error) {
      problem = messageOf(error);
      throw error;
    }
  }

  return {
    refresh,
    async read() {
      await refresh().catch(() => undefined);
      return file.current();
    },
    problem: () => problem,
    describe: () => source,
    secrets: () => known,
  };
}

/** The secret of `placeOfSecret`; undefined if there is none. Rejects with a `ConfigError` if it is invalid. */
export async function readSecret(
  variable: string,
  { environment, files }: SecretSources,
  parse = keyIn,
): Promise<Credential | undefined> {
  const place = placeOfSecret(variable, environment);
  if (place === undefined) return undefined;
  const { source, textIn } = place;
  return followSecret(source, files, async (read) => parse(await textIn(read), source), String);
}

/** Where the text of a secret is. */
interface SecretPlace {
  readonly source: string;
  textIn(files: Files): Promise<string>;
}

/**
 * A variable, or the file that `<variable>_FILE` names; undefined if neither is set. Throws a `ConfigError` if both are.
 */
export function placeOfSecret(variable: string, environment: Environment): SecretPlace | undefined {
  // Compose and Helm set variables without a value to the empty string.
  const text = environment[variable] || undefined;
  const file = environment[`${variable}_FILE`] || undefined;
  if (text !== undefined && file !== undefined) {
    throw new ConfigError(`${variable} and ${variable}_FILE are both set`, 'set only one of them');
  }
  if (text !== undefined) return { source: variable, textIn: async () => text };
  if (file === undefined) return undefined;
  const source = `${file} (${variable}_FILE)`;
  return { source, textIn: (files) => readNamed(files, file, source) };
}

/** A key or token in a text, as `pastedKey` reads it; throws a `ConfigError` that never repeats it. */
function keyIn(text: string, source: string): string {
  return secretIn(pastedKey(text, source), source);
}

/**
 * A key in a text that somebody pasted or an editor wrote: without a byte order mark, and without blanks and line breaks at its end.
 * Throws a `ConfigError`, which never repeats it, if more than the key was pasted.
 */
export function pastedKey(text: string, source: string): string {
  const problem = pasteProblem(text);
  if (problem !== undefined) throw new ConfigError(`${source} contains ${problem}`);
  return trimmed(text);
}

/** Any secret in a text, such as a password or a URL, which may contain quotation marks. Throws like `keyIn`. */
export function secretIn(text: string, source: string): string {
  const key = trimmed(text);
  if (key === '') throw new ConfigError(`${source} is empty`);
  if (/\s/.test(key)) throw new ConfigError(`${source} contains a key with white space`);
  // Other characters cannot be sent in a header.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new ConfigError(`${source} contains a key with non-ASCII characters`);
  if (key.length > MAX_KEY_LENGTH) throw new ConfigError(`${source} is longer than any key`);
  return key;
}

function trimmed(text: string): string {
  return text.replace(/^\ufeff/, '').trimEnd();
}
