import { addDays, type Day, daysFrom, restOfMonth } from '../catalog/day.ts';
import { preciseSum } from './counts.ts';
import { expectedOn, MIN_FORECAST_DAYS, monthToDate } from './month.ts';
import { ofEach, sumOfEach } from './statistics.ts';
import type { Amounts } from './weekdays.ts';

// The range of a month's forecast, estimated from recent errors of the same method.

/** Forecasts of this many past days, a week apart, are compared with what was used. */
const PAST_FORECASTS = 12;
/**
 * The days before yesterday that a range is made from: the oldest forecast lies 30 days and eleven weeks back, and needs the
 * eight weeks before it; the newest day can be some days old.
 */
export const RANGE_DAYS = 180;
/** How many days up to a known one its month's range needs at most: on the first of a month of 31 days. */
export const DAYS_OF_RANGE = 30 + 7 * (PAST_FORECASTS - 1) + MIN_FORECAST_DAYS;
/** Larger errors are clipped to this factor: a small team may use nothing for days. */
const LARGEST_FACTOR = 3;
/** The standard errors of the logarithm beyond which a tenth of the months lies on each side. */
const TENTH = 1.4;

/** A month's usage up to a day, the forecast of the rest, and the error of that forecast. */
export interface MonthRange {
  readonly toDate: number;
  readonly rest: number;
  /** The standard error of the logarithm of the rest. */
  readonly error: number;
}

/** The range of the month of a day; undefined if its forecast or one of the past ones is unknown. */
export function monthRange(amounts: Amounts, day: Day): MonthRange | undefined {
  const ahead = restOfMonth(day, amounts.monthStarts);
  const toDate = monthToDate(amounts, day);
  const rest = toDate === undefined ? undefined : expectedSum(amounts, day, ahead);
  const error = rest === undefined ? undefined : errorOf(amounts, day, ahead.length);
  return toDate === undefined || rest === undefined || error === undefined
    ? undefined
    : { toDate, rest, error };
}

function expectedSum(amounts: Amounts, day: Day, ahead: readonly Day[]): number | undefined {
  const expected = expectedOn(amounts, day, ahead);
  return expected && preciseSum(expected.map((each) => each.amount));
}

/**
 * The standard error of the logarithm of what `count` days after a day use, divided by what is expected; undefined if one of
 * the past forecasts is unknown.
 */
function errorOf(amounts: Amounts, day: Day, count: number): number | undefined {
  if (count === 0) return 0;
  const pastWeeks = Array.from({ length: PAST_FORECASTS }, (_, index) => index);
  const errors = ofEach(pastWeeks, (weeks) => {
    const origin = addDays(day, -count - 7 * weeks);
    const next = daysFrom(addDays(origin, 1), addDays(origin, count));
    const used = sumOfEach(next, amounts.on);
    const said = used === undefined ? undefined : expectedSum(amounts, origin, next);
    return used === undefined || said === undefined ? undefined : logOfRatio(used, said);
  });
  if (errors === undefined) return undefined;
  const meanSquare = preciseSum(errors.map((error) => error ** 2)) / PAST_FORECASTS;
  return Math.sqrt(meanSquare * (1 + 1 / PAST_FORECASTS));
}

function logOfRatio(used: number, said: number): number {
  if (used === said) return 0;
  const largest = Math.log(LARGEST_FACTOR);
  return Math.max(-largest, Math.min(Math.log(used / said), largest));
}

/** The range of a month: one of ten months is below it, and one of ten above. */
export function boundsOf({ toDate, rest, error }: MonthRange): {
  readonly lower: number;
  readonly upper: number;
} {
  return {
    lower: toDate + rest * Math.exp(-TENTH * error),
    upper: Math.min(toDate + rest * Math.exp(TENTH * error), Number.MAX_VALUE),
  };
}

/** The probability that a month exceeds an amount, from 0 to 1. */
export function probabilityAbove({ toDate, rest, error }: MonthRange, amount: number): number {
  if (toDate > amount) return 1;
  const distance = Math.log((amount - toDate) / rest);
  if (error === 0 || !Number.isFinite(distance)) return toDate + rest > amount ? 1 : 0;
  return 1 - studentT11(distance / error);
}

/** The distribution function of Student's t with 11 degrees of freedom. */
function studentT11(t: number): number {
  const angle = Math.atan(t / Math.sqrt(11));
  let [term, sum] = [Math.cos(angle), 0];
  for (let nth = 1; nth <= 5; nth++) {
    sum += term;
    term *= ((2 * nth) / (2 * nth + 1)) * Math.cos(angle) ** 2;
  }
  return 0.5 + (angle + Math.sin(angle) * sum) / Math.PI;
}
