import { addDays, type Day } from '../catalog/day.ts';
import { DEVIATION_SCALE, medianOf } from './statistics.ts';

// The usual credits of a weekday, and how far working days deviate from them.

/** The credits of a day; undefined if they are unknown. */
export type CreditsOn = (day: Day) => number | undefined;

const WEEKS = 8;
/** A weekday with fewer known days has no usual amount. */
export const MIN_WEEKDAYS = 3;
/** A weekday is a working day if its median is at least this share of the largest weekday's. */
const WORKING_SHARE = 0.5;

/** The known credits of one weekday, newest first, and their median. */
export interface Weekday {
  readonly known: readonly number[];
  readonly median: number;
}

/** A day's weekday in the eight weeks that end with the day. */
export function weekdayUpTo(creditsOn: CreditsOn, newest: Day, weeks = WEEKS): Weekday {
  const known: number[] = [];
  for (let week = 0; week < weeks; week++) {
    const credits = creditsOn(addDays(newest, -7 * week));
    if (credits !== undefined) known.push(credits);
  }
  return { known, median: medianOf(known) };
}

/**
 * The weekdays with a median of at least half the largest one. Where every median is 0, one weekday of all days with
 * credits; none without such days.
 */
export function workingDays(weekdays: readonly Weekday[]): readonly Weekday[] {
  const known = weekdays.filter((weekday) => weekday.known.length >= MIN_WEEKDAYS);
  const largest = Math.max(...known.map(({ median }) => median));
  if (largest > 0) return known.filter(({ median }) => median >= WORKING_SHARE * largest);
  // Used on less than half of the days: those days are what is usual.
  const used = known.flatMap((weekday) => weekday.known).filter((credits) => credits > 0);
  return used.length === 0 ? [] : [{ known: used, median: medianOf(used) }];
}

/**
 * The standard deviation of working days from the median of their weekday, as a share of it; undefined without working
 * days. Unusual days hardly change it.
 */
export function deviationOf(working: readonly Weekday[]): number | undefined {
  const deviations = working.flatMap(({ known, median }) =>
    known.map((credits) => Math.abs(credits / median - 1)),
  );
  return deviations.length === 0 ? undefined : DEVIATION_SCALE * medianOf(deviations);
}
