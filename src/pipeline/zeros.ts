import { addDays, type Day, daysBetween } from '../catalog/day.ts';
import type { DayFamily, Sample } from '../catalog/family.ts';
import type { View } from '../catalog/view.ts';
import { isKnown, labelled, labelsKey } from './folding.ts';

/** The number of days for which a label value is remembered after it was last seen. */
export const REMEMBERED_DAYS = 28;
/** The number of remembered values per step: a step costs more than a value. */
const WALKED_AT_ONCE = 16;

/** A day's samples, each with its key of `labelsKey`, in order. A key may occur several times. */
type Present = Iterable<readonly [key: string, sample: Sample]>;

/** A family's samples of a day, and the list to which `fill` adds the missing zeros. */
export interface Filled {
  readonly family: DayFamily;
  readonly present: Present;
  readonly zeros: Sample[];
}

/** A label value and the last day it was seen. Changed in place: most values are seen every day, and moving map entries is slow. */
interface LastSeen {
  labels: Sample['labels'];
  day: Day;
  /** The rank among all values by when they were last seen. */
  place: number;
}

/** The label values of a family's days up to `until`. */
interface Remembered {
  until: Day;
  places: number;
  readonly values: Map<string, LastSeen>;
}

/**
 * Fills in zeros for label values that an organization had in the last 28 days and that are missing on a day. Remembers the values
 * seen so far: if the days come in ascending order, each day is read once instead of 28 times, and a day whose own zeros were
 * filled in is not read again. The stored data must not change meanwhile.
 */
export class Zeros {
  readonly #remembered = new Map<string, Remembered>();

  /**
   * Adds the zeros of a day: one for each label value of the preceding days that has no sample on it, not even an unknown one.
   * Values seen last come first. A generator, because there may be many samples.
   */
  *fill(families: readonly Filled[], view: View, day: Day): Generator<void> {
    for (const { family, present, zeros } of families) {
      const known = this.#before(family, day);
      for (let at = addDays(known.until, 1); at < day; at = addDays(at, 1)) {
        for (const given of family.samplesOf(view, at) ?? []) {
          const sample = labelled(family, given);
          if (isKnown(sample)) see(known, labelsKey(family, sample), sample.labels, at);
          yield;
        }
      }
      let walked = 0;
      const unknown = new Set<string>();
      for (const [key, sample] of present) {
        if (isKnown(sample)) see(known, key, sample.labels, day);
        else unknown.add(key);
        if (++walked % WALKED_AT_ONCE === 0) yield;
      }
      known.until = day;
      for (const { labels } of yield* missing(known.values, day, unknown)) zeros.push({ labels, value: 0 });
    }
  }

  /** The label values of a family that were seen before a day. */
  #before({ name }: DayFamily, day: Day): Remembered {
    const known = this.#remembered.get(name);
    if (known !== undefined && known.until <= day && daysBetween(known.until, day) <= REMEMBERED_DAYS)
      return known;
    const empty = { until: addDays(day, -REMEMBERED_DAYS - 1), places: 0, values: new Map() };
    this.#remembered.set(name, empty);
    return empty;
  }
}

function see(remembered: Remembered, key: string, labels: Sample['labels'], day: Day): void {
  const { values } = remembered;
  const seen = values.get(key);
  if (seen === undefined) values.set(key, { labels, day, place: remembered.places++ });
  else if (seen.day !== day) {
    seen.labels = labels;
    seen.day = day;
    seen.place = remembered.places++;
  }
}

/**
 * The values that were neither seen on a day nor `unknown` then, those seen last first. Removes values that were last seen more
 * than 28 days before.
 */
function* missing(
  values: Map<string, LastSeen>,
  day: Day,
  unknown: ReadonlySet<string>,
): Generator<void, readonly LastSeen[]> {
  const first = addDays(day, -REMEMBERED_DAYS);
  const found: LastSeen[] = [];
  let walked = 0;
  for (const [key, seen] of values) {
    if (++walked % WALKED_AT_ONCE === 0) yield;
    if (seen.day < first) values.delete(key);
    else if (seen.day !== day && !unknown.has(key)) found.push(seen);
  }
  return found.sort((one, other) =>
    one.day === other.day ? one.place - other.place : one.day < other.day ? 1 : -1,
  );
}
