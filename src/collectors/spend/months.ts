import { type Day, monthSoFar } from '../../catalog/day.ts';
import type { Measure } from '../../catalog/money.ts';
import type { Budget, Cost } from '../../catalog/settings.ts';
import type { View } from '../../catalog/view.ts';
import { expectedRest, monthForecast, monthToDate } from '../month.ts';
import { boundsOf, type MonthRange, monthRange, probabilityAbove } from '../month-range.ts';
import { ofEach } from '../statistics.ts';
import type { Amounts } from '../weekdays.ts';
import { isReported, pricedOn, reportedCost, totalOf } from './costs.ts';
import { amountsIn } from './measure.ts';

/** The month of an organization, or of one of its teams, as known on a day. */
export interface Month {
  readonly view: View;
  readonly day: Day;
  readonly credits: Amounts;
  /** The cost as the platform reports it. */
  readonly cost: Amounts;
  readonly budget?: Budget | undefined;
  /** The range of the forecast in a measure; undefined if it is unknown. */
  range(measure: Measure): MonthRange | undefined;
}

/** The month of the organization. */
export function monthOfOrg(view: View, day: Day): Month {
  const { creditsPerMonth, costPerMonth } = view.settings.contract ?? {};
  const budget = creditsPerMonth ?? costPerMonth;
  const [credits, cost] = [amountsIn(view, 'credits'), amountsIn(view, 'cost')];
  return { view, day, credits, cost, budget, range: (measure) => view.ofDay(RANGES[measure], day) };
}

/** One function per measure, because a view caches results by function. */
const RANGES: Readonly<Record<Measure, (view: View, day: Day) => MonthRange | undefined>> = {
  credits: (view, day) => monthRange(amountsIn(view, 'credits'), day),
  cost: (view, day) => monthRange(amountsIn(view, 'cost'), day),
};

/** A budget in credits; undefined for one in money. */
export function asCredits(budget: Budget | undefined): number | undefined {
  return typeof budget === 'number' ? budget : undefined;
}

/** A budget in money; undefined for one in credits. */
export function asMoney(budget: Budget | undefined): Cost | undefined {
  return typeof budget === 'object' ? budget : undefined;
}

/** The figures of a month in credits, each undefined if it is unknown. */
export const creditsOfMonth = {
  toDate: ({ credits, day }: Month) => monthToDate(credits, day),
  forecast: ({ credits, day }: Month) => monthForecast(credits, day),
  lower: (month: Month) => creditsBound(month, 'lower'),
  upper: (month: Month) => creditsBound(month, 'upper'),
  /** The probability that the month exceeds its budget in credits. */
  exceeded(month: Month) {
    const budget = asCredits(month.budget);
    const range = budget === undefined ? undefined : month.range('credits');
    return range && budget && probabilityAbove(range, budget);
  },
};

function creditsBound(month: Month, bound: 'lower' | 'upper'): number | undefined {
  const range = month.range('credits');
  return range && boundsOf(range)[bound];
}

/**
 * The figures of a month in money, each undefined if it is unknown: from the cost that the platform reports, else from the credits,
 * each day at its own price, including future days.
 */
export const costOfMonth = {
  toDate: (month: Month) =>
    isReported(month.view)
      ? reportedCost(month.view, monthToDate(month.cost, month.day))
      : totalOf(costsToDate(month)),
  forecast(month: Month) {
    const { view, day, cost, credits } = month;
    if (isReported(view)) return reportedCost(view, monthForecast(cost, day));
    const known = costsToDate(month);
    // Most organizations have no prices, and then need no forecast.
    const expected = known && expectedRest(credits, day);
    const rest = expected && ofEach(expected, (ahead) => pricedOn(view, ahead.day, ahead.amount));
    return totalOf(known && rest && [...known, ...rest]);
  },
  lower: (month: Month) => costBound(month, 'lower'),
  upper: (month: Month) => costBound(month, 'upper'),
  /** The probability that the month exceeds its budget in money, with the currency of both. */
  exceeded(month: Month): Cost | undefined {
    const budget = asMoney(month.budget);
    const range = budget && costRange(month);
    if (range === undefined || range.currency !== budget?.currency) return undefined;
    return { currency: range.currency, amount: probabilityAbove(range, budget.amount) };
  },
};

function costsToDate({ view, day, credits: { on, monthStarts } }: Month): readonly Cost[] | undefined {
  return ofEach(monthSoFar(day, monthStarts), (past) => pricedOn(view, past, on(past)));
}

/** The cost of a month and its range. With prices, the rest of the month has the same relative error as its credits. */
function costRange(month: Month): (MonthRange & Pick<Cost, 'currency'>) | undefined {
  const toDate = costOfMonth.toDate(month);
  const forecast = toDate && costOfMonth.forecast(month);
  const range = forecast && month.range(isReported(month.view) ? 'cost' : 'credits');
  if (toDate === undefined || forecast === undefined || range === undefined) return undefined;
  const rest = Math.max(0, forecast.amount - toDate.amount);
  return { currency: forecast.currency, toDate: toDate.amount, rest, error: range.error };
}

function costBound(month: Month, bound: 'lower' | 'upper'): Cost | undefined {
  const range = costRange(month);
  return range && { currency: range.currency, amount: boundsOf(range)[bound] };
}
