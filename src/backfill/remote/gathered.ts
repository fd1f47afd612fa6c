import { FIELD_1_MESSAGE, HEADER } from './fields.ts';
import { type Points, writePoints } from './points.ts';
import { writeVarint } from './varint.ts';

/** Entries that there is room for at first: about as many as a round has. */
const FIRST_ROOM = 65_536;

/** A series, and where it is in what is being gathered. */
export interface Series {
  /** The labels, encoded as fields of the series. */
  readonly labels: Buffer;
  /** The number of the gathering that `position` is valid for. */
  gathering: number;
  position: number;
}

/**
 * Samples of many series, in the order in which they came. An entry is a value at some instants and refers to the next
 * one of its series: columns of numbers need no garbage collection, unlike a list for each series.
 */
export interface Gathered {
  readonly number: number;
  /** The series that have entries: their labels, and the positions of their first and last entries. */
  readonly labels: Buffer[];
  readonly first: number[];
  readonly last: number[];
  /** What entries refer to. */
  readonly points: Points[];
  /** The number of entries. */
  entries: number;
  /** Of each entry: its value, the position of its points, and the position of its series' next entry. */
  values: Float64Array;
  pointsAt: Int32Array;
  next: Int32Array;
}

/** An encoded `WriteRequest`. */
export interface EncodedRequest {
  readonly message: Buffer;
  readonly samples: number;
}

/** Nothing gathered yet. */
export function nothingGathered(number: number): Gathered {
  return {
    number,
    labels: [],
    first: [],
    last: [],
    points: [],
    entries: 0,
    values: new Float64Array(FIRST_ROOM),
    pointsAt: new Int32Array(FIRST_ROOM),
    next: new Int32Array(FIRST_ROOM),
  };
}

/** Adds an entry for each value; each is of another series. */
export function gatherAll(
  gathered: Gathered,
  series: readonly Series[],
  values: readonly { readonly value: number }[],
  pointsAt: number,
): void {
  for (let index = 0; index < series.length; index++) {
    const [one, of] = [series[index], values[index]];
    if (one !== undefined && of !== undefined) gather(gathered, one, of.value, pointsAt);
  }
}

/** Adds an entry. */
export function gather(gathered: Gathered, series: Series, value: number, pointsAt: number): void {
  const entry = gathered.entries++;
  if (entry === gathered.values.length) grow(gathered);
  gathered.values[entry] = value;
  gathered.pointsAt[entry] = pointsAt;
  gathered.next[entry] = -1;
  if (series.gathering === gathered.number) {
    gathered.next[gathered.last[series.position] ?? 0] = entry;
    gathered.last[series.position] = entry;
  } else {
    series.gathering = gathered.number;
    series.position = gathered.labels.length;
    gathered.labels.push(series.labels);
    gathered.first.push(entry);
    gathered.last.push(entry);
  }
}

function grow(gathered: Gathered): void {
  const { values, pointsAt, next } = gathered;
  const room = 2 * values.length;
  gathered.values = new Float64Array(room);
  gathered.values.set(values);
  gathered.pointsAt = new Int32Array(room);
  gathered.pointsAt.set(pointsAt);
  gathered.next = new Int32Array(room);
  gathered.next.set(next);
}

/** Encodes messages of `enough` samples or a little more, because a series is never divided. */
export function* encodeMessages(gathered: Gathered, enough: number): Generator<EncodedRequest> {
  const { lengths, counts } = sizesOf(gathered);
  for (let from = 0; from < lengths.length; ) {
    let [to, samples] = [from, 0];
    for (; to < lengths.length && samples < enough; to++) samples += counts[to] ?? 0;
    yield { message: encodeMessage(gathered, lengths, from, to), samples };
    from = to;
  }
}

/** The encoded length of each series, without its tag and length, and its number of samples. */
function sizesOf({ labels, first, points, pointsAt, next }: Gathered): {
  readonly lengths: Int32Array;
  readonly counts: Int32Array;
} {
  const lengths = new Int32Array(labels.length);
  const counts = new Int32Array(labels.length);
  for (let series = 0; series < labels.length; series++) {
    let length = labels[series]?.length ?? 0;
    let count = 0;
    for (let entry = first[series] ?? -1; entry !== -1; entry = next[entry] ?? -1) {
      const of = points[pointsAt[entry] ?? 0];
      length += of?.length ?? 0;
      count += of?.encoded.length ?? 0;
    }
    lengths[series] = length;
    counts[series] = count;
  }
  return { lengths, counts };
}

/** Encodes the series from one position up to another. */
function encodeMessage(gathered: Gathered, lengths: Int32Array, from: number, to: number): Buffer {
  const { labels, first, points, pointsAt, next, values } = gathered;
  const bytes = lengths.subarray(from, to).reduce((sum, length) => sum + HEADER + length, 0);
  const message = Buffer.allocUnsafe(bytes);
  const view = new DataView(message.buffer, message.byteOffset, message.length);
  let end = 0;
  for (let series = from; series < to; series++) {
    message[end++] = FIELD_1_MESSAGE;
    end = writeVarint(message, end, lengths[series] ?? 0);
    end += labels[series]?.copy(message, end) ?? 0;
    for (let entry = first[series] ?? -1; entry !== -1; entry = next[entry] ?? -1) {
      const of = points[pointsAt[entry] ?? 0];
      if (of !== undefined) end = writePoints(of, values[entry] ?? 0, message, view, end);
    }
  }
  return message.subarray(0, end);
}
