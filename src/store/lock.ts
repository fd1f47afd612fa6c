import {
  accessSync,
  closeSync,
  constants,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { DatabaseSync } from 'node:sqlite';

/** More only where a file system gives a file another number each time. */
const MAX_ATTEMPTS = 10;

/** A file lock that one process at a time holds. */
export interface Lock {
  /** Whether the file is still at its path: once somebody has removed it, another process can take the lock. */
  isInPlace(): boolean;
  release(): void;
  /** Releases it and removes the file, if it did not exist before. */
  undo(): void;
}

/**
 * Takes the lock, or throws the error of SQLite or the system. It is the lock of an empty SQLite database, so the
 * system releases it when the process ends for any reason.
 */
export function takeLock(path: string): Lock {
  const isNew = create(path);
  for (let attempt = 1; ; attempt += 1) {
    const inode = inodeOf(path);
    const db = new DatabaseSync(path);
    try {
      db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    } catch (error) {
      db.close();
      throw error;
    }
    // Otherwise the file was removed meanwhile, and others lock the one that replaces it.
    const isSame = inode !== undefined && inodeOf(path) === inode;
    if (isSame || attempt === MAX_ATTEMPTS) return lockOf(path, db, inode, isNew);
    db.close();
    create(path);
  }
}

function lockOf(path: string, db: DatabaseSync, inode: bigint | undefined, isNew: boolean): Lock {
  return {
    isInPlace: () => inodeOf(path) === inode,
    release: () => db.close(),
    undo() {
      // Before others can take it.
      if (isNew) removeIfPossible(path);
      db.close();
    },
  };
}

/** Creates a file; false if there is one, which is not opened: closing it would drop all locks of this process on it. */
function create(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    // SQLite would say no more than that it cannot open it.
    accessSync(path, constants.R_OK | constants.W_OK);
    return false;
  }
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

/** Windows removes no open file. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // An empty file stays.
  }
}

/** Takes the lock of a history file, and writes beside it who has it. */
export function takeOwnership(historyPath: string): Lock {
  const lock = takeLock(`${historyPath}.lock`);
  const file = ownerFileOf(historyPath);
  try {
    rmSync(file, { force: true });
    writeFileSync(file, `process ${process.pid} on ${hostname()}\n`, { flag: 'wx', mode: 0o600 });
  } catch {
    // A full disk: the lock matters, its owner's name does not.
  }
  return {
    isInPlace: lock.isInPlace,
    release() {
      removeIfPossible(file);
      lock.release();
    },
    undo() {
      removeIfPossible(file);
      lock.undo();
    },
  };
}

/** Who has the lock of a history file, and since when, in words. */
export function ownerOf(historyPath: string): string {
  const file = ownerFileOf(historyPath);
  try {
    const name = readFileSync(file, 'utf8').trim().slice(0, MAX_OWNER_LENGTH);
    return `${name} (since ${statSync(file).mtime.toISOString()})`;
  } catch {
    return 'another process';
  }
}

const MAX_OWNER_LENGTH = 200;

function ownerFileOf(historyPath: string): string {
  return `${historyPath}.owner`;
}
