/** How much waits in memory before it is written; what has little takes less. */
const CHUNK_BYTES = 128 * 1024;
const FIRST_BYTES = 8 * 1024;
/** A call to encode text costs as much as a short line: so many characters go at a time. */
const ENCODED_AT_ONCE = 2048;

/** Text that is gathered to chunks, of which one may be on its way while the next one fills. */
export interface Chunks {
  /** Takes more text, at best a line; what it gives back, where a chunk is full, must be awaited before the next call. */
  append(text: string): Promise<void> | undefined;
  /** What is not written yet, once everything else is. */
  rest(): Promise<Buffer>;
}

/** Creates an empty gathering; `write` is never called twice at a time, and its failure shows at the next call. */
export function createChunks(write: (chunk: Buffer) => Promise<unknown>): Chunks {
  let buffer: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  let end = 0;
  let gathered = '';
  let spare: Buffer | undefined;
  let writing: Promise<unknown> = Promise.resolve();

  /** Makes room for more text: in memory at first, then by writing what is there. */
  function makeRoom(bytes: number): Promise<void> | undefined {
    if (end + bytes <= buffer.length) return undefined;
    if (end + bytes > CHUNK_BYTES && end > 0) return hand(bytes);
    const larger = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, bytes));
    buffer.copy(larger, 0, 0, end);
    buffer = larger;
    return undefined;
  }

  async function hand(bytes: number): Promise<void> {
    await writing;
    const full = buffer;
    const fits = spare !== undefined && spare.length >= bytes;
    buffer = fits && spare !== undefined ? spare : Buffer.allocUnsafe(Math.max(CHUNK_BYTES, bytes));
    spare = full;
    writing = write(full.subarray(0, end));
    // Whoever awaits it hears of a failure; until then it is nobody's.
    writing.catch(() => undefined);
    end = 0;
  }

  function put(): void {
    end += buffer.write(gathered, end);
    gathered = '';
  }

  /** Encodes what was gathered. */
  function encode(): Promise<void> | undefined {
    // Three bytes are the most that one UTF-16 unit can take.
    const room = makeRoom(gathered.length * 3);
    if (room !== undefined) return room.then(put);
    put();
    return undefined;
  }

  return {
    append(text) {
      gathered += text;
      return gathered.length < ENCODED_AT_ONCE ? undefined : encode();
    },
    async rest() {
      await encode();
      await writing;
      return buffer.subarray(0, end);
    },
  };
}
