// Decoders of snappy's raw format and of remote write's messages, written from their specifications alone.

/** Decodes a raw snappy block; throws if it is invalid. */
export function decompressSnappy(input: Uint8Array): Buffer {
  const [length, start] = readVarint(input, 0);
  const output = Buffer.alloc(Number(length));
  let [from, to] = [start, 0];
  while (from < input.length) {
    const tag = input[from++] ?? 0;
    if ((tag & 3) === 0) {
      let count = tag >> 2;
      if (count >= 60) {
        const bytes = count - 59;
        count = Number(readLittleEndian(input, from, bytes));
        from += bytes;
      }
      output.set(input.subarray(from, from + count + 1), to);
      from += count + 1;
      to += count + 1;
      continue;
    }
    const short = (tag & 3) === 1;
    const bytes = short ? 1 : (tag & 3) === 2 ? 2 : 4;
    const count = short ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const offset = readLittleEndian(input, from, bytes) + (short ? (tag >> 5) << 8 : 0);
    from += bytes;
    if (offset === 0 || offset > to) throw new Error(`offset ${offset} at ${to}`);
    for (let index = 0; index < count; index++, to++) output[to] = output[to - offset] ?? 0;
  }
  if (to !== output.length) throw new Error(`${to} bytes instead of ${output.length}`);
  return output;
}

/** A time series of a write request. */
interface DecodedSeries {
  readonly labels: readonly (readonly [string, string])[];
  readonly samples: readonly { readonly value: number; readonly timestamp: number }[];
}

/** The time series of a write request. */
export function decodeWriteRequest(message: Uint8Array): readonly DecodedSeries[] {
  return fieldsOf(message).map(({ number, bytes }) => {
    if (number !== 1) throw new Error(`field ${number} in a write request`);
    const series = fieldsOf(bytes);
    return {
      labels: series.filter((field) => field.number === 1).map((field) => labelOf(field.bytes)),
      samples: series.filter((field) => field.number === 2).map((field) => sampleOf(field.bytes)),
    };
  });
}

interface Field {
  readonly number: number;
  readonly bytes: Uint8Array;
  readonly varint: bigint;
}

function fieldsOf(message: Uint8Array): readonly Field[] {
  const fields: Field[] = [];
  for (let at = 0; at < message.length; ) {
    const [key, start] = readVarint(message, at);
    const [number, type] = [Number(key >> 3n), Number(key & 7n)];
    if (type === 0) {
      const [varint, end] = readVarint(message, start);
      fields.push({ number, varint, bytes: message.subarray(0, 0) });
      at = end;
    } else if (type === 1) {
      fields.push({ number, varint: 0n, bytes: message.subarray(start, start + 8) });
      at = start + 8;
    } else {
      if (type !== 2) throw new Error(`wire type ${type}`);
      const [length, begin] = readVarint(message, start);
      at = begin + Number(length);
      if (at > message.length) throw new Error('a field reaches beyond its message');
      fields.push({ number, varint: 0n, bytes: message.subarray(begin, at) });
    }
  }
  return fields;
}

function labelOf(message: Uint8Array): readonly [string, string] {
  const texts = new Map(
    fieldsOf(message).map(({ number, bytes }) => [number, Buffer.from(bytes).toString()]),
  );
  return [texts.get(1) ?? '', texts.get(2) ?? ''];
}

function sampleOf(message: Uint8Array): { readonly value: number; readonly timestamp: number } {
  const fields = new Map(fieldsOf(message).map((field) => [field.number, field]));
  const value = fields.get(1)?.bytes ?? new Uint8Array(8);
  return {
    value: Buffer.from(value).readDoubleLE(0),
    timestamp: Number(fields.get(2)?.varint ?? 0n),
  };
}

function readVarint(bytes: Uint8Array, start: number): [bigint, number] {
  let value = 0n;
  for (let at = start, shift = 0n; ; at++, shift += 7n) {
    const byte = bytes[at];
    if (byte === undefined) throw new Error('a number breaks off');
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80) return [value, at + 1];
  }
}

function readLittleEndian(bytes: Uint8Array, start: number, count: number): number {
  let value = 0;
  for (let index = count - 1; index >= 0; index--) value = value * 256 + (bytes[start + index] ?? 0);
  return value;
}
