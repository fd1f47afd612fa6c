import { closeSync, openSync, readSync, statSync } from 'node:fs';

/** Size of an SQLite database header in bytes. */
const HEADER = 100;

/** Identifies the state of a file, to detect writes of other processes. */
export type FileMark = string;

type Part = readonly [inode: string, size: string, modified: string];

/** The mark of the current state of a database and its log; undefined if there is no database. */
export function markOf(path: string): FileMark | undefined {
  const database = partOf(path);
  if (database === undefined) return undefined;
  return JSON.stringify([database, headerOf(path), logOf(path)]);
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

function headerOf(path: string): string {
  const header = Buffer.alloc(HEADER);
  try {
    const file = openSync(path, 'r');
    try {
      readSync(file, header, 0, HEADER, 0);
    } finally {
      closeSync(file);
    }
  } catch {
    return '';
  }
  return header.toString('base64');
}
