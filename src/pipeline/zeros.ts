import { addDays, type Day, daysBetween } from '../catalog/day.ts';
import type { DayFamily, Sample } from '../catalog/family.ts';
import type { View } from '../catalog/view.ts';
import { keyOf, labelled } from './folding.ts';

/** The number of days for which a label value is remembered after it was last seen. */
const REMEMBERED_DAYS = 28;
/** How many remembered values are looked at in one step: a step costs more than a value. */
const WALKED_AT_ONCE = 16;

/** The labels of a day's samples, by their keys of `keyOf`, in order. */
export type Present = ReadonlyMap<string, Sample['labels']>;

/**
 * The zeros of a day: the label values of the preceding days that are not `present` on it. The values of a later day
 * come first. A generator, because it can walk many samples: each step yields either a zero or nothing.
 */
export type ZerosOf = (
  family: DayFamily,
  view: View,
  day: Day,
  present: Present,
) => Generator<Sample | undefined>;

/** The zeros of any day, from the samples of all days before it. */
export function* zerosOf(
  family: DayFamily,
  view: View,
  day: Day,
  present: Present,
): Generator<Sample | undefined> {
  const seen = new Set(present.keys());
  for (let back = 1; back <= REMEMBERED_DAYS; back++) {
    for (const given of family.samplesOf(view, addDays(day, -back)) ?? []) {
      const sample = labelled(family, given);
      const key = keyOf(family, sample);
      if (seen.has(key)) {
        yield undefined;
        continue;
      }
      seen.add(key);
      yield { labels: sample.labels, value: 0 };
    }
  }
}

interface LastSeen {
  readonly labels: Sample['labels'];
  readonly day: Day;
}

/** The label values of a family's days up to `until`, the one seen longest ago first. */
interface Remembered {
  until: Day;
  readonly values: Map<string, LastSeen>;
}

/**
 * The same zeros for one organization's days in ascending order: the label values seen are remembered from one day to
 * the next, so that a day is not read by each of the 28 days after it, and not at all if its own zeros were asked for:
 * it had what was present then. The history must not change meanwhile.
 */
export function createConsecutiveZeros(): ZerosOf {
  const remembered = new Map<string, Remembered>();

  function before(family: DayFamily, day: Day): Remembered {
    const known = remembered.get(family.name);
    if (known !== undefined && known.until <= day && daysBetween(known.until, day) <= REMEMBERED_DAYS) {
      return known;
    }
    const empty = { until: addDays(day, -REMEMBERED_DAYS - 1), values: new Map() };
    remembered.set(family.name, empty);
    return empty;
  }

  return function* zeros(family, view, day, present) {
    const known = before(family, day);
    const { values } = known;
    for (let at = addDays(known.until, 1); at < day; at = addDays(at, 1)) {
      for (const given of family.samplesOf(view, at) ?? []) {
        const sample = labelled(family, given);
        see(values, keyOf(family, sample), { labels: sample.labels, day: at });
        yield undefined;
      }
      known.until = at;
    }
    yield* missing(values, present, addDays(day, -REMEMBERED_DAYS));
    let walked = 0;
    for (const [key, labels] of present) {
      see(values, key, { labels, day });
      if (++walked % WALKED_AT_ONCE === 0) yield undefined;
    }
    known.until = day;
  };
}

function see(values: Map<string, LastSeen>, key: string, seen: LastSeen): void {
  if (values.get(key)?.day === seen.day) return;
  // Deleted first, so that it becomes the last one.
  values.delete(key);
  values.set(key, seen);
}

/** The values that are not present, by day from the last one; those seen before `first` are forgotten. */
function* missing(
  values: Map<string, LastSeen>,
  present: Present,
  first: Day,
): Generator<Sample | undefined> {
  const byDay: Sample[][] = [];
  let last: Day | undefined;
  let walked = 0;
  for (const [key, { labels, day }] of values) {
    if (++walked % WALKED_AT_ONCE === 0) yield undefined;
    if (day < first) values.delete(key);
    else if (!present.has(key)) {
      if (day !== last) byDay.push([]);
      last = day;
      byDay.at(-1)?.push({ labels, value: 0 });
    }
  }
  for (const zeros of byDay.reverse()) yield* zeros;
}
