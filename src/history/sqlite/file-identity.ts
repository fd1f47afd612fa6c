import { statSync } from 'node:fs';

/** Identifies the state of a file, to notice that somebody has removed, replaced or restored it. */
export type FileMark = string;

type Part = readonly [inode: string, size: string, modified: string];

/**
 * The mark of the current state of a database and its log; undefined if there is no database. No file is opened: closing it
 * would drop the locks of this process on it.
 */
export function markOf(path: string): FileMark | undefined {
  const database = partOf(path);
  return database === undefined ? undefined : JSON.stringify([database, logOf(path)]);
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
