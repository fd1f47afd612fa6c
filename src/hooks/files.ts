import { textOf } from '../runtime/text-file.ts';

// Not imported: importing all members of a built-in module takes longer than using a few of them.
const {
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} = process.getBuiltinModule('node:fs');
const path = process.getBuiltinModule('node:path');

/**
 * Writes a file atomically, so that others see all of it or nothing, even if this process is killed. By default only
 * the owner may read it. Throws the system's error.
 */
export function writeWhole(file: string, content: string, mode = 0o600): void {
  replace(file, content, mode, false);
}

/**
 * Writes a file for its owner only, durably: once this returns, the content and its directory entries are on disk, and
 * a power failure leaves it complete or absent. Creates the directory if necessary. Throws the system's error.
 */
export function writeDurably(file: string, content: string): void {
  const folder = path.dirname(file);
  try {
    replace(file, content, 0o600, true);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    const first = createFolder(folder);
    replace(file, content, 0o600, true);
    if (first !== undefined) syncFolders(folder, path.dirname(first));
  }
  syncFolder(folder);
}

/**
 * Creates a directory for its owner only, and missing ones above it; returns the topmost that was created. Node's own
 * recursion never ends where the system denies a directory with ENOENT, as below /proc. Throws the system's error.
 */
export function createFolder(folder: string): string | undefined {
  try {
    return isCreated(folder) ? folder : undefined;
  } catch (error) {
    const parent = path.dirname(folder);
    if (codeOf(error) !== 'ENOENT' || parent === folder) throw error;
    const first = createFolder(parent);
    // Without a new directory above it, another attempt fails the same way, or finds the one of another process.
    return isCreated(folder) ? (first ?? folder) : first;
  }
}

/** Creates a directory in an existing one; false if there is one already. */
function isCreated(folder: string): boolean {
  try {
    mkdirSync(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function replace(file: string, content: string, mode: number, durable: boolean): void {
  const unfinished = `${file}.${process.pid}.new`;
  try {
    const descriptor = openNew(unfinished, mode);
    try {
      writeFileSync(descriptor, content);
      if (durable) fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(unfinished, file);
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  }
}

/** Creates a file without following a symbolic link in its place; a leftover of an earlier process is removed. */
function openNew(file: string, mode: number): number {
  try {
    return openSync(file, 'wx', mode);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
    rmSync(file, { force: true });
    return openSync(file, 'wx', mode);
  }
}

function syncFolders(from: string, to: string): void {
  for (let folder = from; folder !== to; folder = path.dirname(folder)) syncFolder(folder);
  syncFolder(to);
}

/** Syncs a directory's entries to disk. */
function syncFolder(folder: string): void {
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

/** Reads a text, and throws an error for `unreadable`; a pipe that nobody writes to is empty, since waiting for it would hold up the agent. */
export function readNow(file: string): string {
  const descriptor = openSync(file, READING);
  try {
    return textOf(readFileSync(descriptor));
  } finally {
    closeSync(descriptor);
  }
}

/** The system's error code, `unknown` if there is none. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
}

/** FNV-1a of a text in UTF-8, as 8 hex digits: short, and requires no hash library. */
export function checksumOf(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash.toString(16).padStart(8, '0');
}

/** A random UUID (version 4). */
export function createEventId(): string {
  const bytes = randomBytes();
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

// Directly from the system if it is available as a file: loading Node's library takes a tenth of the whole run.
function randomBytes(): Buffer {
  const bytes = Buffer.alloc(16);
  try {
    const descriptor = openSync('/dev/urandom', 'r');
    try {
      if (readSync(descriptor, bytes) === bytes.length) return bytes;
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Not available on Windows.
  }
  return process.getBuiltinModule('node:crypto').randomBytes(16);
}
