import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** A file lock that one process at a time holds; other processes may still read what it protects. */
export interface Lock {
  release(): void;
  /** Releases it and removes the file, if it did not exist before. */
  undo(): void;
}

/**
 * Takes the lock, or throws the error of SQLite or the system. It is the lock of an empty SQLite database, so the
 * system releases it when the process ends for any reason.
 */
export function takeLock(path: string): Lock {
  const isNew = !existsSync(path);
  closeSync(openSync(path, 'a', 0o600));
  const db = new DatabaseSync(path);
  try {
    db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (error) {
    db.close();
    throw error;
  }
  return {
    release: () => db.close(),
    undo() {
      db.close();
      if (isNew) rmSync(path, { force: true });
    },
  };
}
