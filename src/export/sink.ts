import { once } from 'node:events';
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { ConfigError } from '../runtime/errors.ts';

/** A destination of rows. Writes resolve when the next one may follow, so that memory stays bounded. */
export interface RowSink {
  write(text: string): Promise<void> | void;
  /** Ends a complete export. */
  finish(): Promise<void>;
  /** Ends an incomplete one. */
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
  const unfinished = `${path}.unfinished`;
  await rm(unfinished, { force: true });
  const file: FileHandle = await open(unfinished, 'wx', 0o600);
  const own = await file.stat();

  async function isOwn(): Promise<boolean> {
    const found = await stat(unfinished).catch(() => undefined);
    return found?.ino === own.ino && found.dev === own.dev;
  }

  return createChunkedSink(async (text) => file.writeFile(text), {
    async finish() {
      await file.sync();
      // Checked while it is open, since the number of a closed file can be given to another one.
      if (!(await isOwn())) {
        throw new ConfigError(
          `--output: another process writes ${path}`,
          'give each of them a file of its own',
        );
      }
      await file.close();
      await rename(unfinished, path);
    },
    async abandon() {
      const isLeft = await isOwn();
      await file.close().catch(() => undefined);
      if (isLeft) await rm(unfinished, { force: true });
    },
  });
}
