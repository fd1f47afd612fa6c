import { createWriteStream } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { constants, createGzip, gunzip } from 'node:zlib';

/** The bytes of the page that is kept for the next start, in a file beside the history's; any file of it is whole. */
export interface PageFile {
  readonly path: string;
  /** The bytes; undefined if there is no file of this path. Rejects if it cannot be read, or is damaged. */
  read(): Promise<Buffer | undefined>;
  /** Replaces the file, which only this user can read; if that fails or is aborted, there is none afterwards. */
  write(bytes: Iterable<Buffer>, signal?: AbortSignal): Promise<void>;
  /** Removes the file, if there is one. */
  remove(): Promise<void>;
}

const unzip = promisify(gunzip);

/** There is no file of a path if anything in front of its name is missing, or is not a directory. */
function acceptAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

/** `data/history-page.gz` for `data/history.db`. */
export function pageFileBeside(historyPath: string): PageFile {
  const { dir, name } = path.parse(historyPath);
  const file = path.join(dir, `${name}-page.gz`);
  const unfinished = `${file}.new`;
  const remove = (): Promise<void> => rm(file).catch(acceptAbsent);
  return {
    path: file,
    async read() {
      const zipped = await readFile(file).catch(acceptAbsent);
      // Its checksum detects a file that a power failure has cut short.
      return zipped && unzip(zipped);
    },
    async write(bytes, signal) {
      try {
        await rm(unfinished, { force: true });
        await pipeline(
          Readable.from(bytes),
          createGzip({ level: constants.Z_BEST_SPEED }),
          createWriteStream(unfinished, { flags: 'wx', mode: 0o600 }),
          ...(signal === undefined ? [] : [{ signal }]),
        );
        await rename(unfinished, file);
      } catch (error) {
        await rm(unfinished, { force: true }).catch(() => undefined);
        await remove().catch(() => undefined);
        throw error;
      }
    },
    remove,
  };
}
