import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { beginFile } from '../files/unfinished-file.ts';
import { ConfigError } from '../text/errors.ts';

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
