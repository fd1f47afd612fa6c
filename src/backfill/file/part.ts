import { type FileHandle, open, unlink } from 'node:fs/promises';
import { type Chunks, createChunks } from './chunks.ts';

/** Most families of a month fit, so that nothing of them is spooled to disk. */
const SIZES = { first: 32 * 1024, full: 512 * 1024 };
const COPY_BYTES = 256 * 1024;

/** One family's lines until the file is assembled: a little in memory, the rest on disk. */
export interface Part {
  readonly chunks: Chunks;
  /** Moves everything to the end of a file's chunks and discards it; resolves with a buffer that is free. */
  moveTo(file: Chunks): Promise<Buffer>;
  /** Discards everything. */
  discard(): Promise<void>;
}

/** Creates an empty part, in a `used` buffer if there is one; the file at `path` is created only for more than a little. */
export function createPart(path: string, used?: Buffer): Part {
  let spilled: FileHandle | undefined;
  const chunks = createChunks(
    async (chunk) => {
      spilled ??= await open(path, 'w+');
      await writeAll(spilled, chunk);
    },
    SIZES,
    used,
  );

  async function discard(): Promise<void> {
    await chunks.rest().catch(() => undefined);
    await spilled?.close();
    if (spilled !== undefined) await unlink(path);
    spilled = undefined;
  }

  return {
    chunks,
    async moveTo(file) {
      const rest = await chunks.rest();
      if (spilled !== undefined) await copy(spilled, file);
      await file.append(rest);
      if (spilled !== undefined) await discard();
      return chunks.buffer;
    },
    discard,
  };
}

async function copy(from: FileHandle, to: Chunks): Promise<void> {
  for (let position = 0; ; ) {
    await to.reserve(COPY_BYTES);
    const { bytesRead } = await from.read(to.buffer, to.end, COPY_BYTES, position);
    if (bytesRead === 0) return;
    to.end += bytesRead;
    position += bytesRead;
  }
}

/** Writes a whole buffer despite partial writes; resolves with its length. */
export async function writeAll(file: FileHandle, buffer: Buffer): Promise<number> {
  for (let written = 0; written < buffer.length; ) {
    written += (await file.write(buffer, written)).bytesWritten;
  }
  return buffer.length;
}
