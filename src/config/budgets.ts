import type { PlatformMoney } from '../catalog/money.ts';
import type { Budget } from '../catalog/settings.ts';

/** Why a budget limits nothing that the platform of this name counts; undefined if it can be used. */
export function refusesBudget(
  budget: Budget,
  name: string,
  { measure, currency }: PlatformMoney,
): string | undefined {
  if (typeof budget === 'number') {
    if (measure === 'credits') return undefined;
    return `the platform ${name} counts no credits: give an amount and its currency`;
  }
  if (currency === undefined || budget.currency === currency) return undefined;
  return `the platform ${name} reports its cost in ${currency}`;
}
