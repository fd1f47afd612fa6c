import { type Day, monthSoFar } from '../../catalog/day.ts';
import { type Measure, moneyOf } from '../../catalog/platform.ts';
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
  /** As the platform reports it. */
  readonly cost: Amounts;
  readonly budget?: Budget | undefined;
  /** How far the forecast in a measure may be off; undefined if that is unknown. */
  range(measure: Measure): MonthRange | undefined;
}

/** The month of the organization. */
export function monthOfOrg(view: View, day: Day): Month {
  const { creditsPerMonth, costPerMonth } = view.settings.contract ?? {};
  const budget = creditsPerMonth ?? costPerMonth;
  const [credits, cost] = [amountsIn(view, 'credits'), amountsIn(view, 'cost')];
  return { view, day, credits, cost, budget, range: (measure) => view.ofDay(RANGES[measure], day) };
}

/** A function for each measure, by which its ranges are remembered. */
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

/** The figures of a month in a measure, each undefined if it is unknown. */
function figuresIn(measure: Measure) {
  const boundOf = (month: Month, bound: 'lower' | 'upper') => {
    const range = month.range(measure);
    return range && boundsOf(range)[bound];
  };
  return {
    toDate: (month: Month) => monthToDate(month[measure], month.day),
    forecast: (month: Month) => monthForecast(month[measure], month.day),
    lower: (month: Month) => boundOf(month, 'lower'),
    upper: (month: Month) => boundOf(month, 'upper'),
    /** How likely the month exceeds its budget in the measure. */
    exceeded(month: Month) {
      const budget = budgetIn(measure, month.view, month.budget);
      const range = budget === undefined ? undefined : month.range(measure);
      return range && budget && probabilityAbove(range, budget);
    },
  };
}

/** A monthly budget in credits, or in the currency of the cost that the platform reports. */
export function budgetIn(
  measure: Measure,
  { settings }: View,
  budget: Budget | undefined,
): number | undefined {
  if (measure === 'credits') return asCredits(budget);
  const money = asMoney(budget);
  return money?.currency === moneyOf(settings).currency ? money?.amount : undefined;
}

/** The figures of a month in credits. */
export const creditsOfMonth = figuresIn('credits');
const reportedOfMonth = figuresIn('cost');

/**
 * The figures of a month in money, each undefined if it is unknown: those of the cost that the platform reports, else of the credits,
 * each day at its own price, including future days.
 */
export const costOfMonth = {
  toDate: reportedElse('toDate', pricedToDate),
  forecast: reportedElse('forecast', pricedForecast),
  lower: reportedElse('lower', (month) => pricedBound(month, 'lower')),
  upper: reportedElse('upper', (month) => pricedBound(month, 'upper')),
  /** How likely the month exceeds its budget in money, with the currency of both. */
  exceeded: reportedElse('exceeded', (month) => {
    const budget = asMoney(month.budget);
    const range = budget && pricedRange(month);
    if (range === undefined || range.currency !== budget?.currency) return undefined;
    return { currency: range.currency, amount: probabilityAbove(range, budget.amount) };
  }),
};

function reportedElse(figure: keyof typeof reportedOfMonth, pricedOf: (month: Month) => Cost | undefined) {
  return (month: Month): Cost | undefined =>
    isReported(month.view) ? reportedCost(month.view, reportedOfMonth[figure](month)) : pricedOf(month);
}

function pricedToDate(month: Month): Cost | undefined {
  return totalOf(costsToDate(month));
}

function pricedForecast(month: Month): Cost | undefined {
  const known = costsToDate(month);
  // Most organizations have no prices, and then nothing needs to be expected.
  const expected = known && expectedRest(month.credits, month.day);
  const rest = expected && ofEach(expected, (ahead) => pricedOn(month.view, ahead.day, ahead.amount));
  return totalOf(known && rest && [...known, ...rest]);
}

function costsToDate({ view, day, credits: { on, monthStarts } }: Month): readonly Cost[] | undefined {
  return ofEach(monthSoFar(day, monthStarts), (past) => pricedOn(view, past, on(past)));
}

/** What a month costs, and how far that may be off: its rest by as much as that of the credits. */
function pricedRange(month: Month): (MonthRange & Pick<Cost, 'currency'>) | undefined {
  const toDate = pricedToDate(month);
  const forecast = toDate && pricedForecast(month);
  const range = forecast && month.range('credits');
  if (toDate === undefined || forecast === undefined || range === undefined) return undefined;
  const rest = Math.max(0, forecast.amount - toDate.amount);
  return { currency: forecast.currency, toDate: toDate.amount, rest, error: range.error };
}

function pricedBound(month: Month, bound: 'lower' | 'upper'): Cost | undefined {
  const range = pricedRange(month);
  return range && { currency: range.currency, amount: boundsOf(range)[bound] };
}
