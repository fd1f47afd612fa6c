import type { Instant } from '../../catalog/day.ts';
import { FIELD_1_DOUBLE, FIELD_2_MESSAGE, FIELD_2_VARINT, field } from './fields.ts';
import { writeVarint } from './varint.ts';

/** The position of the value in an encoded sample. */
const VALUE_AT = 3;
/** A native copy of fewer bytes costs more than copying them one by one. */
const NATIVE_COPY = 64;

/** Samples at some instants, encoded with the value 0: once for all series that have samples at these instants. */
export interface Points {
  /** Each sample. */
  readonly encoded: readonly Buffer[];
  /** The bytes of all of them. */
  readonly length: number;
  /** All of them in one piece; made when they are first written. */
  joined: Buffer | undefined;
}

/** Encodes samples at some instants. */
export function pointsAt(stamps: readonly Instant[]): Points {
  return pointsOf(stamps.map(pointAt));
}

/** The samples of some points, and then those of others. */
export function followedBy(points: Points, others: Points): Points {
  return pointsOf([...points.encoded, ...others.encoded]);
}

function pointsOf(encoded: readonly Buffer[]): Points {
  return { encoded, length: encoded.reduce((sum, point) => sum + point.length, 0), joined: undefined };
}

/** Writes samples of one value, to a buffer and its view; returns the position after them. */
export function writePoints(
  points: Points,
  value: number,
  output: Buffer,
  view: DataView,
  from: number,
): number {
  const { encoded, length } = points;
  points.joined ??= joinedOf(encoded);
  const { joined } = points;
  if (length > NATIVE_COPY) output.set(joined, from);
  else for (let index = 0; index < length; index++) output[from + index] = joined[index] ?? 0;
  let end = from;
  for (let index = 0; index < encoded.length; index++) {
    view.setFloat64(end + VALUE_AT, value, true);
    end += encoded[index]?.length ?? 0;
  }
  return end;
}

function joinedOf(encoded: readonly Buffer[]): Buffer {
  const [only] = encoded;
  return only !== undefined && encoded.length === 1 ? only : Buffer.concat(encoded);
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
