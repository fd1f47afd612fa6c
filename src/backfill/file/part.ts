import { type FileHandle, open, unlink } from 'node:fs/promises';
import { createChunks } from './chunks.ts';

/** Most families of a month fit, so that nothing of them is spooled to disk. */
const SIZES = { first: 4 * 1024, full: 256 * 1024 };
/** Up to here, numbers on disk are read at once. */
const READ_AT_ONCE = 8 * 1024 * 1024;
const NUMBER_BYTES = Float64Array.BYTES_PER_ELEMENT;

/** Numbers that are written one after the other and then read in any order: a little in memory, the rest on disk. */
export interface Part {
  append(numbers: Float64Array): Promise<void>;
  /** Ends writing. */
  open(): Promise<Numbers>;
  /** Discards everything. */
  discard(): Promise<void>;
}

/** The numbers of a part. */
export interface Numbers {
  readonly length: number;
  /** So many numbers from a position on, which must exist. */
  read(from: number, count: number): Promise<Float64Array> | Float64Array;
}

/** Creates an empty part; the file at `path` is created only for more than a little. */
export function createPart(path: string): Part {
  let spilled: FileHandle | undefined;
  const chunks = createChunks(async (chunk) => {
    spilled ??= await open(path, 'wx+');
    await writeAll(spilled, chunk);
  }, SIZES);

  return {
    append: (numbers) => chunks.append(Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength)),
    async open() {
      const rest = await chunks.rest();
      if (spilled === undefined) return inMemory(numbersOf(rest));
      await writeAll(spilled, rest);
      const { size } = await spilled.stat();
      const onDisk = numbersIn(spilled, size / NUMBER_BYTES);
      return size > READ_AT_ONCE ? onDisk : inMemory(await onDisk.read(0, onDisk.length));
    },
    async discard() {
      await chunks.rest().catch(() => undefined);
      await spilled?.close();
      if (spilled !== undefined) await unlink(path);
      spilled = undefined;
    },
  };
}

function inMemory(numbers: Float64Array): Numbers {
  return { length: numbers.length, read: (from, count) => numbers.subarray(from, from + count) };
}

function numbersIn(file: FileHandle, length: number) {
  return {
    length,
    async read(from: number, count: number): Promise<Float64Array> {
      const numbers = new Float64Array(count);
      const bytes = Buffer.from(numbers.buffer);
      for (let at = 0; at < bytes.length; ) {
        const { bytesRead } = await file.read(bytes, at, bytes.length - at, from * NUMBER_BYTES + at);
        if (bytesRead === 0) throw new Error('a temporary file of the backfill was shortened');
        at += bytesRead;
      }
      return numbers;
    },
  };
}

/** A copy, because numbers must be aligned. */
function numbersOf(bytes: Buffer): Float64Array {
  const numbers = new Float64Array(bytes.length / NUMBER_BYTES);
  bytes.copy(Buffer.from(numbers.buffer));
  return numbers;
}

/** Writes a whole buffer despite partial writes; resolves with its length. */
export async function writeAll(file: FileHandle, buffer: Buffer): Promise<number> {
  for (let written = 0; written < buffer.length; ) {
    written += (await file.write(buffer, written)).bytesWritten;
  }
  return buffer.length;
}
