import type { Day } from '../../catalog/day.ts';
import type { CreditPrice } from '../../catalog/settings.ts';
import type { View } from '../../catalog/view.ts';

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
