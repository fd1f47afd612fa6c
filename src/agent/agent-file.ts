import { copyFileSync, existsSync, lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import path from 'node:path';
import { isObject } from '../catalog/object.ts';
import { codeOf, createFolder, readNow, writeWhole } from '../files/local-file.ts';
import { unreadable } from '../files/text-file.ts';
import { type Lock, takeLock } from '../store/lock.ts';
import { troubleOf } from '../store/sqlite-errors.ts';
import { attempt, ConfigError, messageOf } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';
import { type HookCommand, mergeAgentConfig, parseExactly } from './agent-config.ts';

const FIX = 'fix the file, or give another one with --file';

/** The wait between attempts to take a lock that another process has, in milliseconds, and the number of attempts. */
const lockedMs = 50;
const MAX_TRIES = 200;

/** Dependencies of a merge. */
interface MergeParts {
  /** The path of the lock that keeps processes of the user from losing each other's changes. */
  readonly lock: string;
  readonly clock: Pick<Clock, 'now' | 'wait'>;
}

/**
 * Merges a command into the agent's file as `mergeAgentConfig` does, and keeps a backup; returns what was done, in lines.
 * Rejects with a `ConfigError` if the file has another shape, or cannot be read or written, or if another process keeps the
 * lock.
 */
export async function mergeAgentFile(
  named: string,
  events: readonly string[],
  command: HookCommand,
  { lock, clock }: MergeParts,
): Promise<readonly string[]> {
  const taken = await whenFree(lock, clock);
  try {
    return mergeNow(named, events, command, clock);
  } finally {
    taken?.release();
  }
}

/** Takes the lock once it is free; undefined if it cannot be created, because a single process does not need it. */
async function whenFree(lock: string, clock: Pick<Clock, 'wait'>): Promise<Lock | undefined> {
  attempt(() => createFolder(path.dirname(lock)));
  for (let nth = 0; nth < MAX_TRIES; nth++) {
    try {
      return takeLock(lock);
    } catch (error) {
      if (troubleOf(error).reason !== 'locked') return undefined;
    }
    await clock.wait(lockedMs);
  }
  throw new ConfigError(`another process has locked ${lock}; nothing was changed`, 'end it, and try again');
}

function mergeNow(
  named: string,
  events: readonly string[],
  command: HookCommand,
  clock: Pick<Clock, 'now'>,
): readonly string[] {
  // The agent reads hooks from a file of their own, or from a member of its settings.
  const isSettings = /^settings\b/i.test(path.basename(named));
  const { file, text } = fileNow(named);
  const content = text?.replace(/^\ufeff/, '') ?? '';
  const existing = content.trim() === '' ? {} : attempt(() => parseExactly(content));
  if (existing === undefined) {
    throw new ConfigError(`${named} is not valid JSON; nothing was changed`, FIX);
  }
  if (!isObject(existing)) throw new ConfigError(`${named} is not a JSON object; nothing was changed`);
  const indent = /^[ \t]+(?=")/m.exec(content)?.[0] ?? '  ';
  const { config, left } = merged(existing);
  const notes = left.map(
    (event) => `${event}: a command line of your own runs the hook and was left as it is`,
  );
  let whole = `${JSON.stringify(config, null, indent)}\n`;
  if (text !== undefined && JSON.stringify(parseExactly(whole)) === JSON.stringify(existing)) {
    return [`${named} is up to date`, ...notes];
  }
  // Line ends and a byte order mark stay as they were.
  if (content.includes('\r\n')) whole = whole.replaceAll('\n', '\r\n');
  if (text !== undefined && text !== content) whole = `\ufeff${whole}`;
  try {
    const backup = text === undefined ? '' : `; backup in ${keepOld(file, clock.now())}`;
    writeWhole(file, whole, { mode: statSync(file, { throwIfNoEntry: false })?.mode });
    return [`wrote ${named}${backup}`, ...notes];
  } catch (error) {
    throw new ConfigError(`${named} cannot be written (${codeOf(error)})`);
  }

  function merged(former: Readonly<Record<string, unknown>>) {
    try {
      return mergeAgentConfig(former, events, command, isSettings);
    } catch (error) {
      throw new ConfigError(`${named}: ${messageOf(error)}`, FIX);
    }
  }
}

/** The file behind symbolic links, and its text; undefined if it does not exist yet. */
function fileNow(named: string): { readonly file: string; readonly text: string | undefined } {
  try {
    const found = statSync(named, { throwIfNoEntry: false });
    // Only regular files: reading a device may never end, and writing would replace it by a file.
    if (found?.isFile() === false && !found.isDirectory()) {
      throw new ConfigError(`${named} is not a regular file`);
    }
    const file = targetOf(named);
    return { file, text: found === undefined ? undefined : readNow(file) };
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError(`${named} ${unreadable(error)}`);
  }
}

/** The file behind symbolic links, such as into a directory of dotfiles; it need not exist yet. */
function targetOf(file: string): string {
  if (statSync(file, { throwIfNoEntry: false }) !== undefined) return realpathSync(file);
  if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) return file;
  return targetOf(path.resolve(realpathSync(path.dirname(file)), readlinkSync(file)));
}

function keepOld(file: string, at: number): string {
  const now = new Date(at).toISOString().replace(/\.\d+/, '').replaceAll(':', '-');
  let backup = `${file}.${now}.bak`;
  for (let nth = 2; existsSync(backup); nth++) backup = `${file}.${now}-${nth}.bak`;
  copyFileSync(file, backup);
  return backup;
}
