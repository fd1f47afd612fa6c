import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, deflateRawSync } from 'node:zlib';

/** Text deflated and flushed to a byte boundary: chunks in any order make a valid deflate stream. */
export interface DeflatedChunk {
  readonly bytes: Buffer;
  /** CRC-32 of the text. */
  readonly crc: number;
  /** Length of the text in bytes. */
  readonly length: number;
  /** The factor by which `length` bytes change the checksum of the bytes before them. */
  readonly shift: number;
}

// gzip's own default level: the bytes are sent with every scrape, and are made once per publication.
const FLUSHED = { level: 6, finishFlush: constants.Z_FULL_FLUSH };
// A text of up to 16 KiB needs no larger window, and takes less time to set up with it.
const SMALL = { ...FLUSHED, windowBits: 14, memLevel: 6, chunkSize: 4096 };
const deflateOffThread = promisify(deflateRaw);

/** Deflates a short text (up to some 16 KiB) synchronously: cheaper than using another thread. */
export function deflateShort(text: string | Buffer): DeflatedChunk {
  const plain = typeof text === 'string' ? Buffer.from(text) : text;
  const bytes = deflateRawSync(plain, SMALL);
  return createChunk(ownCopy([bytes]), crc32(plain), plain.length);
}

/** Deflates a text on another thread; it must not change meanwhile. */
export async function deflateAside(plain: Buffer): Promise<DeflatedChunk> {
  const bytes = deflateOffThread(plain, FLUSHED);
  return createChunk(ownCopy([await bytes]), crc32(plain), plain.length);
}

/** Collects a long text chunk by chunk; chunks are deflated on other threads while the next is being written. */
interface Deflater {
  /** Takes the next chunk; resolves as soon as at most one chunk is still being deflated. */
  write(text: string): Promise<void>;
  finish(): Promise<DeflatedChunk>;
}

/** Creates a deflater for one chunk. */
export function createDeflater(): Deflater {
  const done: Buffer[] = [];
  // While one chunk is being deflated, the other buffer is free. New buffers for each chunk would add up to several
  // times the page before they are collected, because the garbage collector sees only their small handles.
  const buffers = [createReusedBuffer(), createReusedBuffer()] as const;
  let pending: Promise<Buffer> | undefined;
  let chunks = 0;
  let crc = 0;
  let length = 0;
  async function settle(): Promise<void> {
    if (pending !== undefined) done.push(await pending);
    pending = undefined;
  }
  return {
    async write(text) {
      const plain = buffers[chunks % 2 === 0 ? 0 : 1](text);
      chunks += 1;
      crc = crc32(plain, crc);
      length += plain.length;
      const deflated = deflateOffThread(plain, FLUSHED);
      // An aborted rendering never awaits the last chunk.
      deflated.catch(() => undefined);
      await settle();
      pending = deflated;
    },
    async finish() {
      await settle();
      return createChunk(ownCopy(done), crc, length);
    },
  };
}

/** The checksum and length of a text followed by a chunk's. */
export function append(
  before: { readonly crc: number; readonly length: number },
  chunk: DeflatedChunk,
): { crc: number; length: number } {
  return { crc: crc32Combine(before.crc, chunk.crc, chunk.shift), length: before.length + chunk.length };
}

/** Creates a buffer for consecutive texts: each is valid until the next one. */
function createReusedBuffer(): (text: string) => Buffer {
  let buffer = Buffer.alloc(0);
  return (text) => {
    const length = Buffer.byteLength(text);
    // Lengths of chunks differ by about a line.
    if (buffer.length < length) buffer = Buffer.allocUnsafeSlow(length + Math.ceil(length / 16));
    return buffer.subarray(0, buffer.write(text));
  };
}

function createChunk(bytes: Buffer, crc: number, length: number): DeflatedChunk {
  return { bytes, crc, length, shift: crc32Shift(length) };
}

// zlib and Buffer's pool return small slices of large buffers: kept for days, each of thousands of small chunks would
// retain kilobytes. Nobody else has the chunks.
function ownCopy(chunks: readonly Buffer[]): Buffer {
  const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  const copy = Buffer.allocUnsafeSlow(size);
  let offset = 0;
  for (const chunk of chunks) offset += chunk.copy(copy, offset);
  return copy;
}

// Checksums as polynomials over GF(2), bit-reversed as in gzip: appending `length` bytes multiplies the checksum of the
// preceding bytes by x^(8 * length), so checksums can be combined without the bytes.
const POLYNOMIAL = 0xedb88320;

const ONE = 0x80000000;

const X = 0x40000000;

const SQUARES = squares();

/** The factor by which `length` bytes (up to 2^53) change the checksum of the preceding bytes. */
export function crc32Shift(length: number): number {
  let factor = ONE;
  // 8 * length bits: the lowest three powers are skipped.
  let power = 3;
  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) factor = multiply(SQUARES[power % 32] ?? ONE, factor);
    power += 1;
  }
  return factor;
}

/** The CRC-32 of two concatenated texts, from their checksums and the shift of the second one's length. */
export function crc32Combine(first: number, second: number, shiftOfSecond: number): number {
  return (multiply(shiftOfSecond, first) ^ second) >>> 0;
}

function multiply(a: number, b: number): number {
  let product = 0;
  let factor = b;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= factor;
    factor = (factor & 1) === 0 ? factor >>> 1 : (factor >>> 1) ^ POLYNOMIAL;
  }
  return product >>> 0;
}

/** x^(2^k) for k from 0 to 31; the cycle closes there, since x^(2^32) is x. */
function squares(): readonly number[] {
  const powers = [X];
  for (let last = X; powers.length < 32; powers.push(last)) last = multiply(last, last);
  return powers;
}
