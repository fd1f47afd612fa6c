import { once } from 'node:events';
import { lstat, realpath, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { beginFile } from '../files/unfinished-file.ts';
import { ConfigError, messageOf } from '../text/errors.ts';

/** A destination of rows. Writes resolve when the next one may follow, so that memory stays bounded. */
export interface RowSink {
  write(text: string): Promise<void> | void;
  /** Ends a complete export. */
  finish(): Promise<void>;
  /** Ends an incomplete one; does nothing after `finish`. */
  abandon(): Promise<void>;
}

const CHUNK_CHARACTERS = 64 * 1024;

/** Collects rows into chunks. */
function createChunkedSink(
  put: (text: string) => Promise<void>,
  ends: Pick<RowSink, 'finish' | 'abandon'>,
): RowSink {
  let pending: string[] = [];
  let length = 0;

  async function flush(): Promise<void> {
    const text = pending.join('');
    pending = [];
    length = 0;
    if (text !== '') await put(text);
  }

  return {
    write(text) {
      pending.push(text);
      length += text.length;
      return length >= CHUNK_CHARACTERS ? flush() : undefined;
    },
    async finish() {
      await flush();
      await ends.finish();
    },
    abandon: ends.abandon,
  };
}

/** Writes to a stream that stays open, and waits while its buffer is full. */
export function createStreamSink(stream: Writable): RowSink {
  return createChunkedSink(
    async (text) => {
      if (!stream.write(text)) await once(stream, 'drain');
    },
    { finish: async () => undefined, abandon: async () => undefined },
  );
}

/**
 * Writes a file that appears when it is complete; an earlier file stays until then. Only its owner may read it. Of two
 * processes that write the same file, the one that began last does so; the other one's `finish` rejects with a `ConfigError`.
 */
export async function createFileSink(path: string): Promise<RowSink> {
  const file = await beginFile(path, `${path}.unfinished`);
  return createChunkedSink(async (text) => file.handle.writeFile(text), {
    async finish() {
      if (await file.finish()) return;
      throw new ConfigError(
        `--output: another process writes ${path}`,
        'give each of them a file of its own',
      );
    },
    abandon: file.abandon,
  });
}

/**
 * The path of a file to write: behind symbolic links, since a finished file is renamed to it and would replace the link. Rejects with a
 * `ConfigError` if something other than a file has the path, such as a directory, or a device that the rename would replace.
 */
export async function outputFile(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true) return realpath(path);
  if (found?.isDirectory() === true) throw new ConfigError(`--output: ${path} is a directory`);
  const isLink = found === undefined && (await lstat(path).catch(() => undefined))?.isSymbolicLink() === true;
  if (isLink) throw new ConfigError(`--output: ${path} is a symbolic link to nothing`);
  if (found !== undefined) throw new ConfigError(`--output: ${path} is not a regular file`);
  return path;
}

/**
 * Opens what `outputFile` returned, or standard output without one; disposal abandons what is unfinished. Rejects with a
 * `ConfigError` if the file cannot be written.
 */
export async function openOutput(
  path: string | undefined,
  stdout: Writable,
): Promise<RowSink & AsyncDisposable> {
  const sink = path === undefined ? createStreamSink(stdout) : await createFileSink(path).catch(refuse);
  return { ...sink, [Symbol.asyncDispose]: sink.abandon };

  function refuse(error: unknown): never {
    throw new ConfigError(`--output: cannot write ${path}: ${messageOf(error)}`);
  }
}
