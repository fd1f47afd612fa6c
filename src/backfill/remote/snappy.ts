/**
 * Compresses a buffer into one raw snappy block, as remote write requires: the length as a varint, then literals and
 * copies of earlier bytes, each at most 65 535 bytes back.
 */
export function compressSnappy(input: Buffer): Buffer {
  const output = Buffer.allocUnsafe(largestOutput(input.length));
  let end = writeVarint(output, 0, input.length);
  for (let start = 0; start < input.length; start += BLOCK) {
    end = compressBlock(input, start, Math.min(start + BLOCK, input.length), output, end);
  }
  return output.subarray(0, end);
}

/** A copy may reach back 65 535 bytes; blocks of this size never need more. */
const BLOCK = 65_536;
const HASH_BITS = 14;
const MIN_MATCH = 4;
const MAX_COPY = 64;

// Incompressible text grows by a tag of at most 3 bytes per literal, and literals have maximum length.
function largestOutput(length: number): number {
  return 32 + length + Math.ceil(length / 6);
}

function compressBlock(input: Buffer, start: number, stop: number, output: Buffer, from: number): number {
  const table = new Uint16Array(1 << HASH_BITS);
  let end = from;
  let literal = start;
  let at = start + 1;
  // While nothing matches, the step grows.
  let misses = 32;
  while (at + MIN_MATCH <= stop) {
    const word = input.readUInt32LE(at);
    const slot = Math.imul(word, 0x1e35a7bd) >>> (32 - HASH_BITS);
    const candidate = start + (table[slot] ?? 0);
    table[slot] = at - start;
    if (candidate >= at || input.readUInt32LE(candidate) !== word) {
      at += misses++ >> 5;
      continue;
    }
    misses = 32;
    let length = MIN_MATCH;
    while (at + length < stop && input[at + length] === input[candidate + length]) length++;
    end = writeLiteral(input, literal, at, output, end);
    end = writeCopy(output, end, at - candidate, length);
    at += length;
    literal = at;
  }
  return writeLiteral(input, literal, stop, output, end);
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
    end = output.writeUInt16LE(less, end);
  }
  input.copy(output, end, start, stop);
  return end + length;
}

/** Writes copies of two-byte offset, each of 1 to 64 bytes. */
function writeCopy(output: Buffer, from: number, offset: number, length: number): number {
  let end = from;
  for (let left = length; left > 0; ) {
    const count = Math.min(left, MAX_COPY);
    output[end++] = ((count - 1) << 2) | 2;
    end = output.writeUInt16LE(offset, end);
    left -= count;
  }
  return end;
}

/** Writes an unsigned number of up to 32 bits as a varint; returns the position after it. */
export function writeVarint(output: Buffer, from: number, value: number): number {
  let end = from;
  let rest = value;
  while (rest > 0x7f) {
    output[end++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  output[end++] = rest;
  return end;
}
