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

/** More attempts would be needed only on a file system that gives a file another inode each time. */
const MAX_ATTEMPTS = 10;

/** A file lock that one process at a time holds. */
export interface Lock {
  /** Whether the lock file is still at its path. If it was removed, another process can take the lock. */
  isInPlace(): boolean;
  release(): void;
  /** Releases the lock, and removes the lock file if this process has created it. */
  undo(): void;
}

/**
 * Takes the lock, or throws the error of SQLite or the system. The lock file is an empty SQLite database, so the system releases
 * the lock when the process ends for any reason.
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
    // Otherwise the file was removed meanwhile, and other processes lock the file that replaces it.
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
      // Removed before other processes can take the lock.
      if (isNew) removeIfPossible(path);
      db.close();
    },
  };
}

/** Creates a file; false if it exists. Never opens an existing file: closing it would drop all locks of this process on it. */
function create(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600));
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    // The system's error says more than SQLite's, which is only that it cannot open the file.
    accessSync(path, constants.R_OK | constants.W_OK);
    return false;
  }
}

function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

/** Removes a file; does nothing on Windows while the file is open. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // An empty file stays.
  }
}

/** Takes the lock of a history file, and writes the name of the owner beside it. */
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

/** The owner of a history file's lock and the time of taking it, in words. */
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
