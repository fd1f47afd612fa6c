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

const ROOM = 256 * 1024;
/** How many series are remembered with their encoded labels, in about 30 MiB; beyond that, all are forgotten. */
const MAX_REMEMBERED = 50_000;
/** The position of the value in an encoded sample. */
const VALUE_AT = 3;
/** Maximum bytes of a tag and a length. */
const HEADER = 6;

/** Gathers samples by series, and encodes them into `WriteRequest`s that contain each series once. */
interface WriteRequestEncoder {
  /** Adds a sample of a family at some instants, which follow all former ones of its series. */
  add(family: SeriesPlan, sample: Sample, stamps: readonly Instant[]): void;
  /** Adds all samples of a family; an array that is added again has not changed. */
  addAll(family: SeriesPlan, samples: readonly Sample[], stamps: readonly Instant[]): void;
  readonly samples: number;
  /**
   * Clears the encoder. Returns everything as messages of `enough` samples, or a little more, because a series is never
   * divided: no two messages have a series in common. Each is encoded when it is asked for.
   */
  take(enough: number): Generator<EncodedRequest>;
}

/** An encoded `WriteRequest`. */
interface EncodedRequest {
  readonly message: Buffer;
  readonly samples: number;
}

/** A series and the samples gathered of it. */
interface Series {
  /** The labels, encoded as fields of the series. */
  readonly labels: Buffer;
  /** Undefined if none were gathered. */
  gathered: Gathered | undefined;
}

/** The samples of a series, oldest first. */
interface Gathered {
  readonly labels: Buffer;
  /** The samples, encoded with the value 0. */
  readonly points: Buffer[];
  readonly values: number[];
  /** Bytes of the labels and samples. */
  length: number;
}

/** The series of an array of samples. */
interface SeriesOfAll {
  readonly samples: readonly Sample[];
  readonly series: readonly Series[];
}

/** The series of a family by the value of its first label, of these by the value of the second, and so on. */
interface Branch {
  next: Map<string, Branch> | undefined;
  series: Series | undefined;
}

/** A family's labels in the order that remote write requires, with the constant ones already encoded. */
export interface SeriesPlan {
  readonly labels: readonly string[];
  readonly sorted: readonly PlannedLabel[];
}

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
  return { labels, sorted: plan };
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
 * Creates an empty encoder. The labels of a series are encoded once and remembered, because days repeat them; they are
 * encoded in place, because an intermediate buffer for each label costs more than its bytes.
 */
export function createWriteRequestEncoder(): WriteRequestEncoder {
  let families = new Map<SeriesPlan, Branch>();
  // Pages of the current state are often the same array for weeks.
  let lastOf = new Map<SeriesPlan, SeriesOfAll>();
  let remembered = 0;
  // The series with samples.
  let gathered: Series[] = [];
  let samples = 0;
  // The labels of all series; what has been encoded stays where it is.
  let buffer = Buffer.allocUnsafe(ROOM);
  let end = 0;
  // The instants of a page are the same for all its samples.
  let pointsOf: readonly Instant[] | undefined;
  let points: readonly Buffer[] = [];
  let pointsLength = 0;

  function seriesOf(plan: SeriesPlan, { labels }: Sample): Series {
    let branch = branchOf(families, plan);
    for (const label of plan.labels) {
      branch.next ??= new Map();
      branch = branchOf(branch.next, labels[label] ?? '');
    }
    branch.series ??= remember(encodeLabels(plan, labels));
    return branch.series;
  }

  function remember(labels: Buffer): Series {
    remembered++;
    return { labels, gathered: undefined };
  }

  function forgetAll(): void {
    families = new Map();
    lastOf = new Map();
    remembered = 0;
    end = buffer.length;
  }

  function encodeLabels(plan: SeriesPlan, labels: Sample['labels']): Buffer {
    const values = plan.sorted.map((planned) =>
      'fixed' in planned ? '' : labelValue(labels[planned.label] ?? ''),
    );
    ensure(plan.sorted.reduce((sum, planned, index) => sum + largest(planned, values[index] ?? ''), 0));
    const start = end;
    for (const [index, planned] of plan.sorted.entries()) {
      const value = values[index] ?? '';
      if ('fixed' in planned) put(planned.fixed);
      else if (value !== '') putLabel(planned.name, value);
    }
    return buffer.subarray(start, end);
  }

  function ensure(room: number): void {
    if (end + room <= buffer.length) return;
    buffer = Buffer.allocUnsafe(Math.max(ROOM, room));
    end = 0;
  }

  function put(bytes: Buffer): void {
    buffer.set(bytes, end);
    end += bytes.length;
  }

  function putLabel(name: Buffer, value: string): void {
    const length = Buffer.byteLength(value);
    buffer[end++] = FIELD_1_MESSAGE;
    end = writeVarint(buffer, end, name.length + 1 + varintLength(length) + length);
    put(name);
    buffer[end++] = FIELD_2_MESSAGE;
    end = writeVarint(buffer, end, length);
    end += buffer.write(value, end);
  }

  function setStamps(stamps: readonly Instant[]): void {
    if (stamps === pointsOf) return;
    pointsOf = stamps;
    points = stamps.map(pointAt);
    pointsLength = points.reduce((sum, point) => sum + point.length, 0);
  }

  function gather(series: Series, value: number): void {
    if (series.gathered === undefined) {
      const { labels } = series;
      series.gathered = { labels, points: [], values: [], length: labels.length };
      gathered.push(series);
    }
    for (const point of points) {
      series.gathered.points.push(point);
      series.gathered.values.push(value);
    }
    series.gathered.length += pointsLength;
    samples += points.length;
  }

  return {
    get samples() {
      return samples;
    },
    add(plan, sample, stamps) {
      setStamps(stamps);
      gather(seriesOf(plan, sample), sample.value);
    },
    addAll(plan, all, stamps) {
      setStamps(stamps);
      const last = lastOf.get(plan);
      const series = last?.samples === all ? last.series : all.map((sample) => seriesOf(plan, sample));
      lastOf.set(plan, { samples: all, series });
      for (let index = 0; index < all.length; index++) {
        const [one, sample] = [series[index], all[index]];
        if (one !== undefined && sample !== undefined) gather(one, sample.value);
      }
    },
    take(enough) {
      const all = gathered.map(detach);
      gathered = [];
      samples = 0;
      if (remembered > MAX_REMEMBERED) forgetAll();
      return encodeEach(all, enough);
    },
  };
}

/** Leaves a series without samples, and returns those that it had. */
function detach(series: Series): Gathered {
  const { labels, gathered = { labels, points: [], values: [], length: labels.length } } = series;
  series.gathered = undefined;
  return gathered;
}

function* encodeEach(all: readonly Gathered[], enough: number): Generator<EncodedRequest> {
  for (let first = 0; first < all.length; ) {
    let [next, count] = [first, 0];
    for (; next < all.length && count < enough; next++) count += all[next]?.values.length ?? 0;
    yield { message: encodeMessage(all.slice(first, next)), samples: count };
    first = next;
  }
}

function branchOf<Key>(branches: Map<Key, Branch>, key: Key): Branch {
  let branch = branches.get(key);
  if (branch === undefined) {
    branch = { next: undefined, series: undefined };
    branches.set(key, branch);
  }
  return branch;
}

/** The most bytes of an encoded label: a UTF-16 unit takes at most three. */
function largest(planned: PlannedLabel, value: string): number {
  return 'fixed' in planned ? planned.fixed.length : planned.name.length + value.length * 3 + 2 * HEADER;
}

function encodeMessage(all: readonly Gathered[]): Buffer {
  const message = Buffer.allocUnsafe(all.reduce((sum, { length }) => sum + HEADER + length, 0));
  let end = 0;
  for (const series of all) {
    const { labels, points, values } = series;
    message[end++] = FIELD_1_MESSAGE;
    end = writeVarint(message, end, series.length);
    message.set(labels, end);
    end += labels.length;
    for (const [index, point] of points.entries()) {
      // A native copy costs more than these few bytes.
      for (let at = 0; at < point.length; at++) message[end + at] = point[at] ?? 0;
      message.writeDoubleLE(values[index] ?? 0, end + VALUE_AT);
      end += point.length;
    }
  }
  return message.subarray(0, end);
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
