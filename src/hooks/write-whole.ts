import { codeOf } from './code-of.ts';

// Not imported: importing all members of such a module takes longer than the use of a few.
const { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } =
  process.getBuiltinModule('node:fs');
const path = process.getBuiltinModule('node:path');

/**
 * Writes a file so that others see all of it or nothing, also when this process is killed on the way. By default only
 * the owner may read it. Throws the system's error.
 */
export function writeWhole(file: string, content: string, mode = 0o600): void {
  replace(file, content, mode, false);
}

/**
 * Writes a file for its owner alone so that a power cut leaves it whole or absent: once this returns, the content and
 * the folders that lead to it are on disk. Creates the folder where it is missing. Throws the system's error.
 */
export function writeDurably(file: string, content: string): void {
  const folder = path.dirname(file);
  try {
    replace(file, content, 0o600, true);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
    replace(file, content, 0o600, true);
    if (first !== undefined) syncFolders(folder, path.dirname(first));
  }
  syncFolder(folder);
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

/** Creates a file and follows no link that somebody put in its place; what an earlier process left goes away. */
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

/** Brings a folder's list of names to disk. */
function syncFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // Not every system can: on Windows a folder cannot be opened, and its names are written with the file.
  }
}
