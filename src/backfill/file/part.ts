import { type FileHandle, open, rm } from 'node:fs/promises';

/** In UTF-16 units: how much text waits in memory before it is written. */
const CHUNK = 128 * 1024;
const COPY_BYTES = 1024 * 1024;

/** One family's lines until the file that they belong to is put together: a little in memory, the rest on disk. */
export interface Part {
  /** Takes more text; what it gives back, where there is much, must be awaited before the next call. */
  append(text: string): Promise<void> | undefined;
  /** Copies everything to the end of an open file and forgets it; gives the number of bytes. */
  moveTo(file: FileHandle): Promise<number>;
  /** Forgets everything. */
  discard(): Promise<void>;
}

/** Creates an empty part; the file at `path` comes into being only where there is more than a little text. */
export function createPart(path: string): Part {
  let text = '';
  let spilled: FileHandle | undefined;
  let writing: Promise<unknown> = Promise.resolve();

  // One write may be under way while the next chunk is made.
  async function spill(): Promise<void> {
    const chunk = Buffer.from(text);
    text = '';
    await writing;
    spilled ??= await open(path, 'w+');
    writing = writeAll(spilled, chunk);
    // Whoever awaits it hears of a failure; until then it is nobody's.
    writing.catch(() => undefined);
  }

  async function discard(): Promise<void> {
    text = '';
    await writing.catch(() => undefined);
    await spilled?.close();
    if (spilled !== undefined) await rm(path, { force: true });
    spilled = undefined;
  }

  return {
    append(more) {
      text += more;
      return text.length < CHUNK ? undefined : spill();
    },
    async moveTo(file) {
      await writing;
      const copied = spilled === undefined ? 0 : await copy(spilled, file);
      const bytes = copied + (await writeAll(file, Buffer.from(text)));
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
