import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../../runtime/errors.ts';
import { LEFT_DAMAGED, refuseForeign } from './schema.ts';
import { troubleOf, UnusableHistory } from './trouble.ts';

const MAGIC = 'SQLite format 3\0';

/**
 * Looks at a file without changing a byte of it. Throws a `ConfigError` where it is another program's, an
 * `UnusableHistory` where it is damaged or of a newer release, and SQLite's or the system's own error where it
 * cannot be looked at.
 */
export function inspect(path: string): void {
  refuseOther(path);
  if (sizeOf(path) === 0 || isCutShort(path)) return;
  const db = openForReading(path);
  try {
    refuseForeign(db, path);
    const found = db.prepare('PRAGMA quick_check(1)').get()?.['quick_check'];
    if (found !== 'ok') throw damaged(path, String(found));
  } catch (error) {
    throw refusalOf(error, path);
  } finally {
    db.close();
  }
}

/** Opens a database so that closing it leaves the file as it is. */
export function openForReading(path: string): DatabaseSync {
  // Without a write-ahead log nobody writes; SQLite then needs no files beside the database to read it.
  if (existsSync(`${path}-wal`)) return new DatabaseSync(path, { readOnly: true });
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true });
}

/** An error as a refusal where the file is to blame for it. */
export function refusalOf(error: unknown, path: string): unknown {
  if (error instanceof ConfigError) return error;
  const { reason, detail } = troubleOf(error);
  return reason === 'damaged' ? damaged(path, detail) : error;
}

function damaged(path: string, detail: string): UnusableHistory {
  const why = detail.replace(/\s+/g, ' ').slice(0, 200);
  return new UnusableHistory('damaged', `storage.path: ${path} is damaged: ${why}`, LEFT_DAMAGED);
}

/** Throws a `ConfigError` where something is at a path that no file of this exporter can ever be. */
export function refuseSpecial(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return;
  throw new ConfigError(
    `storage.path: ${path} is ${found.isDirectory() ? 'a directory' : 'not a regular file'}`,
    'give the path of a file with --storage.path; it is created if necessary',
  );
}

/** Throws an `UnusableHistory` where a file does not even begin like a database; one that is empty or missing may become one. */
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

/** A change that was cut short is undone by the next one to open the file for writing; until then it looks damaged. */
function isCutShort(path: string): boolean {
  return sizeOf(`${path}-journal`) > 0;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
