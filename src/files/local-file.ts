import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { attempt } from '../text/errors.ts';
import { textOf } from './text-file.ts';

interface Writing {
  /** Its permissions, whatever the umask; by default only the owner may read it. */
  readonly mode?: number | undefined;
  /**
   * Once the function returns, the content and its directory entries are on disk, and a power failure leaves the file
   * complete or absent.
   */
  readonly durable?: boolean;
}

/**
 * Writes a file atomically, so that others see all of it or nothing, even if this process is killed. Creates the directory
 * if necessary. Throws the system's error.
 */
export function writeWhole(file: string, content: string, { mode, durable = false }: Writing = {}): void {
  const folder = path.dirname(file);
  const created = createFolder(folder);
  const unfinished = `${file}.${process.pid}.new`;
  // An earlier process may have left it; a symbolic link in its place is not followed.
  rmSync(unfinished, { force: true });
  try {
    writeFileSync(unfinished, content, { flag: 'wx', mode: mode ?? 0o600, flush: durable });
    if (mode !== undefined) chmodSync(unfinished, mode);
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
  if (!durable) return;
  const topmost = created === undefined ? folder : path.dirname(created);
  for (let above = folder; ; above = path.dirname(above)) {
    syncFolder(above);
    if (above === topmost) return;
  }
}

/**
 * Creates a directory, by default for its owner only, and missing ones above it; returns the topmost that was created. Node's own
 * recursion never ends where the system denies a directory with ENOENT, as below /proc. Throws the system's error.
 */
export function createFolder(folder: string, mode = 0o700): string | undefined {
  try {
    return isCreated(folder, mode) ? folder : undefined;
  } catch (error) {
    const parent = path.dirname(folder);
    if (codeOf(error) !== 'ENOENT' || parent === folder) throw error;
    const first = createFolder(parent, mode);
    // Without a new directory above it, another attempt fails the same way, or finds the one of another process.
    return isCreated(folder, mode) ? (first ?? folder) : first;
  }
}

/** Creates a directory in an existing one; false if there is one already. */
function isCreated(folder: string, mode: number): boolean {
  try {
    mkdirSync(folder, { mode });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Syncs a directory's entries to disk, so that a rename survives a power failure, where the system can. */
export function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Not supported everywhere: on Windows a directory cannot be opened, and its entries are written with the file.
  }
}

const READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * Reads a text, and throws an error for `unreadable`; a pipe that nobody writes to and a device such as /dev/zero are empty, since
 * waiting for their end would hold up the agent.
 */
export function readNow(file: string): string {
  const descriptor = openSync(file, READING);
  try {
    if (fstatSync(descriptor).isCharacterDevice()) return '';
    return textOf(readFileSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

/** The numbers in a small file, with a space between two; none if it cannot be read. */
export function numbersIn(file: string): readonly number[] {
  return attempt(() => readNow(file).split(' ').map(Number)) ?? [];
}

/** The system's error code, `unknown` if there is none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}
