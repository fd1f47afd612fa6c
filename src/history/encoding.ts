import { crc32 } from 'node:zlib';
import { JsonText, textOf } from './packed.ts';

/** A stored value: JSON, and the CRC-32 of that text; null for a key without a value. */
interface Encoded {
  readonly text: string | null;
  readonly sum: number | null;
}

/** Encodes the value under a key. */
export function encode<Key extends string>(map: ReadonlyMap<Key, unknown>, key: Key): Encoded {
  const text = textOf(map, key);
  return text === undefined ? { text: null, sum: null } : { text, sum: crc32(text) };
}

/** The text of a value; undefined if it is not what was written. */
export function decode(text: unknown, sum: unknown): JsonText | undefined {
  // The sum of no text at all is 0, as in a row that was overwritten with zeros.
  if (typeof text !== 'string' || text === '' || text === 'null') return undefined;
  return crc32(text) === sum ? new JsonText(text) : undefined;
}
