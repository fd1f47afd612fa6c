import { crc32 } from 'node:zlib';

/** A stored value: JSON, and the CRC-32 of that text. */
interface Encoded {
  readonly text: string;
  readonly sum: number;
}

/** Encodes a value. */
export function encode(value: unknown): Encoded {
  const text = JSON.stringify(value);
  return { text, sum: crc32(text) };
}

/** Decodes a value; undefined if the text is not what was written. */
export function decode(text: unknown, sum: unknown): unknown {
  if (typeof text !== 'string' || crc32(text) !== sum) return undefined;
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}
