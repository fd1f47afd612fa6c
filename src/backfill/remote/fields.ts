import { writeVarint } from './varint.ts';

// Field numbers and wire types of the messages of remote write 1.0: WriteRequest{timeseries 1},
// TimeSeries{labels 1, samples 2}, Label{name 1, value 2}, Sample{value 1, timestamp 2}.
export const FIELD_1_MESSAGE = 0x0a;
export const FIELD_2_MESSAGE = 0x12;
export const FIELD_1_DOUBLE = 0x09;
export const FIELD_2_VARINT = 0x10;

/** Maximum bytes of a tag and a length. */
export const HEADER = 6;

/** A field with its tag and its length. */
export function field(tag: number, content: Buffer): Buffer {
  const message = Buffer.allocUnsafe(content.length + HEADER);
  message[0] = tag;
  const start = writeVarint(message, 1, content.length);
  content.copy(message, start);
  return message.subarray(0, start + content.length);
}
