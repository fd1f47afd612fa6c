import { readFile, stat } from 'node:fs/promises';
import { textOf } from '../runtime/text-file.ts';

/** File access of the configuration. */
export interface Files {
  /** The text of a file; rejects with an error for `unreadable` if it cannot be read or is not UTF-8. */
  read(path: string): Promise<string>;
  /** A text that changes whenever the file is written or replaced, also behind a symbolic link. */
  fingerprint(path: string): Promise<string>;
}

/** The local file system. */
export function createFiles(): Files {
  return {
    read: async (path) => textOf(await readFile(path)),
    async fingerprint(path) {
      const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
      return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
    },
  };
}
