import { ConfigError } from '../runtime/errors.ts';
import { pasteProblem } from '../runtime/pasted-key.ts';
import { unreadable } from '../runtime/text-file.ts';
import type { Files } from './files.ts';

/** A source of an API key. */
export interface Credential {
  /** The current key: the last good one while its file contains no usable key. */
  read(): Promise<string>;
  /** Why the latest content of its file is not in use; undefined if it is. */
  problem(): string | undefined;
  /** Describes the source of the key, without the key. */
  describe(): string;
  /** The keys that `read` returned lately, newest last, for redaction. */
  secrets(): readonly string[];
}

const MAX_KEY_LENGTH = 16_384;
const keysRemembered = 8;

/** A constant key, or what `parse` reads instead. Throws a `ConfigError` if it is invalid. */
export function createFixedCredential(text: string, source: string, parse = keyIn): Credential {
  const key = parse(text, source);
  return { read: async () => key, problem: () => undefined, describe: () => source, secrets: () => [key] };
}

/**
 * A key in a file, read again when the file changes. `describe()` is `source`; rejects with a `ConfigError` if the file
 * contains no usable key at first. `parse` reads something else than a key; its errors must not repeat the text.
 */
export async function createFileCredential(
  path: string,
  source: string,
  files: Files,
  parse: (text: string, source: string) => string = keyIn,
): Promise<Credential> {
  let seen: string | undefined;
  let problem: string | undefined;
  let known: readonly string[] = [];
  async function read(): Promise<string> {
    const fingerprint = await files.fingerprint(path);
    const last = known.at(-1);
    if (last !== undefined && fingerprint === seen) return last;
    const key = parse(await files.read(path), source);
    if (key !== last) known = [...known, key].slice(-keysRemembered);
    // Taken before reading: after a write in between, the next call reads again.
    seen = fingerprint;
    return key;
  }
  function explain(error: unknown): string {
    return error instanceof ConfigError ? error.message : `${source} ${unreadable(error)}`;
  }
  let lastGood: string;
  try {
    lastGood = await read();
  } catch (error) {
    throw new ConfigError(explain(error));
  }
  return {
    async read() {
      try {
        lastGood = await read();
        problem = undefined;
      } catch (error) {
        problem = explain(error);
      }
      return lastGood;
    },
    problem: () => problem,
    describe: () => source,
    secrets: () => known,
  };
}

/** A key or token in a text, without trailing line breaks; throws a `ConfigError` that never repeats it. */
function keyIn(text: string, source: string): string {
  const problem = pasteProblem(text);
  if (problem !== undefined) throw new ConfigError(`${source} contains ${problem}`);
  return secretIn(text, source);
}

/** Any secret in a text, such as a password or a URL, which may contain quotation marks. Throws like `keyIn`. */
export function secretIn(text: string, source: string): string {
  const key = text.replace(/[\r\n]+$/, '');
  if (key === '') throw new ConfigError(`${source} is empty`);
  if (/\s/.test(key)) throw new ConfigError(`${source} contains a key with white space`);
  // Other characters cannot be sent in a header.
  if (!/^[\x21-\x7e]+$/.test(key))
    throw new ConfigError(`${source} contains a key with non-ASCII characters`);
  if (key.length > MAX_KEY_LENGTH) throw new ConfigError(`${source} is longer than any key`);
  return key;
}
