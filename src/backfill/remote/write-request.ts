import type { Instant } from '../../catalog/day.ts';
import type { Family, Sample } from '../../catalog/family.ts';
import { labelValue } from '../../catalog/label.ts';
import { varintLength, writeVarint } from './varint.ts';

// Field numbers and wire types of the messages of remote write 1.0: WriteRequest{timeseries 1},
// TimeSeries{labels 1, samples 2}, Label{name 1, value 2}, Sample{value 1, timestamp 2}.
const FIELD_1_MESSAGE = 0x0a;
const FIELD_2_MESSAGE = 0x12;
const FIELD_1_DOUBLE = 0x09;
const FIELD_2_VARINT = 0x10;

const ROOM = 1024 * 1024;
/** The position of the value in an encoded sample. */
const VALUE_AT = 3;
/** Maximum bytes of a tag and a length. */
const HEADER = 6;
/** The length of nearly every series takes this many bytes. */
const USUAL_LENGTH_BYTES = 2;

/** Encodes consecutive time series into one `WriteRequest`. */
interface WriteRequestEncoder {
  /** Adds a sample of a family at some instants, in order, as one series. */
  add(series: SeriesPlan, sample: Sample, stamps: readonly Instant[]): void;
  readonly samples: number;
  /** Returns the message and clears the encoder. The message is valid until the next sample is added. */
  take(): Buffer;
}

/** A family's labels in the order that remote write requires, with the constant ones already encoded. */
export type SeriesPlan = readonly PlannedLabel[];

type PlannedLabel =
  | { readonly fixed: Buffer }
  /** The name is encoded as a field of the label. */
  | { readonly label: string; readonly name: Buffer };

/** Plans the series of a family: its name, its labels and the `common` ones, sorted by name. */
export function planSeries(
  { name, labels }: Pick<Family, 'labels'> & { readonly name: string },
  common: Readonly<Record<string, string>>,
): SeriesPlan {
  const fixed = new Map([['__name__', name], ...Object.entries(common)]);
  const plan: PlannedLabel[] = [];
  for (const label of [...fixed.keys(), ...labels].sort(byBytes)) {
    const value = fixed.get(label);
    // An empty label is the same as no label.
    if (value === '') continue;
    const encodedName = field(FIELD_1_MESSAGE, Buffer.from(label));
    if (value === undefined) plan.push({ label, name: encodedName });
    else appendFixed(plan, encodedName, labelValue(value));
  }
  return plan;
}

/** Consecutive constant labels are copied at once. */
function appendFixed(plan: PlannedLabel[], name: Buffer, value: string): void {
  const encoded = field(FIELD_1_MESSAGE, Buffer.concat([name, field(FIELD_2_MESSAGE, Buffer.from(value))]));
  const last = plan.at(-1);
  if (last !== undefined && 'fixed' in last) {
    plan[plan.length - 1] = { fixed: Buffer.concat([last.fixed, encoded]) };
  } else plan.push({ fixed: encoded });
}

/**
 * Creates an empty encoder. Everything is written in place, because an intermediate buffer for each label costs more
 * than its bytes.
 */
export function createWriteRequestEncoder(): WriteRequestEncoder {
  let buffer = Buffer.allocUnsafe(ROOM);
  let end = 0;
  let samples = 0;
  // The instants of a page are the same for all its samples.
  let pointsOf: readonly Instant[] | undefined;
  let points: readonly Buffer[] = [];

  function ensure(room: number): void {
    if (end + room <= buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, end + room));
    buffer.copy(larger, 0, 0, end);
    buffer = larger;
  }

  function put(bytes: Buffer): void {
    ensure(bytes.length);
    buffer.set(bytes, end);
    end += bytes.length;
  }

  function putLabel(name: Buffer, value: string): void {
    // A UTF-16 unit takes at most three bytes.
    ensure(name.length + value.length * 3 + 2 * HEADER);
    const start = end;
    writeLabelHeader(name, value.length);
    for (let index = 0; index < value.length; index++) {
      const code = value.charCodeAt(index);
      if (code > 0x7f) {
        end = start;
        putUtf8Label(name, value);
        return;
      }
      buffer[end++] = code;
    }
  }

  function putUtf8Label(name: Buffer, value: string): void {
    writeLabelHeader(name, Buffer.byteLength(value));
    end += buffer.write(value, end);
  }

  function writeLabelHeader(name: Buffer, length: number): void {
    buffer[end++] = FIELD_1_MESSAGE;
    end = writeVarint(buffer, end, name.length + 1 + varintLength(length) + length);
    buffer.set(name, end);
    end += name.length;
    buffer[end++] = FIELD_2_MESSAGE;
    end = writeVarint(buffer, end, length);
  }

  /** Writes the length of the series that begins at `start`, where room for the usual size was left. */
  function closeSeries(start: number): void {
    const length = end - start;
    const bytes = varintLength(length);
    if (bytes !== USUAL_LENGTH_BYTES) {
      ensure(HEADER);
      buffer.copyWithin(start - USUAL_LENGTH_BYTES + bytes, start, end);
      end += bytes - USUAL_LENGTH_BYTES;
    }
    writeVarint(buffer, start - USUAL_LENGTH_BYTES, length);
  }

  return {
    get samples() {
      return samples;
    },
    add(series, sample, stamps) {
      if (stamps !== pointsOf) {
        pointsOf = stamps;
        points = stamps.map(pointAt);
      }
      ensure(HEADER);
      buffer[end++] = FIELD_1_MESSAGE;
      end += USUAL_LENGTH_BYTES;
      const start = end;
      for (const planned of series) {
        if ('fixed' in planned) {
          put(planned.fixed);
          continue;
        }
        const value = labelValue(sample.labels[planned.label] ?? '');
        if (value !== '') putLabel(planned.name, value);
      }
      for (const point of points) {
        const at = end;
        put(point);
        buffer.writeDoubleLE(sample.value, at + VALUE_AT);
      }
      closeSeries(start);
      samples += stamps.length;
    },
    take() {
      const message = buffer.subarray(0, end);
      end = 0;
      samples = 0;
      return message;
    },
  };
}

/** A sample at an instant, encoded with the value 0. */
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

function field(tag: number, content: Buffer): Buffer {
  const message = Buffer.allocUnsafe(content.length + HEADER);
  message[0] = tag;
  const start = writeVarint(message, 1, content.length);
  content.copy(message, start);
  return message.subarray(0, start + content.length);
}

function byBytes(one: string, other: string): number {
  return one < other ? -1 : 1;
}
