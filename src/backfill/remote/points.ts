import type { Instant } from '../../catalog/day.ts';
import { FIELD_1_DOUBLE, FIELD_2_MESSAGE, FIELD_2_VARINT, field } from './fields.ts';
import { writeVarint } from './varint.ts';

/** The position of the value in an encoded sample. */
const VALUE_AT = 3;
/** A native copy of fewer bytes costs more than copying them word by word. */
const NATIVE_COPY = 64;
/** The bytes of a word: up to so many are written behind the points, and overwritten by what follows. */
export const COPIED_AT_ONCE = 4;

/** Samples at some instants, encoded with the value 0: once for all series that have samples at these instants. */
export interface Points {
  /** The samples, followed by what makes the last word whole. */
  readonly encoded: Buffer;
  readonly words: DataView;
  /** The bytes of all samples. */
  readonly length: number;
  /** The position of each sample's value. */
  readonly valuesAt: readonly number[];
  /** What they were last followed by: many families have samples at the same instants. */
  followed: { readonly others: Points; readonly both: Points } | undefined;
}

/** Encodes samples at some instants. */
export function pointsAt(stamps: readonly Instant[]): Points {
  const samples = stamps.map(pointAt);
  const valuesAt: number[] = [];
  let length = 0;
  for (const sample of samples) {
    valuesAt.push(length + VALUE_AT);
    length += sample.length;
  }
  return pointsOf(samples, length, valuesAt);
}

/** The samples of some points, and then those of others. */
export function followedBy(points: Points, others: Points): Points {
  if (points.followed?.others === others) return points.followed.both;
  const { length } = points;
  const valuesAt = [...points.valuesAt, ...others.valuesAt.map((at) => length + at)];
  const samples = [points.encoded.subarray(0, length), others.encoded.subarray(0, others.length)];
  const both = pointsOf(samples, length + others.length, valuesAt);
  points.followed = { others, both };
  return both;
}

function pointsOf(samples: readonly Buffer[], length: number, valuesAt: readonly number[]): Points {
  const encoded = Buffer.concat(samples, length + COPIED_AT_ONCE);
  const words = new DataView(encoded.buffer, encoded.byteOffset, encoded.length);
  return { encoded, words, length, valuesAt, followed: undefined };
}

/** Writes samples of one value, to a buffer and its view; returns the position after them. */
export function writePoints(
  { encoded, words, length, valuesAt }: Points,
  value: number,
  output: Buffer,
  view: DataView,
  from: number,
): number {
  if (length > NATIVE_COPY) output.set(encoded, from);
  else
    for (let at = 0; at < length; at += COPIED_AT_ONCE)
      view.setInt32(from + at, words.getInt32(at, true), true);
  for (let index = 0; index < valuesAt.length; index++) {
    view.setFloat64(from + (valuesAt[index] ?? 0), value, true);
  }
  return from + length;
}

function pointAt(stamp: Instant): Buffer {
  const message = Buffer.alloc(20);
  message[0] = FIELD_1_DOUBLE;
  message[9] = FIELD_2_VARINT;
  // A timestamp has more than 32 bits: its seven-bit groups are written from two halves.
  const high = Math.floor(stamp / 2 ** 28);
  let end = 10;
  for (let shift = 0; shift < 28; shift += 7) message[end++] = (((stamp % 2 ** 28) >>> shift) & 0x7f) | 0x80;
  end = writeVarint(message, end, high);
  return field(FIELD_2_MESSAGE, message.subarray(0, end));
}
