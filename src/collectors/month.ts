import { addDays, type Day, daysFrom, monthSoFar, restOfMonth } from '../catalog/day.ts';
import { plus, preciseSum } from './counts.ts';
import { ofEach, sumOfEach } from './statistics.ts';
import { type Amounts, deviationOf, weekdaysUpTo, workingDays } from './weekdays.ts';

// The month of an organization and of a team, by the same definitions.

/** Minimum number of known days for a forecast. */
export const MIN_FORECAST_DAYS = 7;
/** The number of newest known days in a weekday's mean, quiet ones left out. */
const DAYS_IN_MEAN = 4;
/** The number of weeks searched for known days. */
const WEEKS_BACK = 52;
/**
 * A day, or seven days in a row, are quiet below this share of the median of this many weeks, if they are below it by this
 * many deviations, too.
 */
const QUIET_SHARE = 1 / 3;
const QUIET_WEEKS = 6;
const QUIET_DEVIATIONS = 3;

/** The expected amount of a future day. */
interface ExpectedDay {
  readonly day: Day;
  readonly amount: number;
}

/** The amounts from the first of the month to a day. */
export function monthToDate(amounts: Amounts, day: Day): number | undefined {
  return sumOfEach(monthSoFar(day, amounts.monthStarts), amounts.on);
}

/** The forecast of the whole month of a day: the amounts to date plus those expected of the remaining days. */
export function monthForecast(amounts: Amounts, day: Day): number | undefined {
  const known = ofEach(monthSoFar(day, amounts.monthStarts), amounts.on);
  const expected = known && expectedRest(amounts, day);
  return known && expected && preciseSum([...known, ...expected.map((ahead) => ahead.amount)]);
}

/**
 * The expected amount of each remaining day of the month, from what is known up to `day`, quiet days left out; undefined
 * with fewer than seven known days, or if no day of a remaining weekday is known.
 */
export function expectedRest(amounts: Amounts, day: Day): readonly ExpectedDay[] | undefined {
  return expectedOn(amounts, day, restOfMonth(day, amounts.monthStarts));
}

/** As `expectedRest`, of any days after `day`. */
export function expectedOn(
  amounts: Amounts,
  day: Day,
  days: readonly Day[],
): readonly ExpectedDay[] | undefined {
  if (!hasEnoughDays(amounts, day)) return undefined;
  const means = meansUpTo(amounts, day, new Set(days.map(amounts.weekdayOf)));
  return ofEach(days, (ahead) => {
    const mean = means.get(amounts.weekdayOf(ahead));
    return mean === undefined ? undefined : { day: ahead, amount: mean };
  });
}

function hasEnoughDays({ on }: Amounts, day: Day): boolean {
  let known = 0;
  for (let back = 0; back < WEEKS_BACK * 7 && known < MIN_FORECAST_DAYS; back++) {
    if (on(addDays(day, -back)) !== undefined) known++;
  }
  return known >= MIN_FORECAST_DAYS;
}

/**
 * Tells whether a day up to `newest` and its amount are quiet: a holiday, not the noise of few people. None is quiet where too
 * few days are known to tell. A day without work is noise in a team of five, but seven in a row are not.
 */
function quietUpTo(amounts: Amounts, newest: Day): (day: Day, amount: number) => boolean {
  const working = workingDays(weekdaysUpTo(amounts, newest));
  const deviation = deviationOf(working) ?? Number.POSITIVE_INFINITY;
  const medians = weekdaysUpTo(amounts, newest, QUIET_WEEKS).map(({ median }) => median);
  const share = quietShare(deviation);
  const shareOfWeek = quietShare(deviation / Math.sqrt(working.length));
  const inQuietWeek = daysOfWeeksBelow(amounts, newest, shareOfWeek * preciseSum(medians));
  return (day, amount) => amount < share * (medians[amounts.weekdayOf(day)] ?? 0) || inQuietWeek.has(day);
}

/** The share of the usual amount below which amounts that deviate by so much are quiet. */
function quietShare(deviation: number): number {
  return Math.max(0, Math.min(QUIET_SHARE, 1 - QUIET_DEVIATIONS * deviation));
}

/** The days of each seven in a row that together use less than a limit. */
function daysOfWeeksBelow(amounts: Amounts, newest: Day, limit: number): ReadonlySet<Day> {
  const days = daysFrom(addDays(newest, 1 - 7 * QUIET_WEEKS), newest);
  const known = days.map((day) => amounts.on(day) ?? Number.NaN);
  const isBelow = (first: number) => known.slice(first, first + 7).reduce(plus) < limit;
  return new Set(days.slice(6).flatMap((_, first) => (isBelow(first) ? days.slice(first, first + 7) : [])));
}

/** The mean of the last four known days of each of these weekdays up to `newest`, quiet ones left out; none without such days. */
function meansUpTo(
  amounts: Amounts,
  newest: Day,
  weekdays: ReadonlySet<number>,
): ReadonlyMap<number, number> {
  const isQuiet = quietUpTo(amounts, newest);
  const found = new Map([...weekdays].map((weekday): [number, number[]] => [weekday, []]));
  let lacking = found.size;
  for (let back = 0; back < WEEKS_BACK * 7 && lacking > 0; back++) {
    const day = addDays(newest, -back);
    const amount = amounts.on(day);
    if (amount === undefined) continue;
    const newer = found.get(amounts.weekdayOf(day));
    if (newer === undefined || newer.length === DAYS_IN_MEAN || isQuiet(day, amount)) continue;
    if (newer.push(amount) === DAYS_IN_MEAN) lacking--;
  }
  const known = [...found].filter(([, some]) => some.length > 0);
  return new Map(known.map(([weekday, some]) => [weekday, preciseSum(some) / some.length]));
}
