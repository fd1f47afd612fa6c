/** Sizes of the buffers that chunks collect in. */
interface ChunkSizes {
  /** How much is buffered before there is more than little. */
  readonly first: number;
  /** How much is buffered before it is written. */
  readonly full: number;
}

/** Bytes that are collected into chunks, one of which may be written while the next one fills. */
export interface Chunks {
  /** The current chunk. It is free behind `end`, for as many bytes as were reserved last. */
  readonly buffer: Buffer;
  end: number;
  /** Makes room for so many bytes; if it returns a promise, because a chunk is full, await that first. */
  reserve(bytes: number): Promise<void> | undefined;
  /** Adds bytes. */
  append(bytes: Buffer): Promise<void>;
  /** The unwritten rest, once everything else is written. */
  rest(): Promise<Buffer>;
}

/** Creates an empty buffer; calls of `write` never overlap, and a failure is reported by a later call. */
export function createChunks(
  write: (chunk: Buffer) => Promise<unknown>,
  { first, full }: ChunkSizes,
): Chunks {
  let spare: Buffer | undefined;
  let writing: Promise<unknown> = Promise.resolve();

  async function hand(bytes: number): Promise<void> {
    await writing;
    const handed = chunks.buffer;
    const isEnough = spare !== undefined && spare.length >= bytes;
    chunks.buffer = isEnough && spare !== undefined ? spare : Buffer.allocUnsafe(Math.max(full, bytes));
    spare = handed;
    writing = write(handed.subarray(0, chunks.end));
    // Whoever awaits it receives the failure; until then it must not count as unhandled.
    writing.catch(() => undefined);
    chunks.end = 0;
  }

  function grow(bytes: number): void {
    const larger = Buffer.allocUnsafe(Math.max(Math.min(full, 2 * chunks.buffer.length), chunks.end + bytes));
    chunks.buffer.copy(larger, 0, 0, chunks.end);
    chunks.buffer = larger;
  }

  const chunks = {
    buffer: Buffer.allocUnsafe(first) as Buffer,
    end: 0,
    reserve(bytes: number) {
      const needed = chunks.end + bytes;
      if (needed <= chunks.buffer.length) return undefined;
      // In memory at first, then by writing the current chunk.
      if (needed > full && chunks.end > 0) return hand(bytes);
      grow(bytes);
      return undefined;
    },
    async append(bytes: Buffer) {
      for (let start = 0; start < bytes.length; start += full) {
        const part = bytes.subarray(start, start + full);
        await chunks.reserve(part.length);
        chunks.end += part.copy(chunks.buffer, chunks.end);
      }
    },
    async rest() {
      await writing;
      return chunks.buffer.subarray(0, chunks.end);
    },
  };
  return chunks;
}
