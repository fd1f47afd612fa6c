import { addDays, type Day, daysBetween, daysFrom, monthSoFar, restOfMonth } from '../../catalog/day.ts';
import type { View } from '../../catalog/view.ts';
import { preciseSum } from '../counts.ts';
import { DEVIATION_SCALE, medianOf, ofEach } from '../statistics.ts';
import { tokensDataset } from '../tokens/dataset.ts';

/** With fewer known days, nothing is forecast. */
const MIN_FORECAST_DAYS = 7;
/** The number of newest known days in a weekday's mean. */
const DAYS_IN_MEAN = 4;
/** The number of weeks searched for known days. */
const WEEKS_BACK = 52;

/** The expected credits of a future day. */
interface ExpectedDay {
  readonly day: Day;
  readonly credits: number;
}

/** The forecast of the whole month of a day: the credits to date plus the expected credits of the remaining days. */
export function monthForecast(view: View, day: Day): number | undefined {
  const known = ofEach(monthSoFar(day), (past) => creditsOn(view, past));
  const expected = expectedRest(view, day);
  return known && expected && preciseSum([...known, ...expected.map(({ credits }) => credits)]);
}

/**
 * The expected credits of each remaining day of the month, from what is known up to `day`; undefined with fewer than
 * seven known days, or if no day of a remaining weekday is known.
 */
export function expectedRest(view: View, day: Day): readonly ExpectedDay[] | undefined {
  if (!hasEnoughDays(view, day)) return undefined;
  return ofEach(restOfMonth(day), (ahead) => {
    const credits = meanOfWeekday(view, ahead, day);
    return credits === undefined ? undefined : { day: ahead, credits };
  });
}

function hasEnoughDays(view: View, day: Day): boolean {
  let known = 0;
  for (let back = 0; back < WEEKS_BACK * 7 && known < MIN_FORECAST_DAYS; back++) {
    if (creditsOn(view, addDays(day, -back)) !== undefined) known++;
  }
  return known >= MIN_FORECAST_DAYS;
}

/** The mean of the last four known days, up to `newest`, of the same weekday as a later day. */
function meanOfWeekday(view: View, ahead: Day, newest: Day): number | undefined {
  const weeksAhead = Math.ceil(daysBetween(newest, ahead) / 7);
  const latest = addDays(ahead, -7 * weeksAhead);
  const found: number[] = [];
  for (let week = 0; week < WEEKS_BACK && found.length < DAYS_IN_MEAN; week++) {
    const credits = creditsOn(view, addDays(latest, -7 * week));
    if (credits !== undefined) found.push(credits);
  }
  return found.length === 0 ? undefined : preciseSum(found) / found.length;
}

const WEEKS = 8;

/** With fewer known days, nothing is expected. */
const MIN_EXPECTATION_DAYS = 3;
/** A weekday is a working day if its median is at least this share of the largest weekday's. */
const WORKING_SHARE = 0.5;
/** The upper bound is at least this multiple of what is usual, and this many standard deviations above it. */
const MIN_MULTIPLE = 2;
const DEVIATIONS = 5;

/** The usual range of a day's credits. */
export interface Expectation {
  readonly credits: number;
  /** Above this, a day is unusual. */
  readonly upper: number;
}

/** The known credits of one weekday, and their median. */
interface Weekday {
  readonly known: readonly number[];
  readonly median: number;
}

/**
 * The expectation for a day from the preceding eight weeks; undefined if fewer than three days of the same weekday are
 * known.
 */
export function expectationOf(view: View, day: Day): Expectation | undefined {
  // The newest day of each weekday before the day; the last one is the weekday of the day itself.
  const weekdays = Array.from({ length: 7 }, (_, index) => weekdayUpTo(view, addDays(day, -1 - index)));
  const own = weekdays[6];
  if (own === undefined || own.known.length < MIN_EXPECTATION_DAYS) return undefined;
  return { credits: own.median, upper: Math.min(upperBound(own, weekdays), Number.MAX_VALUE) };
}

function weekdayUpTo(view: View, newest: Day): Weekday {
  const known: number[] = [];
  for (let week = 0; week < WEEKS; week++) {
    const credits = creditsOn(view, addDays(newest, -7 * week));
    if (credits !== undefined) known.push(credits);
  }
  return { known, median: medianOf(known) };
}

/** From all working days: a single weekday has too few days to estimate their spread, a weekend no usual amount. */
function upperBound(own: Weekday, weekdays: readonly Weekday[]): number {
  const working = workingDays(weekdays);
  const usual = Math.max(own.median, medianOf(working.flatMap(({ known }) => known)));
  const deviation = medianOf(
    working.flatMap(({ known, median }) => known.map((credits) => Math.abs(credits / median - 1))),
  );
  return usual * Math.max(MIN_MULTIPLE, 1 + DEVIATIONS * DEVIATION_SCALE * deviation);
}

function workingDays(weekdays: readonly Weekday[]): readonly Weekday[] {
  const known = weekdays.filter((weekday) => weekday.known.length >= MIN_EXPECTATION_DAYS);
  const largest = Math.max(...known.map(({ median }) => median));
  if (largest > 0) return known.filter(({ median }) => median >= WORKING_SHARE * largest);
  // Used on less than half of the days: those days are what is usual.
  const used = known.flatMap((weekday) => weekday.known).filter((credits) => credits > 0);
  return used.length === 0 ? [] : [{ known: used, median: medianOf(used) }];
}

/** A day's credits: 0 on an idle day, undefined if the day is unknown or its row lacks them. */
export function creditsOn(view: View, day: Day): number | undefined {
  return view.row(tokensDataset, day)?.credits;
}

/** The credits from the first of the month to a day. */
export function monthToDate(view: View, day: Day): number | undefined {
  return totalOf(view, monthSoFar(day));
}

/** The credits of the `count` days that end with a day. */
export function trailing(view: View, day: Day, count: number): number | undefined {
  return totalOf(view, daysFrom(addDays(day, 1 - count), day));
}

function totalOf(view: View, days: readonly Day[]): number | undefined {
  const credits = ofEach(days, (day) => creditsOn(view, day));
  return credits && preciseSum(credits);
}
