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
export interface ExpectedDay {
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

/** The usual range of a day's credits. */
export interface Expectation {
  readonly credits: number;
  /** Above this, a day is unusual. */
  readonly upper: number;
}

/**
 * The expectation for a day from the same weekday in the preceding eight weeks; undefined if fewer than three are
 * known.
 */
export function expectationOf(view: View, day: Day): Expectation | undefined {
  const known: number[] = [];
  for (let week = 1; week <= WEEKS; week++) {
    const credits = creditsOn(view, addDays(day, -7 * week));
    if (credits !== undefined) known.push(credits);
  }
  if (known.length < MIN_EXPECTATION_DAYS) return undefined;
  const credits = medianOf(known);
  const deviation = medianOf(known.map((value) => Math.abs(value - credits)));
  const upper = Math.max(credits + 3 * DEVIATION_SCALE * deviation, 2 * credits);
  return { credits, upper: Math.min(upper, Number.MAX_VALUE) };
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
