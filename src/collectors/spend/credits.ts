import { addDays, type Day, daysFrom } from '../../catalog/day.ts';
import type { View } from '../../catalog/view.ts';
import { medianOf, sumOfEach } from '../statistics.ts';
import { tokensDataset } from '../tokens/dataset.ts';
import {
  type Credits,
  creditsOf,
  deviationOf,
  MIN_WEEKDAYS,
  type Weekday,
  weekdaysUpTo,
  workingDays,
} from '../weekdays.ts';

/** The upper bound is at least this multiple of what is usual, and this many standard deviations above it. */
const MIN_MULTIPLE = 1.75;
const DEVIATIONS = 4;

/** The usual range of a day's credits. */
export interface Expectation {
  readonly credits: number;
  /** Above this, a day is unusual. */
  readonly upper: number;
}

/**
 * The expectation for a day from the preceding eight weeks; undefined if fewer than three days of the same weekday are
 * known.
 */
export function expectationOf(view: View, day: Day): Expectation | undefined {
  return view.ofDay(expect, day);
}

function expect(view: View, day: Day): Expectation | undefined {
  const credits = creditsIn(view);
  const weekdays = weekdaysUpTo(credits, addDays(day, -1));
  const own = weekdays[credits.weekdayOf(day)];
  if (own === undefined || own.known.length < MIN_WEEKDAYS) return undefined;
  return { credits: own.median, upper: Math.min(upperBound(own, weekdays), Number.MAX_VALUE) };
}

/** From all working days: a single weekday has too few days to estimate their spread, a weekend no usual amount. */
function upperBound(own: Weekday, weekdays: readonly Weekday[]): number {
  const working = workingDays(weekdays);
  const usual = Math.max(own.median, medianOf(working.flatMap(({ known }) => known)));
  return usual * Math.max(MIN_MULTIPLE, 1 + DEVIATIONS * (deviationOf(working) ?? 0));
}

/** A day's credits: 0 on an idle day, undefined if the day is unknown or its row lacks them. */
export function creditsOn(view: View, day: Day): number | undefined {
  return view.row(tokensDataset, day)?.credits;
}

/** The credits of the organization. */
export function creditsIn(view: View): Credits {
  return creditsOf(view.settings, (day) => creditsOn(view, day));
}

/** The credits of the `count` days that end with a day. */
export function trailing(view: View, day: Day, count: number): number | undefined {
  return sumOfEach(daysFrom(addDays(day, 1 - count), day), creditsIn(view).on);
}
