import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../../runtime/errors.ts';
import { refuseForeign } from './schema.ts';
import { troubleOf } from './trouble.ts';

const MAGIC = 'SQLite format 3\0';

/**
 * Looks at a file without changing a byte of it. Throws a `ConfigError` where it is no history, is damaged or is
 * of a newer release, and SQLite's or the system's own error where it cannot be looked at.
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
  const { reason, detail } = troubleOf(error);
  return reason === 'damaged' ? damaged(path, detail) : error;
}

function damaged(path: string, detail: string): ConfigError {
  return new ConfigError(
    `storage.path: ${path} is damaged: ${detail.replace(/\s+/g, ' ').slice(0, 200)}`,
    'it is left as it is; restore a copy, or move it away: what is missing is then fetched again',
  );
}

/** Throws a `ConfigError` where a file does not even begin like a database; one that is empty or missing may become one. */
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
  throw new ConfigError(
    `storage.path: ${path} is damaged, or not a SQLite database at all`,
    'it is left as it is; restore a copy, move it away, or give another path with --storage.path',
  );
}

/** A change that was cut short is undone by the next one to open the file for writing; until then it looks damaged. */
function isCutShort(path: string): boolean {
  return sizeOf(`${path}-journal`) > 0;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
