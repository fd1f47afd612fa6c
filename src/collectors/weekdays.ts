import { addDays, type Day, weekdayOf } from '../catalog/day.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import { DEVIATION_SCALE, medianOf } from './statistics.ts';

// The usual amounts of a weekday, and how far working days deviate from them.

/** The amounts of days, in credits or in money, and the weekday that each day counts as. */
export interface Amounts {
  /** The amount of a day; undefined if it is unknown. */
  on(day: Day): number | undefined;
  /** From 0 for Monday to 6 for Sunday; a day off counts as a Sunday. */
  weekdayOf(day: Day): number;
  /** The day of a calendar month on which a month starts; the first by default. */
  readonly monthStarts?: number | undefined;
}

const SUNDAY = 6;
const WEEKS = 8;
/** A weekday with fewer known days has no usual amount. */
export const MIN_WEEKDAYS = 3;
/** A weekday is a working day if its median is at least this share of the largest weekday's. */
const WORKING_SHARE = 0.5;

/** The known amounts of one weekday, newest first, and their median. */
export interface Weekday {
  readonly known: readonly number[];
  readonly median: number;
}

/** The amounts of an organization, or of a part of it, with the organization's days off. */
export function amountsOf({ daysOff, contract }: OrgSettings, on: Amounts['on']): Amounts {
  return {
    on,
    weekdayOf: (day) => (daysOff?.has(day) === true ? SUNDAY : weekdayOf(day)),
    monthStarts: contract?.periodStarts,
  };
}

/** Each weekday, from Monday on, in the eight weeks that end with a day. */
export function weekdaysUpTo(amounts: Amounts, newest: Day, weeks = WEEKS): readonly Weekday[] {
  const known = Array.from({ length: 7 }, (): number[] => []);
  for (let back = 0; back < 7 * weeks; back++) {
    const day = addDays(newest, -back);
    const amount = amounts.on(day);
    if (amount !== undefined) known[amounts.weekdayOf(day)]?.push(amount);
  }
  return known.map((some) => ({ known: some, median: medianOf(some) }));
}

/**
 * The weekdays with a median of at least half the largest one. Where every median is 0, one weekday of all days with
 * amounts; none without such days.
 */
export function workingDays(weekdays: readonly Weekday[]): readonly Weekday[] {
  const known = weekdays.filter((weekday) => weekday.known.length >= MIN_WEEKDAYS);
  const largest = Math.max(...known.map(({ median }) => median));
  if (largest > 0) return known.filter(({ median }) => median >= WORKING_SHARE * largest);
  // With use on less than half of the days, the days with use are the usual ones.
  const used = known.flatMap((weekday) => weekday.known).filter((amount) => amount > 0);
  return used.length === 0 ? [] : [{ known: used, median: medianOf(used) }];
}

/**
 * The standard deviation of working days from the median of their weekday, as a share of it; undefined without working
 * days. Unusual days hardly change it.
 */
export function deviationOf(working: readonly Weekday[]): number | undefined {
  const deviations = working.flatMap(({ known, median }) =>
    known.map((amount) => Math.abs(amount / median - 1)),
  );
  return deviations.length === 0 ? undefined : DEVIATION_SCALE * medianOf(deviations);
}
