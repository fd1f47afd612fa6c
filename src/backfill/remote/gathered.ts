import { FIELD_1_MESSAGE, HEADER } from './fields.ts';
import { type Points, writePoints } from './points.ts';
import { writeVarint } from './varint.ts';

const FIRST_ROOM = 4096;

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
  /** What entries refer to; more may be added to these meanwhile. */
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
  const { labels } = gathered;
  for (let from = 0; from < labels.length; ) {
    const lengths: number[] = [];
    let samples = 0;
    let bytes = 0;
    while (from + lengths.length < labels.length && samples < enough) {
      const series = from + lengths.length;
      let length = labels[series]?.length ?? 0;
      for (let entry = gathered.first[series] ?? -1; entry !== -1; entry = gathered.next[entry] ?? -1) {
        const points = gathered.points[gathered.pointsAt[entry] ?? 0];
        length += points?.length ?? 0;
        samples += points?.encoded.length ?? 0;
      }
      lengths.push(length);
      bytes += HEADER + length;
    }
    yield { message: encodeMessage(gathered, from, lengths, bytes), samples };
    from += lengths.length;
  }
}

/** Encodes as many series as there are lengths, which take at most so many bytes. */
function encodeMessage(gathered: Gathered, from: number, lengths: readonly number[], bytes: number): Buffer {
  const message = Buffer.allocUnsafe(bytes);
  const view = new DataView(message.buffer, message.byteOffset, message.length);
  let end = 0;
  for (let index = 0; index < lengths.length; index++) {
    const series = from + index;
    const labels = gathered.labels[series];
    if (labels === undefined) break;
    message[end++] = FIELD_1_MESSAGE;
    end = writeVarint(message, end, lengths[index] ?? 0);
    message.set(labels, end);
    end += labels.length;
    for (let entry = gathered.first[series] ?? -1; entry !== -1; entry = gathered.next[entry] ?? -1) {
      const points = gathered.points[gathered.pointsAt[entry] ?? 0];
      if (points !== undefined) end = writePoints(points, gathered.values[entry] ?? 0, message, view, end);
    }
  }
  return message.subarray(0, end);
}
