import type { PlatformMoney } from '../catalog/money.ts';
import type { Budget } from '../catalog/settings.ts';

/** Why a budget limits nothing that the platform of this title counts, in words that follow its place; undefined if it can be used. */
export function refusesBudget(
  budget: Budget,
  title: string,
  { measure, currency }: PlatformMoney,
): string | undefined {
  if (typeof budget === 'number') {
    if (measure === 'credits') return undefined;
    return `is in credits, which ${title} does not count: give an amount and its currency`;
  }
  if (currency === undefined || budget.currency === currency) return undefined;
  return `is in ${budget.currency}, but ${title} reports its cost in ${currency}`;
}
