import type { PlatformMoney } from '../../src/catalog/money.ts';
import type { OrgSettings } from '../../src/catalog/settings.ts';
import type { View } from '../../src/catalog/view.ts';

/** The money of a platform that reports its cost and counts no credits. */
export const COST: PlatformMoney = {
  measure: 'cost',
  currency: 'USD',
  otherCosts: ['listCost'],
  costIs: 'charge',
  floor: 1_000,
};

/** The money of a platform that counts credits and reports their cost, too. */
export const BOTH: PlatformMoney = {
  measure: 'credits',
  currency: 'USD',
  otherCosts: ['billedCost'],
  costIs: 'value of use',
  floor: 1_000_000,
};

/** A view under other settings. */
export function under(view: View, settings: Partial<OrgSettings>): View {
  return { ...view, settings: { ...view.settings, ...settings } };
}
