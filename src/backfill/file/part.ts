import { type FileHandle, open, rm } from 'node:fs/promises';
import { type Chunks, createChunks } from './chunks.ts';

const COPY_BYTES = 1024 * 1024;

/** One family's lines until the file is assembled: a little in memory, the rest on disk. */
export interface Part extends Pick<Chunks, 'append'> {
  /** Copies everything to the end of an open file and discards it; resolves with the number of bytes. */
  moveTo(file: FileHandle): Promise<number>;
  /** Discards everything. */
  discard(): Promise<void>;
}

/** Creates an empty part; the file at `path` is created only for more than a little text. */
export function createPart(path: string): Part {
  let spilled: FileHandle | undefined;
  const chunks = createChunks(async (chunk) => {
    spilled ??= await open(path, 'w+');
    await writeAll(spilled, chunk);
  });

  async function discard(): Promise<void> {
    await chunks.rest().catch(() => undefined);
    await spilled?.close();
    if (spilled !== undefined) await rm(path, { force: true });
    spilled = undefined;
  }

  return {
    append: chunks.append,
    async moveTo(file) {
      const rest = await chunks.rest();
      const copied = spilled === undefined ? 0 : await copy(spilled, file);
      await writeAll(file, rest);
      await discard();
      return copied + rest.length;
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

/** Writes a whole buffer despite partial writes; resolves with its length. */
export async function writeAll(file: FileHandle, buffer: Buffer): Promise<number> {
  for (let written = 0; written < buffer.length; ) {
    written += (await file.write(buffer, written)).bytesWritten;
  }
  return buffer.length;
}
