import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';

/** Size of an SQLite database header in bytes. */
const HEADER = 100;

/** Identifies the state of a file, to detect writes of other processes. */
export type FileMark = string;

type Part = readonly [inode: string, size: string, modified: string];

/** The marks of a path whose database this process has open. */
export interface FileMarks {
  /** The mark of the current state of the database and its log; undefined if there is no database. */
  now(): FileMark | undefined;
  /** To be called once the database is closed. */
  close(): void;
}

/**
 * Creates the marks of a path. They keep the file open instead of closing it after each look: a POSIX system drops all locks of
 * a process on a file when it closes any descriptor of it, and another program that opens the database for a moment would then
 * remove the log.
 */
export function createFileMarks(path: string): FileMarks {
  let held: { readonly file: number; readonly inode: string } | undefined;

  function release(): void {
    if (held !== undefined) closeSync(held.file);
    held = undefined;
  }

  function headerOf(inode: string): string {
    if (held?.inode !== inode) {
      release();
      const file = openSync(path, 'r');
      held = { file, inode: String(fstatSync(file, { bigint: true }).ino) };
    }
    return headerIn(held.file);
  }

  return {
    now() {
      const database = partOf(path);
      if (database === undefined) return undefined;
      return JSON.stringify([database, headerOrNone(() => headerOf(database[0])), logOf(path)]);
    },
    close: release,
  };
}

/** Whether a path still leads to the marked file, regardless of its content. */
export function isSamePlace(path: string, mark: FileMark): boolean {
  const [marked] = JSON.parse(mark) as readonly [readonly [string]];
  return partOf(path)?.[0] === marked[0];
}

/** A log that is empty says as little as none: opening a database begins one. */
function logOf(path: string): Part | undefined {
  const log = partOf(`${path}-wal`);
  return log?.[1] === '0' ? undefined : log;
}

function partOf(path: string): Part | undefined {
  try {
    const { ino, size, mtimeNs } = statSync(path, { bigint: true });
    return [String(ino), String(size), String(mtimeNs)];
  } catch {
    return undefined;
  }
}

/** A file that cannot be read has no header. */
function headerOrNone(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

function headerIn(file: number): string {
  const header = Buffer.alloc(HEADER);
  readSync(file, header, 0, HEADER, 0);
  return header.toString('base64');
}
