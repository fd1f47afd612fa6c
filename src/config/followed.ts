import type * as z from 'zod';
import type { Files } from '../files/reader.ts';
import { unreadable } from '../files/text-file.ts';
import type { Logger } from '../log/logger.ts';
import { ConfigError, messageOf } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';
import { createSerialQueue } from '../work/serial-queue.ts';
import { validated, type YamlNode } from './validate.ts';

/** Follows the last valid content of the files that `read` reads by its argument; rejects if they cannot be used at first. */
export async function follow<Content>(files: Files, read: (files: Files) => Promise<Content>) {
  const queue = createSerialQueue();
  /** The texts of the current content by path; undefined if a later attempt has failed. */
  let seen: ReadonlyMap<string, string> | undefined;
  let current = await attempt();

  async function attempt(): Promise<Content> {
    seen = undefined;
    const texts = new Map<string, string>();
    const content = await read({
      async read(path) {
        const text = await files.read(path);
        texts.set(path, text);
        return text;
      },
    });
    seen = texts;
    return content;
  }

  async function isUnchanged(): Promise<boolean> {
    const same = [...(seen ?? [])].map(async ([path, text]) => (await textIn(files, path)) === text);
    return seen !== undefined && (await Promise.all(same)).every(Boolean);
  }

  async function refresh(): Promise<boolean> {
    if (await isUnchanged()) return false;
    current = await attempt();
    return true;
  }

  return {
    current: () => current,
    /**
     * Reads the files again if one has changed, or if they were unusable; resolves with whether it did. Rejects if they cannot
     * be used, and keeps the previous content. Calls run one after the other.
     */
    refresh: () => queue.run(refresh),
  };
}

/** The text of a file; rejects with a `ConfigError` that begins with `source` if it cannot be read. */
export async function readNamed(files: Files, path: string, source: string): Promise<string> {
  try {
    return await files.read(path);
  } catch (error) {
    throw new ConfigError(`${source} ${unreadable(error)}`);
  }
}

/** A file that was valid, and where each of its values is. */
export interface YamlFile<Value> {
  readonly value: Value;
  readonly root: YamlNode;
}

/**
 * Reads a YAML file by its schema. Rejects with a `ConfigError` that names file, line and key, and for a mistyped key the
 * one that was probably meant; for a file that cannot be read it names the origin of the path, such as `--config.file`.
 */
export async function readYaml<Schema extends z.ZodType>(
  schema: Schema,
  { file, origin, files }: { readonly file: string; readonly origin: string; readonly files: Files },
): Promise<YamlFile<z.output<Schema>>> {
  const text = await readNamed(files, file, `${origin}: ${file}`);
  // Loaded lazily: the parser costs 50 ms at start-up, and most configurations have no file.
  const { parseYaml } = await import('./parse-yaml.ts');
  const root = parseYaml(text, file);
  return { value: validated(schema, root), root };
}

/** The text of a file; undefined if it cannot be read. */
function textIn(files: Files, path: string): Promise<string | undefined> {
  return files.read(path).catch(() => undefined);
}

/**
 * Whether a file has changed since this last said so, once two looks in a row found it the same: a file that is being written
 * is incomplete. One that is missing for a moment, as during a replacement, has not changed.
 */
export async function createLook(files: Files, path: string): Promise<() => Promise<boolean>> {
  let known = await textIn(files, path);
  let last = known;
  return async () => {
    const now = await textIn(files, path);
    const isSettled = now === last;
    last = now;
    if (now === undefined || now === known || !isSettled) return false;
    known = now;
    return true;
  };
}

/** Files that are looked at every few seconds. */
export interface Watched {
  /** In plain words: `the web configuration`. */
  readonly name: string;
  /** Applies changed content, and resolves with whether there was any; rejects with why it cannot be used. */
  look(): Promise<boolean>;
}

/** Interval between looks, in milliseconds. */
export const LOOK_MS = 3_500;

/**
 * Looks at all watched files until aborted, then rejects. A problem that lasts is logged once; `note` is told of it, and of its
 * end. No unusable file blocks the others.
 */
export async function watch(
  watched: () => Iterable<Watched>,
  parts: {
    readonly clock: Pick<Clock, 'wait'>;
    readonly signal: AbortSignal;
    readonly log: Logger;
    note(name: string, problem: string | undefined): void;
  },
): Promise<void> {
  const { clock, signal, log, note } = parts;
  const reported = new Map<string, string>();
  let before: ReadonlyMap<string, string> = new Map();
  for (;;) {
    await clock.wait(LOOK_MS, signal);
    const problems = new Map<string, string>();
    for (const { name, look } of watched()) {
      try {
        if (!(await look())) continue;
        // A requested reload may have told of a problem that was not reported here.
        reported.delete(name);
        note(name, undefined);
      } catch (error) {
        const problem = messageOf(error);
        problems.set(name, problem);
        // A certificate and its key are written one after the other: only what lasts until the next look is reported.
        if (before.get(name) !== problem || reported.get(name) === problem) continue;
        const hint = error instanceof ConfigError ? error.hint : undefined;
        log.error('Watched file unusable; keeping its last good value', { what: name, error: problem, hint });
        reported.set(name, problem);
        note(name, problem);
      }
    }
    for (const name of [...reported.keys()].filter((one) => !problems.has(one))) {
      reported.delete(name);
      note(name, undefined);
    }
    before = problems;
  }
}
