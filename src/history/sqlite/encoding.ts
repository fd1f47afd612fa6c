import { crc32 } from 'node:zlib';

/** A value as it is stored: JSON, and the CRC-32 of that text. */
export interface Encoded {
  readonly text: string;
  readonly sum: number;
}

/** Writes a value down. */
export function encode(value: unknown): Encoded {
  const text = JSON.stringify(value);
  return { text, sum: crc32(text) };
}

/** Reads a value back; undefined where the text is not what was written. */
export function decode(text: unknown, sum: unknown): unknown {
  if (typeof text !== 'string' || crc32(text) !== sum) return undefined;
  try {
    return JSON.parse(text) ?? undefined;
  } catch {
    return undefined;
  }
}
