import { addDays, type Day } from '../catalog/day.ts';
import type { DayFamily, Sample } from '../catalog/family.ts';
import type { View } from '../catalog/view.ts';
import { keyOf, labelled } from './series.ts';

/** How many days back a label value is remembered after it was last seen. */
export const REMEMBERED_DAYS = 28;

/** Whether label values that a day's row leaves out are 0 rather than unknown. */
export function fillsZeros(family: DayFamily): boolean {
  return family.breakdown && family.aggregation === 'additive';
}

/**
 * The zeros of a day: the label values of the preceding days that are not among those `present`, as keys of
 * `keyOf`. A generator, because it walks 28 days: each step yields either a zero or nothing.
 */
export function* zerosOf(
  family: DayFamily,
  view: View,
  day: Day,
  present: ReadonlySet<string>,
): Generator<Sample | undefined> {
  const seen = new Set(present);
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
