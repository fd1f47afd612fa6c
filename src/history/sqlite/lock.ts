import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** A file that one process at a time holds; others may still read what it guards. */
export interface Lock {
  release(): void;
  /** Releases it and takes away the file, where it was not there before. */
  undo(): void;
}

/**
 * Takes the lock, or throws what SQLite or the system says. The system itself releases it when the process ends,
 * however it ends: it is the lock of an empty SQLite database.
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
