import { createRoom, type Room } from './room.ts';
import { writeVarint } from './varint.ts';

/** A copy may reach back 65 535 bytes; blocks of this size never need more. */
const BLOCK = 65_536;
const HASH_BITS = 14;
const MIN_MATCH = 4;
const MAX_COPY = 64;
/** A native copy of fewer bytes costs more than copying them one by one. */
const NATIVE_COPY = 64;

/** Compresses a buffer. */
export type Compress = (input: Buffer) => Buffer;

/**
 * Creates what compresses a buffer into one raw snappy block, as remote write requires: the length as a varint, then
 * literals and copies of earlier bytes, each at most 65 535 bytes back.
 */
export function createSnappy(): Compress {
  const room = createRoom();
  return (input) => compressSnappy(input, room);
}

function compressSnappy(input: Buffer, room: Room): Buffer {
  const output = room.of(largestOutput(input.length));
  const words = new DataView(input.buffer, input.byteOffset, input.length);
  const table = new Uint16Array(1 << HASH_BITS);
  let end = writeVarint(output, 0, input.length);
  for (let start = 0; start < input.length; start += BLOCK) {
    if (start > 0) table.fill(0);
    end = compressBlock(input, words, table, start, Math.min(start + BLOCK, input.length), output, end);
  }
  return Buffer.from(output.subarray(0, end));
}

// Incompressible text grows by a tag of at most 3 bytes per literal, and literals have maximum length.
function largestOutput(length: number): number {
  return 32 + length + Math.ceil(length / 6);
}

function compressBlock(
  input: Buffer,
  words: DataView,
  table: Uint16Array,
  start: number,
  stop: number,
  output: Buffer,
  from: number,
): number {
  let end = from;
  let literal = start;
  let at = start + 1;
  // While nothing matches, the step grows.
  let misses = 32;
  while (at + MIN_MATCH <= stop) {
    const word = words.getInt32(at, true);
    const slot = Math.imul(word, 0x1e35a7bd) >>> (32 - HASH_BITS);
    const candidate = start + (table[slot] ?? 0);
    table[slot] = at - start;
    if (candidate >= at || words.getInt32(candidate, true) !== word) {
      at += misses++ >> 5;
      continue;
    }
    misses = 32;
    const length = MIN_MATCH + matching(input, words, candidate + MIN_MATCH, at + MIN_MATCH, stop);
    end = writeLiteral(input, literal, at, output, end);
    end = writeCopy(output, end, at - candidate, length);
    at += length;
    literal = at;
  }
  return writeLiteral(input, literal, stop, output, end);
}

/** The number of bytes that are the same at two positions, up to `stop`. */
function matching(input: Buffer, words: DataView, earlier: number, later: number, stop: number): number {
  const back = later - earlier;
  const lastWord = stop - 4;
  let at = later;
  while (at <= lastWord && words.getInt32(at - back, true) === words.getInt32(at, true)) at += 4;
  while (at < stop && input[at - back] === input[at]) at++;
  return at - later;
}

function writeLiteral(input: Buffer, start: number, stop: number, output: Buffer, from: number): number {
  const length = stop - start;
  if (length === 0) return from;
  const less = length - 1;
  let end = from;
  if (less < 60) {
    output[end++] = less << 2;
  } else if (less < 256) {
    output[end++] = 60 << 2;
    output[end++] = less;
  } else {
    output[end++] = 61 << 2;
    output[end++] = less & 0xff;
    output[end++] = less >> 8;
  }
  if (length >= NATIVE_COPY) input.copy(output, end, start, stop);
  else for (let index = 0; index < length; index++) output[end + index] = input[start + index] ?? 0;
  return end + length;
}

/** Writes copies of two-byte offset, each of 1 to 64 bytes. */
function writeCopy(output: Buffer, from: number, offset: number, length: number): number {
  let end = from;
  let left = length;
  while (left > 0) {
    const count = left < MAX_COPY ? left : MAX_COPY;
    output[end++] = ((count - 1) << 2) | 2;
    output[end++] = offset & 0xff;
    output[end++] = offset >> 8;
    left -= count;
  }
  return end;
}
