import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/** What SQLite says about a whole database. */
export const SOUND = 'ok';

/** How much of a file is read at once, in bytes. */
const READ_BYTES = 1024 * 1024;

/**
 * Checks a whole database without changing it, which takes time in proportion to its size. Returns `SOUND`, or what is
 * damaged; throws the error of SQLite or the system if it cannot be read. Indexes are compared with their tables only in
 * a suspect file, because that takes twice as long.
 */
export function check(path: string, isSuspect: boolean): string {
  readAll(path);
  const db = openForReading(path);
  try {
    const pragma = isSuspect ? 'integrity_check' : 'quick_check';
    return String(db.prepare(`PRAGMA ${pragma}(1)`).get()?.[pragma]);
  } finally {
    db.close();
  }
}

/**
 * Reads a file in the order of its bytes, so that the system has it in memory afterwards. SQLite asks for the pages in
 * another order, for which a disk takes up to eight times as long, and a thread cannot be ended while it does so.
 */
function readAll(path: string): void {
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  const file = openSync(path, 'r');
  try {
    while (readSync(file, buffer) > 0);
  } finally {
    closeSync(file);
  }
}

/** Opens a database so that closing it does not change the file. */
export function openForReading(path: string): DatabaseSync {
  // Without a write-ahead log there is no writer; SQLite then needs no files beside the database to read it.
  if (existsSync(`${path}-wal`)) return new DatabaseSync(path, { readOnly: true });
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, { readOnly: true });
}
