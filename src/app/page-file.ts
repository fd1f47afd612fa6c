import { constants, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { createGzip, gunzip, constants as zlib } from 'node:zlib';

/** The bytes of the page that is kept for the next start, in a file beside the history's; any file of it is whole. */
export interface PageFile {
  readonly path: string;
  /**
   * The bytes; undefined if there is no file of this path. Rejects if it cannot be read, is damaged, inflates to more than a
   * page can have, or is not a regular file: a symbolic link may lead anywhere.
   */
  read(): Promise<Buffer | undefined>;
  /**
   * Replaces the file, which only this user can read; if that fails or is aborted, there is none afterwards. Rejects bytes
   * that `read` would refuse. Calls must not overlap.
   */
  write(bytes: Iterable<Buffer>, signal?: AbortSignal): Promise<void>;
  /** Removes the file, if there is one. */
  remove(): Promise<void>;
  /** Removes what a killed process has left of a page. Only for the process that writes the file, and not during `write`. */
  removeUnfinished(): Promise<void>;
}

/** Maximum length of a page in bytes: several times that of a million series. A small file may inflate to any number. */
const MAX_BYTES = 512 * 1024 * 1024;
const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
/** Follows no symbolic link, and does not wait for a writer. */
const READING = O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0);

const unzip = promisify(gunzip);

/** There is no file of a path if anything in front of its name is missing, or is not a directory. */
function acceptAbsent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}

async function readZipped(file: string, maxBytes: number): Promise<Buffer> {
  const opened = await open(file, READING);
  try {
    const found = await opened.stat();
    if (!found.isFile()) throw new Error('it is not a regular file');
    expectFitting(found.size, maxBytes);
    return await opened.readFile();
  } finally {
    await opened.close();
  }
}

function expectFitting(length: number, maxBytes: number): void {
  if (length > maxBytes) throw new Error(`it has more than ${maxBytes} bytes`);
}

function* fitting(bytes: Iterable<Buffer>, maxBytes: number): Generator<Buffer> {
  let length = 0;
  for (const piece of bytes) {
    length += piece.length;
    expectFitting(length, maxBytes);
    yield piece;
  }
}

/** `data/history-page.gz` for `data/history.db`. */
export function pageFileBeside(historyPath: string, maxBytes = MAX_BYTES): PageFile {
  const { dir, name } = path.parse(historyPath);
  const file = path.join(dir, `${name}-page.gz`);
  const unfinished = `${file}.new`;
  const remove = (): Promise<void> => rm(file).catch(acceptAbsent);
  return {
    path: file,
    async read() {
      const zipped = await readZipped(file, maxBytes).catch(acceptAbsent);
      // Its checksum detects a file that a power failure has cut short.
      return zipped && unzip(zipped, { maxOutputLength: maxBytes });
    },
    async write(bytes, signal) {
      try {
        await rm(unfinished, { force: true });
        await pipeline(
          Readable.from(fitting(bytes, maxBytes)),
          createGzip({ level: zlib.Z_BEST_SPEED }),
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
    removeUnfinished: () => rm(unfinished).catch(acceptAbsent),
  };
}
