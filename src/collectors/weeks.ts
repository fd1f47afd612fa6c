import { type DayDataset, idleRowOf } from '../catalog/dataset.ts';
import { addDays, type Day, daysFrom } from '../catalog/day.ts';
import { type DayFamily, type Family, type Sample, UNKNOWN } from '../catalog/family.ts';
import { isObject } from '../catalog/object.ts';
import type { View } from '../catalog/view.ts';
import { preciseSum } from './counts.ts';
import { sumOfEach } from './statistics.ts';

export const WEEK_DAYS = 7;
const NEWEST = 'the newest complete UTC day';

/** A figure of the 7 days that end with the newest one, and the same of the 7 days before. */
export interface Weeks<Label extends string = string> {
  readonly present: DayFamily<Label>;
  readonly before: DayFamily<Label>;
}

/** Lists the families of a declaration object, in its order; an entry of weeks holds two families. */
export function familiesOf(declared: Readonly<Record<string, Family | Weeks>>): readonly Family[] {
  return Object.values(declared).flatMap((one) => ('present' in one ? [one.present, one.before] : [one]));
}

/** A day's samples by their labels. */
type Listed<Label extends string> = ReadonlyMap<string, Sample<Label>>;

/**
 * Declares the sums of a daily family over 7 days: they are absent if one of the days is unknown. Of open labels, such as
 * models, a value that is missing from a day counts as 0, and both weeks list the values of either.
 */
export function weeksOf<const Label extends string>(
  dataset: DayDataset<unknown>,
  family: DayFamily<Label>,
  name: DayFamily['name'] = `agent_platform_${family.name.replace(/^agent_platform_(?:daily_)?/, '')}_sum_7d`,
): Weeks<Label> {
  const isOpen = family.labels.length > (family.fixedLabels ?? []).length;
  // Other lists, such as the teams that are shown, are known as a whole.
  const valueOfMissing = (day: Listed<Label>) =>
    family.breakdown ? valueOutsideOf(Array.from(day.values(), ({ value }) => value)) : 0;
  const week = (view: View, last: Day) => weekOf(view, dataset, family, last);
  const sums = (view: View, last: Day, other: Day) => {
    const [own, others] = [view.ofDay(week, last), view.ofDay(week, other)];
    return own && sumsOf(own, others ?? [], isOpen ? valueOfMissing : undefined);
  };
  const helpOf = (window: string) =>
    family.help.replace(`on ${NEWEST}`, `of ${NEWEST}`).replace(NEWEST, window);
  const common = {
    ...family,
    source: `stored days of ${family.source.replace(/^stored days of /, '')}`,
    breakdown: false,
  };
  return {
    present: {
      ...common,
      name,
      help: helpOf(`the 7 days ending with ${NEWEST}`),
      samplesOf: (view, day) => sums(view, day, addDays(day, -WEEK_DAYS)),
    },
    before: {
      ...common,
      name: `${name}_baseline`,
      help: helpOf(`the 7 days before those of ${name}`),
      samplesOf: (view, day) => sums(view, addDays(day, -WEEK_DAYS), day),
    },
  };
}

/** The samples of the days of the week that ends with a day; undefined if one of them is unknown. */
function weekOf<Label extends string>(
  view: View,
  dataset: DayDataset<unknown>,
  family: DayFamily<Label>,
  last: Day,
): readonly Listed<Label>[] | undefined {
  const week: Listed<Label>[] = [];
  for (const day of daysFrom(addDays(last, 1 - WEEK_DAYS), last)) {
    const samples = samplesOn(view, dataset, family, day);
    if (samples === undefined) return undefined;
    week.push(new Map(Array.from(samples, (sample) => [JSON.stringify(sample.labels), sample])));
  }
  return week;
}

/** The samples of a day: none of an idle one, and none of what breaks down a 0; undefined if they are unknown. */
export function samplesOn<Label extends string>(
  view: View,
  dataset: DayDataset<unknown>,
  family: DayFamily<Label>,
  day: Day,
): Iterable<Sample<Label>> | undefined {
  const samples = family.samplesOf(view, day);
  if (samples !== undefined) return samples;
  const row = view.row(dataset, day);
  return row === idleRowOf(dataset, view.settings) || breaksDownZero(dataset, family, row) ? [] : undefined;
}

/** Whether the figures that a family breaks down are 0, so that nothing of it is unknown where a row lacks it. */
function breaksDownZero({ parts = {} }: DayDataset<unknown>, { part }: DayFamily, row: unknown): boolean {
  const whole = (part === undefined ? undefined : parts[part]?.breaksDown) ?? [];
  if (!isObject(row)) return false;
  const totals = whole.flatMap((name) => parts[name]?.members ?? []).map((member) => row[member]);
  // Of credits and costs, a platform has some.
  return totals.includes(0) && totals.every((total) => total === 0 || total === undefined);
}

/** The sum of each labels' values; if the labels are open, with the value of what is missing from a day. */
function sumsOf<Label extends string>(
  week: readonly Listed<Label>[],
  others: readonly Listed<Label>[],
  valueOfMissing?: (day: Listed<Label>) => number,
): readonly Sample<Label>[] {
  const listed = new Map([...week, ...(valueOfMissing ? others : [])].flatMap((day) => [...day]));
  return [...listed].flatMap(([key, { labels }]) => {
    const values = week.map((day) => day.get(key)?.value ?? valueOfMissing?.(day));
    const known = values.filter((value) => value !== undefined);
    if (known.length < WEEK_DAYS) return [];
    return [{ labels, value: known.some(Number.isNaN) ? UNKNOWN : preciseSum(known) }];
  });
}

/** The amount of a label value that a day does not list: 0, or unknown if the day has an unknown amount that may belong to it. */
export function valueOutsideOf(amounts: readonly number[]): number {
  return amounts.some(Number.isNaN) ? UNKNOWN : 0;
}

/** The sum of a figure over the week that ends with a day; undefined if it is unknown on one of its days. */
export function weeklySum<Row>(
  view: View,
  last: Day,
  dataset: DayDataset<Row>,
  figureOf: (row: Row) => number | undefined,
): number | undefined {
  return sumOfEach(daysFrom(addDays(last, 1 - WEEK_DAYS), last), (day) => {
    const row = view.row(dataset, day);
    return row && figureOf(row);
  });
}
