import { addDays, type Day, daysFrom } from '../../catalog/day.ts';
import type { Measure } from '../../catalog/money.ts';
import type { View } from '../../catalog/view.ts';
import { medianOf, sumOfEach } from '../statistics.ts';
import { tokensDataset } from '../tokens/dataset.ts';
import {
  type Amounts,
  amountsOf,
  deviationOf,
  MIN_WEEKDAYS,
  type Weekday,
  weekdaysUpTo,
  workingDays,
} from '../weekdays.ts';

/** The upper bound is at least this multiple of the usual amount, and this many standard deviations above it. */
const MIN_MULTIPLE = 1.75;
const DEVIATIONS = 4;

/** The usual range of a day, in the measure of the platform. */
export interface Expectation {
  readonly amount: number;
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
  const amounts = amountsIn(view, measureOf(view));
  const weekdays = weekdaysUpTo(amounts, addDays(day, -1));
  const own = weekdays[amounts.weekdayOf(day)];
  if (own === undefined || own.known.length < MIN_WEEKDAYS) return undefined;
  return { amount: own.median, upper: Math.min(upperBound(own, weekdays), Number.MAX_VALUE) };
}

/** The spread of all working days: a single weekday has too few days for an estimate, and a weekend has no usual amount. */
function upperBound(own: Weekday, weekdays: readonly Weekday[]): number {
  const working = workingDays(weekdays);
  const usual = Math.max(own.median, medianOf(working.flatMap(({ known }) => known)));
  return usual * Math.max(MIN_MULTIPLE, 1 + DEVIATIONS * (deviationOf(working) ?? 0));
}

/** The measure of an organization's days: credits, or the reported cost. */
export function measureOf({ settings }: View): Measure {
  return settings.money?.measure ?? 'credits';
}

/** The currency of the measure; undefined for credits. */
export function measuredIn({ settings: { money } }: View): string | undefined {
  return money?.measure === 'cost' ? money.currency : undefined;
}

/** A day's credits or reported cost: 0 on an idle day; undefined if the day is unknown or its row lacks the amount. */
export function amountOn(view: View, day: Day, measure: Measure): number | undefined {
  return view.row(tokensDataset, day)?.[measure];
}

/** The credits of the organization, or the cost that its platform reports. */
export function amountsIn(view: View, measure: Measure): Amounts {
  return amountsOf(view.settings, (day) => amountOn(view, day, measure));
}

/** The sum over the `count` days that end with a day. */
export function trailing(view: View, day: Day, count: number, measure: Measure): number | undefined {
  return sumOfEach(daysFrom(addDays(day, 1 - count), day), amountsIn(view, measure).on);
}

/** A day if it is unusual, otherwise 0. */
export function unusualOn(view: View, day: Day): number | undefined {
  const measure = measureOf(view);
  const [amount, month] = [amountOn(view, day, measure), trailing(view, day, 28, measure)];
  const { upper } = expectationOf(view, day) ?? {};
  if (amount === undefined || month === undefined || upper === undefined) return undefined;
  return amount > upper && amount > month / 28 ? amount : 0;
}
