import { readFile } from 'node:fs/promises';
import { textOf } from '../runtime/text-file.ts';

/** File access of the configuration. */
export interface Files {
  /** The text of a file; rejects with an error for `unreadable` if it cannot be read or is not UTF-8. */
  read(path: string): Promise<string>;
}

/** The local file system. */
export function createFiles(): Files {
  return { read: async (path) => textOf(await readFile(path)) };
}
