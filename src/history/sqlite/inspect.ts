import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { ConfigError } from '../../runtime/errors.ts';
import { openForReading, SOUND } from './check.ts';
import { troubleOf, UnusableHistory } from './errors.ts';
import { LEFT_DAMAGED, refuseForeign } from './schema.ts';

const MAGIC = 'SQLite format 3\0';

/**
 * Inspects a file without changing it. Throws a `ConfigError` if it is another program's, an `UnusableHistory` if it
 * is damaged or from a newer release, and SQLite's or the system's own error if it cannot be read.
 */
export function inspect(path: string, check: () => string): void {
  refuseOther(path);
  if (sizeOf(path) === 0 || isCutShort(path)) return;
  try {
    const db = openForReading(path);
    try {
      refuseForeign(db, path);
    } finally {
      db.close();
    }
    const found = check();
    if (found !== SOUND) throw damaged(path, found);
  } catch (error) {
    throw refusalOf(error, path);
  }
}

/** Converts an error that the file causes to a refusal. */
export function refusalOf(error: unknown, path: string): unknown {
  if (error instanceof ConfigError) return error;
  const { reason, detail } = troubleOf(error);
  return reason === 'damaged' || isUnexpectedContent(error) ? damaged(path, detail) : error;
}

/** SQLite's general error: the statements are known to be right, so that the file's format or tables are not. */
function isUnexpectedContent(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 1;
}

function damaged(path: string, detail: string): UnusableHistory {
  const why = detail.replace(/\s+/g, ' ').slice(0, 200);
  return new UnusableHistory('damaged', `storage.path: ${path} is damaged: ${why}`, LEFT_DAMAGED);
}

/** Throws a `ConfigError` if a path is something that cannot be a file of this exporter. */
export function refuseSpecial(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return;
  throw new ConfigError(
    `storage.path: ${path} is ${found.isDirectory() ? 'a directory' : 'not a regular file'}`,
    'give the path of a file with --storage.path; it is created if necessary',
  );
}

/** Throws an `UnusableHistory` if a file does not begin like a database; an empty or missing one may become one. */
export function refuseOther(path: string): void {
  if (sizeOf(path) === 0 || isCutShort(path)) return;
  const start = Buffer.alloc(MAGIC.length);
  const file = openSync(path, 'r');
  try {
    readSync(file, start, 0, start.length, 0);
  } finally {
    closeSync(file);
  }
  if (start.toString('latin1') === MAGIC) return;
  const message = `storage.path: ${path} is damaged or not an SQLite database`;
  throw new UnusableHistory('damaged', message, LEFT_DAMAGED);
}

/**
 * An interrupted change is rolled back by the next process that opens the file for writing; until then it looks
 * damaged.
 */
function isCutShort(path: string): boolean {
  return sizeOf(`${path}-journal`) > 0;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
