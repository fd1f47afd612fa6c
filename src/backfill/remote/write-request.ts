import type { Instant } from '../../catalog/day.ts';
import type { Family, Sample } from '../../catalog/family.ts';
import { labelValue } from '../../catalog/label.ts';
import { writeVarint } from './snappy.ts';

// Field numbers and wire types of the messages of remote write 1.0: WriteRequest{timeseries 1},
// TimeSeries{labels 1, samples 2}, Label{name 1, value 2}, Sample{value 1, timestamp 2}.
const FIELD_1_MESSAGE = 0x0a;
const FIELD_2_MESSAGE = 0x12;
const FIELD_1_DOUBLE = 0x09;
const FIELD_2_VARINT = 0x10;

const ROOM = 1024 * 1024;

/** Encodes consecutive time series into one `WriteRequest`. */
interface WriteRequestEncoder {
  /** Adds a sample of a family at some instants, in order, as one series. */
  add(series: SeriesPlan, sample: Sample, stamps: readonly Instant[]): void;
  readonly samples: number;
  /** Returns the message and clears the encoder. */
  take(): Buffer;
}

/** A family's labels in the order that remote write requires, with the constant ones already encoded. */
export type SeriesPlan = readonly PlannedLabel[];

type PlannedLabel = { readonly fixed: Buffer } | { readonly label: string; readonly name: Buffer };

/** Plans the series of a family: its name, its labels and the `common` ones, sorted by name. */
export function planSeries(
  { name, labels }: Pick<Family, 'labels'> & { readonly name: string },
  common: Readonly<Record<string, string>>,
): SeriesPlan {
  const fixed = new Map([['__name__', name], ...Object.entries(common)]);
  return [...fixed.keys(), ...labels].sort(byBytes).flatMap((label): SeriesPlan => {
    const value = fixed.get(label);
    // An empty label is the same as no label.
    if (value === '') return [];
    return [
      value === undefined
        ? { label, name: text(label) }
        : { fixed: labelOf(text(label), text(labelValue(value))) },
    ];
  });
}

/** Creates an empty encoder. */
export function createWriteRequestEncoder(): WriteRequestEncoder {
  let buffer = Buffer.allocUnsafe(ROOM);
  let end = 0;
  let samples = 0;

  function ensure(room: number): void {
    if (end + room <= buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, end + room));
    buffer.copy(larger, 0, 0, end);
    buffer = larger;
  }

  return {
    get samples() {
      return samples;
    },
    add(series, sample, stamps) {
      const labels = series.map((planned) => encodedLabel(planned, sample));
      const points = stamps.map((stamp) => sampleOf(sample.value, stamp));
      const length = lengthOf(labels) + lengthOf(points);
      ensure(length + 6);
      buffer[end++] = FIELD_1_MESSAGE;
      end = writeVarint(buffer, end, length);
      for (const part of labels) end += part.copy(buffer, end);
      for (const part of points) end += part.copy(buffer, end);
      samples += stamps.length;
    },
    take() {
      const message = Buffer.from(buffer.subarray(0, end));
      end = 0;
      samples = 0;
      return message;
    },
  };
}

const NOTHING = Buffer.alloc(0);

function encodedLabel(planned: PlannedLabel, sample: Sample): Buffer {
  if ('fixed' in planned) return planned.fixed;
  const value = labelValue(sample.labels[planned.label] ?? '');
  return value === '' ? NOTHING : labelOf(planned.name, text(value));
}

function labelOf(name: Buffer, value: Buffer): Buffer {
  return field(FIELD_1_MESSAGE, Buffer.concat([field(FIELD_1_MESSAGE, name), field(FIELD_2_MESSAGE, value)]));
}

function sampleOf(value: number, stamp: Instant): Buffer {
  const message = Buffer.allocUnsafe(20);
  message[0] = FIELD_1_DOUBLE;
  message.writeDoubleLE(value, 1);
  message[9] = FIELD_2_VARINT;
  // A timestamp has more than 32 bits: its seven-bit groups are written from two halves.
  const high = Math.floor(stamp / 2 ** 28);
  let end = 10;
  for (let shift = 0; shift < 28; shift += 7) message[end++] = (((stamp % 2 ** 28) >>> shift) & 0x7f) | 0x80;
  end = writeVarint(message, end, high);
  return field(FIELD_2_MESSAGE, message.subarray(0, end));
}

function field(tag: number, content: Buffer): Buffer {
  const message = Buffer.allocUnsafe(content.length + 6);
  message[0] = tag;
  const start = writeVarint(message, 1, content.length);
  content.copy(message, start);
  return message.subarray(0, start + content.length);
}

function text(value: string): Buffer {
  return Buffer.from(value, 'utf8');
}

function lengthOf(parts: readonly Buffer[]): number {
  let length = 0;
  for (const part of parts) length += part.length;
  return length;
}

function byBytes(one: string, other: string): number {
  return one < other ? -1 : 1;
}
