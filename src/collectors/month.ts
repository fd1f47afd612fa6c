import { addDays, type Day, daysBetween, monthSoFar, restOfMonth } from '../catalog/day.ts';
import { preciseSum } from './counts.ts';
import { ofEach } from './statistics.ts';

// The month of an organization and of a team, by the same definitions.

/** With fewer known days, nothing is forecast. */
const MIN_FORECAST_DAYS = 7;
/** The number of newest known days in a weekday's mean. */
const DAYS_IN_MEAN = 4;
/** The number of weeks searched for known days. */
const WEEKS_BACK = 52;

/** The credits of a day; undefined if they are unknown. */
export type CreditsOn = (day: Day) => number | undefined;

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
 * The expected credits of each remaining day of the month, from what is known up to `day`; undefined with fewer than
 * seven known days, or if no day of a remaining weekday is known.
 */
export function expectedRest(creditsOn: CreditsOn, day: Day): readonly ExpectedDay[] | undefined {
  if (!hasEnoughDays(creditsOn, day)) return undefined;
  const means = new Map<number, number | undefined>();
  return ofEach([...restOfMonth(day).entries()], ([index, ahead]) => {
    const weekday = index % 7;
    if (!means.has(weekday)) means.set(weekday, meanOfWeekday(creditsOn, ahead, day));
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

/** The mean of the last four known days, up to `newest`, of the same weekday as a later day. */
function meanOfWeekday(creditsOn: CreditsOn, ahead: Day, newest: Day): number | undefined {
  const weeksAhead = Math.ceil(daysBetween(newest, ahead) / 7);
  const latest = addDays(ahead, -7 * weeksAhead);
  const found: number[] = [];
  for (let week = 0; week < WEEKS_BACK && found.length < DAYS_IN_MEAN; week++) {
    const credits = creditsOn(addDays(latest, -7 * week));
    if (credits !== undefined) found.push(credits);
  }
  return found.length === 0 ? undefined : preciseSum(found) / found.length;
}
