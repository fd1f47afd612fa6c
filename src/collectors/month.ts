import { addDays, type Day, monthSoFar, restOfMonth } from '../catalog/day.ts';
import { preciseSum } from './counts.ts';
import { ofEach, sumOfEach } from './statistics.ts';
import { type Credits, deviationOf, weekdaysUpTo, workingDays } from './weekdays.ts';

// The month of an organization and of a team, by the same definitions.

/** With fewer known days, nothing is forecast. */
const MIN_FORECAST_DAYS = 7;
/** The number of newest known days in a weekday's mean, quiet ones left out. */
const DAYS_IN_MEAN = 4;
/** The number of weeks searched for known days. */
const WEEKS_BACK = 52;
/** A day is quiet below this share of the median of this many weeks, if it is below it by this many deviations, too. */
const QUIET_SHARE = 1 / 3;
const QUIET_WEEKS = 6;
const QUIET_DEVIATIONS = 3;

/** The expected credits of a future day. */
interface ExpectedDay {
  readonly day: Day;
  readonly credits: number;
}

/** The credits from the first of the month to a day. */
export function creditsToDate(credits: Credits, day: Day): number | undefined {
  return sumOfEach(monthSoFar(day, credits.monthStarts), credits.on);
}

/** The forecast of the whole month of a day: the credits to date plus the expected credits of the remaining days. */
export function creditsForecast(credits: Credits, day: Day): number | undefined {
  const known = ofEach(monthSoFar(day, credits.monthStarts), credits.on);
  const expected = known && expectedRest(credits, day);
  return known && expected && preciseSum([...known, ...expected.map((ahead) => ahead.credits)]);
}

/**
 * The expected credits of each remaining day of the month, from what is known up to `day`, quiet days left out; undefined
 * with fewer than seven known days, or if no day of a remaining weekday is known.
 */
export function expectedRest(credits: Credits, day: Day): readonly ExpectedDay[] | undefined {
  return expectedOn(credits, day, restOfMonth(day, credits.monthStarts));
}

/** As `expectedRest`, of any days after `day`. */
export function expectedOn(
  credits: Credits,
  day: Day,
  days: readonly Day[],
): readonly ExpectedDay[] | undefined {
  if (!hasEnoughDays(credits, day)) return undefined;
  const means = meansUpTo(credits, day, new Set(days.map(credits.weekdayOf)));
  return ofEach(days, (ahead) => {
    const mean = means.get(credits.weekdayOf(ahead));
    return mean === undefined ? undefined : { day: ahead, credits: mean };
  });
}

function hasEnoughDays({ on }: Credits, day: Day): boolean {
  let known = 0;
  for (let back = 0; back < WEEKS_BACK * 7 && known < MIN_FORECAST_DAYS; back++) {
    if (on(addDays(day, -back)) !== undefined) known++;
  }
  return known >= MIN_FORECAST_DAYS;
}

/**
 * The credits below which a day of each weekday is quiet, from Monday on: a holiday, not the noise of few people. They are
 * 0, and no day is quiet, where too few days are known to tell.
 */
function quietBelowOn(credits: Credits, day: Day): readonly number[] {
  const deviation = deviationOf(workingDays(weekdaysUpTo(credits, day)));
  const share =
    deviation === undefined ? 0 : Math.max(0, Math.min(QUIET_SHARE, 1 - QUIET_DEVIATIONS * deviation));
  return weekdaysUpTo(credits, day, QUIET_WEEKS).map(({ median }) => share * median);
}

/** The mean of the last four known days of each of these weekdays up to `newest`, quiet ones left out; none without such days. */
function meansUpTo(
  credits: Credits,
  newest: Day,
  weekdays: ReadonlySet<number>,
): ReadonlyMap<number, number> {
  const quietBelow = quietBelowOn(credits, newest);
  const found = new Map([...weekdays].map((weekday): [number, number[]] => [weekday, []]));
  let lacking = found.size;
  for (let back = 0; back < WEEKS_BACK * 7 && lacking > 0; back++) {
    const day = addDays(newest, -back);
    const amount = credits.on(day);
    if (amount === undefined) continue;
    const weekday = credits.weekdayOf(day);
    const amounts = found.get(weekday);
    if (amounts === undefined || amounts.length === DAYS_IN_MEAN || amount < (quietBelow[weekday] ?? 0))
      continue;
    if (amounts.push(amount) === DAYS_IN_MEAN) lacking--;
  }
  const known = [...found].filter(([, amounts]) => amounts.length > 0);
  return new Map(known.map(([weekday, amounts]) => [weekday, preciseSum(amounts) / amounts.length]));
}
