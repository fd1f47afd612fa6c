import { type Day, dayOf, firstOfMonth, monthSoFar, restOfMonth, yesterdayOf } from '../../catalog/day.ts';
import type { Sample } from '../../catalog/family.ts';
import { CREDITS, type Measure } from '../../catalog/money.ts';
import type { Cost, CreditPrice } from '../../catalog/settings.ts';
import type { View } from '../../catalog/view.ts';
import { preciseSum } from '../counts.ts';
import type { boundsOf } from '../month-range.ts';
import { withCurrency } from '../samples.ts';
import { ofEach, sumOfEach } from '../statistics.ts';
import { tokensDataset } from '../tokens/dataset.ts';
import { amountOn } from './measure.ts';

/** The cost of a day: what the platform reports, else its credits at the configured price; undefined if that is unknown. */
export function costOn(view: View, day: Day): Cost | undefined {
  return isReported(view)
    ? reportedCost(view, amountOn(view, day, 'cost'))
    : pricedOn(view, day, amountOn(view, day, 'credits'));
}

/** Whether the platform reports the cost. Then configured prices apply to no day, not even to a day without a reported cost. */
export function isReported({ settings }: View): boolean {
  return settings.money?.currency !== undefined;
}

/** An amount that the platform reports, in its currency. */
export function reportedCost({ settings }: View, amount: number | undefined): Cost | undefined {
  const currency = settings.money?.currency;
  return currency === undefined || amount === undefined ? undefined : { currency, amount };
}

/**
 * The cost of each part of a day, with its currency as the last label: as the platform reports it, else the part's credits at the
 * day's price; undefined without them.
 */
export function costOfEach<Label extends string>(
  view: View,
  day: Day,
  samplesOf: (measure: Measure) => Iterable<Sample<Label>> | undefined,
): readonly Sample<Label | 'currency'>[] | undefined {
  if (isReported(view)) return withCurrency(samplesOf('cost'), view.settings.money?.currency);
  const price = priceOn(view, day);
  const credits = price && samplesOf('credits');
  if (price === undefined || credits === undefined) return undefined;
  const costs = Array.from(credits, ({ labels, value }) => ({ labels, value: costOf(value, price).amount }));
  return withCurrency(costs, price.currency);
}

/** The cost of some days, each at its own price. */
export function costOver(view: View, days: readonly Day[]): Cost | undefined {
  return totalOf(ofEach(days, (day) => costOn(view, day)));
}

/** The cost of an organization on some days, in one currency; an unknown amount is undefined. */
export type Spend = ReturnType<typeof spendOf>;

/** The cost of some days, its part billed beyond seats if the platform reports it, and the forecast of the last day's month. */
export function spendOf(
  { asOf, settings, row }: View,
  days: readonly Day[],
  { currency, amount: used }: Cost,
  ahead: { readonly amount: number; readonly range: ReturnType<typeof boundsOf> | undefined } | undefined,
) {
  const { costIs, otherCosts } = settings.money ?? CREDITS;
  const amount = () => sumOfEach(days, (one) => row(tokensDataset, one)?.billedCost);
  const billed = otherCosts?.includes('billedCost') ? { amount: amount() } : undefined;
  const day = days.at(-1) ?? yesterdayOf(asOf);
  const month = firstOfMonth(day, settings.contract?.periodStarts);
  const isPresent = month === firstOfMonth(dayOf(asOf));
  const { amount: forecast, range } = ahead ?? {};
  return { currency, used, costIs, billed, day, month, isPresent, forecast, range };
}

/**
 * The credits that the budget of a day's month pays for; undefined without a budget, and for one in money if the month's
 * days have other currencies or more than one price.
 */
export function budgetInCredits(view: View, day: Day): number | undefined {
  const { creditsPerMonth, costPerMonth, periodStarts } = view.settings.contract ?? {};
  if (costPerMonth === undefined) return creditsPerMonth;
  const days = [...monthSoFar(day, periodStarts), ...restOfMonth(day, periodStarts)];
  const prices = days.map((of) => priceOn(view, of));
  if (prices.some((of) => of?.currency !== costPerMonth.currency)) return undefined;
  const [price, ...others] = new Set(prices.map((of) => of?.perMillionCredits));
  // At a price of 0, no budget in money limits credits.
  if (price === undefined || price === 0 || others.length > 0) return undefined;
  return Math.min((costPerMonth.amount * MILLION) / price, Number.MAX_VALUE);
}

/** The budget in the currency of the cost that the platform reports; undefined without either. */
export function budgetInReported({ settings }: View): number | undefined {
  const { costPerMonth } = settings.contract ?? {};
  return costPerMonth?.currency === settings.money?.currency ? costPerMonth?.amount : undefined;
}

/** The cost of credits of a day; undefined if they or the day's price are unknown. */
export function pricedOn(view: View, day: Day, credits: number | undefined): Cost | undefined {
  const price = priceOn(view, day);
  return credits === undefined || price === undefined ? undefined : costOf(credits, price);
}

/** The sum of costs in one currency; undefined if there are several. */
export function totalOf(costs: readonly Cost[] | undefined): Cost | undefined {
  const currency = costs?.[0]?.currency;
  if (costs === undefined || currency === undefined) return undefined;
  if (costs.some((cost) => cost.currency !== currency)) return undefined;
  return { currency, amount: preciseSum(costs.map(({ amount }) => amount)) };
}

const MILLION = 1_000_000;

/** The price of a day: the one with the latest `from` that is not after it; none where the platform reports the cost. */
function priceOn(view: View, day: Day): CreditPrice | undefined {
  if (isReported(view)) return undefined;
  return view.settings.contract?.prices.findLast(({ from }) => from <= day);
}

/** The price of one credit on a day. */
export function creditPriceOn(view: View, day: Day): Cost | undefined {
  const price = priceOn(view, day);
  return price && { currency: price.currency, amount: price.perMillionCredits / MILLION };
}

/** The cost of credits at a price; never infinite. */
function costOf(credits: number, { currency, perMillionCredits }: CreditPrice): Cost {
  // Multiplies before dividing, because a price per single credit would be rounded.
  const amount = Math.min((credits * perMillionCredits) / MILLION, Number.MAX_VALUE);
  return { currency, amount };
}
