import { addDays, type Day, daysBetween } from '../../catalog/day.ts';
import type { View } from '../../catalog/view.ts';
import { monthSoFar, restOfMonth } from './calendar.ts';
import { creditsOn, ofEach } from './credits.ts';
import { preciseSum } from './precise-sum.ts';

/** Under so many known days nothing is forecast. */
const LEAST_DAYS = 7;
/** How many of a weekday's newest known days its mean is of. */
const DAYS_IN_MEAN = 4;
/** How far back a known day is looked for. */
const WEEKS_BACK = 52;

/** The credits that a day to come is expected to take. */
export interface ExpectedDay {
  readonly day: Day;
  readonly credits: number;
}

/** The credits of the whole month of a day: those to date, and those expected of the days that remain. */
export function monthForecast(view: View, day: Day): number | undefined {
  const known = ofEach(monthSoFar(day), (past) => creditsOn(view, past));
  const expected = expectedRest(view, day);
  return known && expected && preciseSum([...known, ...expected.map(({ credits }) => credits)]);
}

/**
 * What each remaining day of the month is expected to take, judged from what is known up to `day`; undefined
 * under seven known days, or where some remaining day's weekday was never seen.
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
  for (let back = 0; back < WEEKS_BACK * 7 && known < LEAST_DAYS; back++) {
    if (creditsOn(view, addDays(day, -back)) !== undefined) known++;
  }
  return known >= LEAST_DAYS;
}

/** The mean of the last four known days, up to `newest`, that have the weekday of a day after it. */
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
