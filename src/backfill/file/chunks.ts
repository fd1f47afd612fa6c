/** How much is buffered before it is written; less while there is little. */
const CHUNK_BYTES = 128 * 1024;
const FIRST_BYTES = 8 * 1024;
/** A call that encodes text costs as much as a short line, so this many characters are encoded at once. */
const ENCODED_AT_ONCE = 2048;

/** Text that is collected into chunks, one of which may be written while the next one fills. */
export interface Chunks {
  /**
   * Adds text, preferably a line; if it returns a promise, because a chunk is full, await that before the next call.
   */
  append(text: string): Promise<void> | undefined;
  /** The unwritten rest, once everything else is written. */
  rest(): Promise<Buffer>;
}

/** Creates an empty buffer; calls of `write` never overlap, and a failure is reported by the next call. */
export function createChunks(write: (chunk: Buffer) => Promise<unknown>): Chunks {
  let buffer: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  let end = 0;
  let gathered = '';
  let spare: Buffer | undefined;
  let writing: Promise<unknown> = Promise.resolve();

  /** Makes room for more text: in memory at first, then by writing the current chunk. */
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
    // Whoever awaits it receives the failure; until then it must not count as unhandled.
    writing.catch(() => undefined);
    end = 0;
  }

  function put(): void {
    end += buffer.write(gathered, end);
    gathered = '';
  }

  /** Encodes the collected text. */
  function encode(): Promise<void> | undefined {
    // One UTF-16 unit takes at most three bytes.
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
