import { type Points, writePoints } from './points.ts';

/** Entries that there is room for at first: about as many as a round has. */
const FIRST_ROOM = 65_536;

/** A series, and where its samples are in what is being gathered. */
export interface Series {
  /** The labels, encoded as fields of the series. */
  readonly labels: Buffer;
  /** The number of the gathering that the positions are valid for. */
  gathering: number;
  /** The positions of its first and its last entry. */
  first: number;
  last: number;
}

/**
 * Samples of many series, in the order in which they came. An entry is a value at some instants and refers to the next
 * one of its series: columns of numbers need no garbage collection, unlike a list for each series.
 */
export interface Gathered {
  number: number;
  /** The series that have entries. */
  series: Series[];
  /** What entries refer to. */
  points: Points[];
  /** The number of entries. */
  entries: number;
  /** Of each entry: its value, the position of its points, and the position of its series' next entry. */
  values: Float64Array;
  pointsAt: Int32Array;
  next: Int32Array;
}

/** Nothing gathered yet. */
export function nothingGathered(): Gathered {
  return {
    number: 0,
    series: [],
    points: [],
    entries: 0,
    values: new Float64Array(FIRST_ROOM),
    pointsAt: new Int32Array(FIRST_ROOM),
    next: new Int32Array(FIRST_ROOM),
  };
}

/** Begins the next gathering in the place of the one before. */
export function gatherAgain(gathered: Gathered): void {
  gathered.number++;
  gathered.series = [];
  gathered.points = [];
  gathered.entries = 0;
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
  if (series.gathering === gathered.number) gathered.next[series.last] = entry;
  else {
    series.gathering = gathered.number;
    series.first = entry;
    gathered.series.push(series);
  }
  series.last = entry;
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

/** The sizes of each series. */
export interface Sizes {
  /** The encoded lengths, without tag and length. */
  readonly lengths: Int32Array;
  /** The numbers of samples. */
  readonly counts: Int32Array;
}

/** Measures what is gathered. */
export function sizesOf({ series, points, pointsAt, next }: Gathered): Sizes {
  const lengths = new Int32Array(series.length);
  const counts = new Int32Array(series.length);
  let index = 0;
  for (const { labels, first } of series) {
    let length = labels.length;
    let count = 0;
    for (let entry = first; entry !== -1; entry = next[entry] ?? -1) {
      const of = points[pointsAt[entry] ?? 0];
      if (of === undefined) continue;
      length += of.length;
      count += of.valuesAt.length;
    }
    lengths[index] = length;
    counts[index++] = count;
  }
  return { lengths, counts };
}

/** Writes all samples of a series; returns the position after them. */
export function writeSamples(
  { points, pointsAt, next, values }: Gathered,
  { first }: Series,
  output: Buffer,
  view: DataView,
  from: number,
): number {
  let end = from;
  for (let entry = first; entry !== -1; entry = next[entry] ?? -1) {
    const of = points[pointsAt[entry] ?? 0];
    if (of !== undefined) end = writePoints(of, values[entry] ?? 0, output, view, end);
  }
  return end;
}
