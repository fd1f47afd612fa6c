import { once } from 'node:events';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';

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

/** Writes a file that appears when it is complete; an earlier file stays until then. Only its owner may read it. */
export async function createFileSink(path: string): Promise<RowSink> {
  const unfinished = `${path}.unfinished`;
  await rm(unfinished, { force: true });
  const file: FileHandle = await open(unfinished, 'wx', 0o600);
  return createChunkedSink(async (text) => file.writeFile(text), {
    async finish() {
      await file.sync();
      await file.close();
      await rename(unfinished, path);
    },
    async abandon() {
      await file.close().catch(() => undefined);
      await rm(unfinished, { force: true });
    },
  });
}
