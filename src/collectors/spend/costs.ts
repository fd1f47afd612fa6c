import { type Day, monthSoFar } from '../../catalog/day.ts';
import type { Sample } from '../../catalog/family.ts';
import type { CreditPrice } from '../../catalog/settings.ts';
import type { View } from '../../catalog/view.ts';
import { preciseSum } from '../counts.ts';
import { modelsOf } from '../tokens/models.ts';
import { creditsOn, expectedRest, ofEach } from './credits.ts';

/** What a day cost; undefined where its credits or its price are not known. */
export function costOn(view: View, day: Day): Cost | undefined {
  return pricedOn(view, day, creditsOn(view, day));
}

/** What each model cost on a day; undefined where the day has no such breakdown, or no price. */
export function costByModel(
  view: View,
  day: Day,
): readonly Sample<'model' | 'tier' | 'currency'>[] | undefined {
  const price = priceOn(view, day);
  const models = modelsOf(view, day);
  if (price === undefined || models === undefined) return undefined;
  const samples = models.flatMap(({ model, tier, credits }) => {
    if (credits === undefined) return [];
    const { currency, amount } = costOf(credits, price);
    return [{ labels: { model, tier, currency }, value: amount }];
  });
  return samples.length === 0 && models.length > 0 ? undefined : samples;
}

/** What the month cost from its first day to a day, each day at its own price. */
export function costToDate(view: View, day: Day): Cost | undefined {
  return totalOf(costsToDate(view, day));
}

/** What the whole month of a day is expected to cost: each day at its own price, also those to come. */
export function costForecast(view: View, day: Day): Cost | undefined {
  const known = costsToDate(view, day);
  const expected = expectedRest(view, day);
  const rest = expected && ofEach(expected, (ahead) => pricedOn(view, ahead.day, ahead.credits));
  return totalOf(known && rest && [...known, ...rest]);
}

function costsToDate(view: View, day: Day): readonly Cost[] | undefined {
  return ofEach(monthSoFar(day), (past) => costOn(view, past));
}

function pricedOn(view: View, day: Day, credits: number | undefined): Cost | undefined {
  const price = priceOn(view, day);
  return credits === undefined || price === undefined ? undefined : costOf(credits, price);
}

/** The sum of costs in one currency; undefined where there are several, which have no sum. */
function totalOf(costs: readonly Cost[] | undefined): Cost | undefined {
  const currency = costs?.[0]?.currency;
  if (costs === undefined || currency === undefined) return undefined;
  if (costs.some((cost) => cost.currency !== currency)) return undefined;
  return { currency, amount: preciseSum(costs.map(({ amount }) => amount)) };
}

const MILLION = 1_000_000;

/** An amount of money. */
export interface Cost {
  readonly currency: string;
  readonly amount: number;
}

/** The price in force on a day: the one with the latest `from` that is not after it. */
export function priceOn(view: View, day: Day): CreditPrice | undefined {
  return view.settings.contract?.prices.findLast(({ from }) => from <= day);
}

/** What one credit costs on a day. */
export function creditPriceOn(view: View, day: Day): Cost | undefined {
  const price = priceOn(view, day);
  return price && { currency: price.currency, amount: price.perMillionCredits / MILLION };
}

/** What credits cost at a price; never infinite. */
export function costOf(credits: number, { currency, perMillionCredits }: CreditPrice): Cost {
  // Multiplied first: a price per credit would be rounded already.
  const amount = Math.min((credits * perMillionCredits) / MILLION, Number.MAX_VALUE);
  return { currency, amount };
}
