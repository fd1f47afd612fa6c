import { addDays, type Day, daysBetween, monthSoFar, restOfMonth } from '../catalog/day.ts';
import { preciseSum } from './counts.ts';
import { ofEach } from './statistics.ts';
import { type CreditsOn, deviationOf, weekdayUpTo, workingDays } from './weekdays.ts';

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
export function creditsToDate(creditsOn: CreditsOn, day: Day): number | undefined {
  return sumOf(creditsOn, monthSoFar(day));
}

/** The credits of some days. */
export function sumOf(creditsOn: CreditsOn, days: readonly Day[]): number | undefined {
  const credits = ofEach(days, creditsOn);
  return credits && preciseSum(credits);
}

/** The forecast of the whole month of a day: the credits to date plus the expected credits of the remaining days. */
export function creditsForecast(creditsOn: CreditsOn, day: Day): number | undefined {
  const known = ofEach(monthSoFar(day), creditsOn);
  const expected = known && expectedRest(creditsOn, day);
  return known && expected && preciseSum([...known, ...expected.map(({ credits }) => credits)]);
}

/**
 * The expected credits of each remaining day of the month, from what is known up to `day`, quiet days left out; undefined
 * with fewer than seven known days, or if no day of a remaining weekday is known.
 */
export function expectedRest(creditsOn: CreditsOn, day: Day): readonly ExpectedDay[] | undefined {
  if (!hasEnoughDays(creditsOn, day)) return undefined;
  const quietShare = quietShareOn(creditsOn, day);
  const means = new Map<number, number | undefined>();
  return ofEach([...restOfMonth(day).entries()], ([index, ahead]) => {
    const weekday = index % 7;
    if (!means.has(weekday)) {
      const weeksAhead = Math.ceil(daysBetween(day, ahead) / 7);
      means.set(weekday, meanUpTo(creditsOn, addDays(ahead, -7 * weeksAhead), quietShare));
    }
    const credits = means.get(weekday);
    return credits === undefined ? undefined : { day: ahead, credits };
  });
}

function hasEnoughDays(creditsOn: CreditsOn, day: Day): boolean {
  let known = 0;
  for (let back = 0; back < WEEKS_BACK * 7 && known < MIN_FORECAST_DAYS; back++) {
    if (creditsOn(addDays(day, -back)) !== undefined) known++;
  }
  return known >= MIN_FORECAST_DAYS;
}

/**
 * The share of its weekday's median below which a day is quiet: a holiday, not the noise of few people. It is 0, and no
 * day is quiet, where too few days are known to tell.
 */
function quietShareOn(creditsOn: CreditsOn, day: Day): number {
  const weekdays = Array.from({ length: 7 }, (_, back) => weekdayUpTo(creditsOn, addDays(day, -back)));
  const deviation = deviationOf(workingDays(weekdays));
  if (deviation === undefined) return 0;
  return Math.max(0, Math.min(QUIET_SHARE, 1 - QUIET_DEVIATIONS * deviation));
}

/** The mean of the last four known days up to `newest` of its weekday, quiet ones left out. */
function meanUpTo(creditsOn: CreditsOn, newest: Day, quietShare: number): number | undefined {
  const quietBelow = quietShare * weekdayUpTo(creditsOn, newest, QUIET_WEEKS).median;
  const found: number[] = [];
  for (let week = 0; week < WEEKS_BACK && found.length < DAYS_IN_MEAN; week++) {
    const credits = creditsOn(addDays(newest, -7 * week));
    if (credits !== undefined && credits >= quietBelow) found.push(credits);
  }
  return found.length === 0 ? undefined : preciseSum(found) / found.length;
}
