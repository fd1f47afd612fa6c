import type { Day } from '../../catalog/day.ts';
import { type DayFamily, dayFamily } from '../../catalog/family.ts';
import type { Cost } from '../../catalog/settings.ts';
import type { View } from '../../catalog/view.ts';
import { figure, inItsCurrency } from '../samples.ts';
import { type Month, monthOfOrg } from './months.ts';

/** What the figures are computed from. */
export const DAYS = 'stored days of tokens: credits';
export const PRICES = 'setting orgs[].prices';
export const PRICED_DAYS = `${DAYS}; ${PRICES}`;

/** What a computed family says of itself. */
export type Computed = Partial<Pick<DayFamily, 'unit' | 'source' | 'aggregation'>> &
  Pick<DayFamily, 'name' | 'help'>;

/** A family that is computed from the stored days; in credits unless it says otherwise. */
export function inCredits(creditsOf: (view: View, day: Day) => number | undefined, family: Computed) {
  return dayFamily({
    unit: 'credits',
    source: DAYS,
    aggregation: 'additive',
    ...family,
    samplesOf: (view, day) => figure(creditsOf(view, day)),
  });
}

/** A family of a figure of the organization's month, in credits unless it says otherwise. */
export function ofMonth(figureOf: (month: Month) => number | undefined, family: Computed) {
  return inCredits((view, day) => figureOf(monthOfOrg(view, day)), family);
}

/** A family of a figure of the organization's month, in money unless it says otherwise. */
export function ofMonthInMoney(figureOf: (month: Month) => Cost | undefined, family: Computed) {
  return inMoney((view, day) => figureOf(monthOfOrg(view, day)), family);
}

/** A family of the cost of the stored days at the configured prices, or of a quotient of it. */
export function inMoney(costOf: (view: View, day: Day) => Cost | undefined, family: Computed) {
  return dayFamily({
    labels: ['currency'],
    fixedLabels: ['currency'],
    unit: 'currency',
    source: PRICED_DAYS,
    aggregation: 'additive',
    dropPriority: 'main',
    ...family,
    samplesOf: (view, day) => inItsCurrency(costOf(view, day)),
  });
}
