import { type FileHandle, open, rm } from 'node:fs/promises';

/** How much waits in memory before it is written; a family that has little takes less. */
const CHUNK_BYTES = 128 * 1024;
const FIRST_BYTES = 8 * 1024;
const COPY_BYTES = 1024 * 1024;

/** One family's lines until the file that they belong to is put together: a little in memory, the rest on disk. */
export interface Part {
  /** Takes more text, at best a line; what it gives back, where there is much, must be awaited before the next call. */
  append(text: string): Promise<void> | undefined;
  /** Copies everything to the end of an open file and forgets it; gives the number of bytes. */
  moveTo(file: FileHandle): Promise<number>;
  /** Forgets everything. */
  discard(): Promise<void>;
}

/** Creates an empty part; the file at `path` comes into being only where there is more than a little text. */
export function createPart(path: string): Part {
  let buffer: Buffer = Buffer.allocUnsafe(FIRST_BYTES);
  let end = 0;
  let spare: Buffer | undefined;
  let spilled: FileHandle | undefined;
  let writing: Promise<unknown> = Promise.resolve();

  /** Makes room for more text: in memory at first, then by writing what is there. */
  function makeRoom(bytes: number): Promise<void> | undefined {
    if (end + bytes <= buffer.length) return undefined;
    if (end + bytes > CHUNK_BYTES && end > 0) return spill(bytes);
    const larger = Buffer.allocUnsafe(Math.max(CHUNK_BYTES, bytes));
    buffer.copy(larger, 0, 0, end);
    buffer = larger;
    return undefined;
  }

  // One write may be under way while the next chunk is made.
  async function spill(bytes: number): Promise<void> {
    await writing;
    const full = buffer;
    const chunk = full.subarray(0, end);
    buffer =
      spare !== undefined && spare.length >= bytes ? spare : Buffer.allocUnsafe(Math.max(CHUNK_BYTES, bytes));
    spare = full;
    end = 0;
    spilled ??= await open(path, 'w+');
    writing = writeAll(spilled, chunk);
    // Whoever awaits it hears of a failure; until then it is nobody's.
    writing.catch(() => undefined);
  }

  async function discard(): Promise<void> {
    end = 0;
    await writing.catch(() => undefined);
    await spilled?.close();
    if (spilled !== undefined) await rm(path, { force: true });
    spilled = undefined;
  }

  function put(text: string): void {
    end += buffer.write(text, end);
  }

  return {
    append(text) {
      // Three bytes are the most that one UTF-16 unit can take.
      const full = makeRoom(text.length * 3);
      if (full !== undefined) return full.then(() => put(text));
      put(text);
      return undefined;
    },
    async moveTo(file) {
      await writing;
      const copied = spilled === undefined ? 0 : await copy(spilled, file);
      const bytes = copied + (await writeAll(file, buffer.subarray(0, end)));
      await discard();
      return bytes;
    },
    discard,
  };
}

async function copy(from: FileHandle, to: FileHandle): Promise<number> {
  const buffer = Buffer.allocUnsafe(COPY_BYTES);
  for (let position = 0; ; ) {
    const { bytesRead } = await from.read(buffer, 0, buffer.length, position);
    if (bytesRead === 0) return position;
    await writeAll(to, buffer.subarray(0, bytesRead));
    position += bytesRead;
  }
}

/** Writes a whole buffer, however the system cuts it; gives its length. */
export async function writeAll(file: FileHandle, buffer: Buffer): Promise<number> {
  for (let written = 0; written < buffer.length; ) {
    written += (await file.write(buffer, written)).bytesWritten;
  }
  return buffer.length;
}
