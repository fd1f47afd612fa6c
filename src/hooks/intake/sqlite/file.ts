import { closeSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { refuseOther } from '../../../history/sqlite/inspect.ts';
import { takeLock } from '../../../history/sqlite/lock.ts';
import { prepare } from './schema.ts';

/** The open file of hook events, exclusive to this process. */
export interface HookFile {
  readonly db: DatabaseSync;
  /** Whether the file is still at its path. */
  isInPlace(): boolean;
  close(): void;
}

/** Number of pages (4 KiB) after which the write-ahead log is checkpointed, within a commit. */
const LOG_PAGES = 256;

/** `data/history-hooks.db` for `data/history.db`. */
export function hookFileBeside(historyPath: string): string {
  const { dir, name } = parse(historyPath);
  return join(dir, `${name}-hooks.db`);
}

/** Opens the file and creates it and its directory if necessary, accessible to this user only. */
export function openHookFile(path: string): HookFile {
  refuseOther(path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lock = takeLock(`${path}.lock`);
  try {
    closeSync(openSync(path, 'a', 0o600));
    const db = openDatabase(path);
    const inode = inodeOf(path);
    return {
      db,
      isInPlace: () => inodeOf(path) === inode,
      close() {
        try {
          db.close();
        } finally {
          lock.release();
        }
      },
    };
  } catch (error) {
    lock.undo();
    throw error;
  }
}

function openDatabase(path: string): DatabaseSync {
  const db = new DatabaseSync(path);
  try {
    // FULL waits for the disk with every commit: the sender forgets acknowledged events, and nobody else has them.
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${LOG_PAGES}`);
    prepare(db, path);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function inodeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
