import type { Day } from '../../catalog/day.ts';
import { type DayFamily, dayFamily, type Sample } from '../../catalog/family.ts';
import type { OtherCost, PlatformMoney } from '../../catalog/money.ts';
import type { Cost } from '../../catalog/settings.ts';
import type { View } from '../../catalog/view.ts';
import { figure, inItsCurrency, withCurrency } from '../samples.ts';
import { tokensDataset } from '../tokens/dataset.ts';
import { type Amounts, amountsOf } from '../weekdays.ts';
import { isReported, reportedCost } from './costs.ts';
import { measuredIn, measureOf } from './measure.ts';
import { type Month, monthOfOrg } from './months.ts';

/** The `source` of figures that are computed from stored days. */
export const DAYS = 'stored days of tokens: credits';
export const PRICES = 'setting orgs[].prices';
export const PRICED_DAYS = `${DAYS}; ${PRICES}`;
/** The `source` of figures of platforms that report a cost. */
const REPORTED_DAYS = 'stored days of tokens: cost';

/** The declaration of a computed family. */
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

/** A family of the cost of the stored days, or of a quotient of it. */
export function inMoney(
  costOf: (view: View, day: Day) => Cost | undefined,
  family: Computed & Pick<DayFamily, 'isFor'>,
) {
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

/** A family of an amount that the platform reports beside the cost; by default that of one day. */
export function ofOtherCost(
  name: OtherCost,
  family: Computed,
  figureOf = (amounts: Amounts, day: Day) => amounts.on(day),
) {
  const amountsOn = (view: View) => amountsOf(view.settings, (day) => view.row(tokensDataset, day)?.[name]);
  return inMoney((view, day) => reportedCost(view, figureOf(amountsOn(view), day)), {
    source: `tokens: ${name}`,
    ...family,
    isFor: whereReported(name),
  });
}

/** Where a platform reports an amount beside the cost. */
export function whereReported(name: OtherCost) {
  return ({ otherCosts }: PlatformMoney) => otherCosts?.includes(name) === true;
}

/** A family in money for platforms that report a cost. With prices it would only repeat the credits. */
export function ofReported<Label extends string>(family: DayFamily<Label>): DayFamily<Label> {
  return {
    ...family,
    source: family.source.replaceAll(/\bcredits\b/g, 'cost').replace(`; ${PRICES}`, ''),
    isFor: ({ currency }) => currency !== undefined,
    samplesOf: (view, day) => (isReported(view) ? family.samplesOf(view, day) : undefined),
  };
}

/** The declaration, in credits, of a family that also has a form in money. */
type Measured<Label extends string> = Computed &
  Partial<Pick<DayFamily<Label>, 'labels' | 'fixedLabels' | 'breakdown' | 'part'>>;

/** A figure in the measure of the platform: a family in credits, and its form in money for a platform that counts none. */
export function inMeasure<const Label extends string = never>(
  samplesOf: (view: View, day: Day) => readonly Sample<Label>[] | undefined,
  family: Measured<Label>,
) {
  const {
    name,
    help,
    labels = [],
    fixedLabels = [],
    unit = 'credits',
    aggregation = 'ratio',
    ...common
  } = family;
  return {
    credits: dayFamily<Label>({
      ...{ name, help, labels, fixedLabels, unit, aggregation, source: DAYS, ...common },
      samplesOf: (view, day) => (measureOf(view) === 'credits' ? samplesOf(view, day) : undefined),
    }),
    cost: dayFamily<Label | 'currency'>({
      ...common,
      name: `agent_platform_${name.replace(/^agent_platform_/, '').replace('credits', 'cost')}`,
      help: `${help.replace(/^Standard Credits/, 'Cost').replace('Standard Credits', 'cost')} Only where the platform counts no credits. Do not sum over currencies.`,
      labels: [...labels, 'currency'],
      fixedLabels: [...fixedLabels, 'currency'],
      unit: unit === 'credits' ? 'currency' : unit,
      aggregation,
      source: REPORTED_DAYS,
      ...(labels.length === 0 && { dropPriority: 'main' }),
      isFor: ({ measure }) => measure === 'cost',
      samplesOf(view, day) {
        const currency = measuredIn(view);
        return currency === undefined ? undefined : withCurrency(samplesOf(view, day), currency);
      },
    }),
  };
}
