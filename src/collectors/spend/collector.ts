import type { DerivedCollector } from '../../catalog/collector.ts';
import { currentFamily, dayFamily, type Family, type Sample } from '../../catalog/family.ts';
import { figure } from '../samples.ts';
import { tokensCollector } from '../tokens/collector.ts';
import { type TokensRow, tokensDataset } from '../tokens/dataset.ts';
import { type Cost, costByModel, costForecast, costOn, costToDate, creditPriceOn } from './costs.ts';
import { expectationOf, monthForecast, monthToDate, trailing } from './credits.ts';
import { definitions } from './definitions.ts';
import { baselineSharesByModel, sharesByModel } from './shares.ts';

/** The source of every figure here. */
const DAYS = 'stored days of /api/v1/analytics/tokens: data[].billable_tokens';

export const creditsMonthToDate = dayFamily({
  name: 'agent_platform_credits_month_to_date',
  help: 'Standard Credits from the first day of the calendar month (UTC) to the newest complete day.',
  labels: [],
  unit: 'credits',
  source: DAYS,
  aggregation: 'additive',
  definition: definitions.monthToDate,
  samplesOf: (view, day) => figure(monthToDate(view, day)),
});

export const creditsMonthForecast = dayFamily({
  name: 'agent_platform_credits_month_forecast',
  help: 'Expected Standard Credits of the whole calendar month (UTC): the month to date plus, for each remaining day, the mean of the last four days of the same weekday, quiet days left out.',
  labels: [],
  unit: 'credits',
  source: DAYS,
  aggregation: 'additive',
  definition: definitions.monthForecast,
  samplesOf: (view, day) => figure(monthForecast(view, day)),
});

export const creditsMonthBudget = currentFamily({
  name: 'agent_platform_credits_month_budget',
  help: 'Monthly budget of Standard Credits, as configured.',
  labels: [],
  unit: 'credits',
  source: 'setting orgs[].budget.credits_per_month',
  aggregation: 'additive',
  definition: definitions.monthBudget,
  samplesOf: ({ settings }) => figure(settings.contract?.creditsPerMonth),
});

export const creditsTrailing7d = dayFamily({
  name: 'agent_platform_credits_trailing_7d',
  help: 'Standard Credits of the 7 days ending with the newest complete UTC day.',
  labels: [],
  unit: 'credits',
  source: DAYS,
  aggregation: 'additive',
  definition: definitions.trailing7d,
  samplesOf: (view, day) => figure(trailing(view, day, 7)),
});

export const creditsTrailing28d = dayFamily({
  name: 'agent_platform_credits_trailing_28d',
  help: 'Standard Credits of the 28 days ending with the newest complete UTC day.',
  labels: [],
  unit: 'credits',
  source: DAYS,
  aggregation: 'additive',
  definition: definitions.trailing28d,
  samplesOf: (view, day) => figure(trailing(view, day, 28)),
});

export const dailyCreditsExpected = dayFamily({
  name: 'agent_platform_daily_credits_expected',
  help: 'Expected Standard Credits of the newest complete UTC day: the median of the same weekday in the preceding eight weeks.',
  labels: [],
  unit: 'credits',
  source: DAYS,
  aggregation: 'ratio',
  definition: definitions.expected,
  samplesOf: (view, day) => figure(expectationOf(view, day)?.credits),
});

export const dailyCreditsExpectedUpper = dayFamily({
  name: 'agent_platform_daily_credits_expected_upper',
  help: 'Standard Credits above which the newest complete UTC day is unusual for its weekday.',
  labels: [],
  unit: 'credits',
  source: DAYS,
  aggregation: 'ratio',
  definition: definitions.expectedUpper,
  samplesOf: (view, day) => figure(expectationOf(view, day)?.upper),
});

const MODEL_DAYS =
  'stored days of /api/v1/analytics/tokens: data[].by_model[].billable_tokens, billable_tokens';

export const creditsShareByModel = dayFamily({
  name: 'agent_platform_credits_share_by_model',
  help: 'Share of the Standard Credits of the newest complete UTC day, by model and tier.',
  labels: ['model', 'tier'],
  unit: 'ratio',
  source: MODEL_DAYS,
  aggregation: 'ratio',
  breakdown: true,
  part: 'models',
  definition: definitions.shareByModel,
  samplesOf: sharesByModel,
});

export const creditsShareByModelBaseline = dayFamily({
  name: 'agent_platform_credits_share_by_model_baseline',
  help: 'Share of the Standard Credits of the 14 days before the newest complete UTC day, by model and tier.',
  labels: ['model', 'tier'],
  unit: 'ratio',
  source: MODEL_DAYS,
  aggregation: 'ratio',
  breakdown: true,
  part: 'models',
  definition: definitions.shareByModelBaseline,
  samplesOf: baselineSharesByModel,
});

/** The figures in credits. */
const creditFamilies: readonly Family[] = [
  creditsMonthToDate,
  creditsMonthForecast,
  creditsMonthBudget,
  creditsTrailing7d,
  creditsTrailing28d,
  dailyCreditsExpected,
  dailyCreditsExpectedUpper,
  creditsShareByModel,
  creditsShareByModelBaseline,
];

const PRICES = 'setting orgs[].prices';

const PRICED_DAYS = `${DAYS}; ${PRICES}`;

export const creditPrice = dayFamily({
  name: 'agent_platform_credit_price',
  help: 'Price of one Standard Credit on the newest complete UTC day, as configured.',
  labels: ['currency'],
  fixedLabels: ['currency'],
  unit: 'currency per credit',
  source: PRICES,
  aggregation: 'ratio',
  dropPriority: 'main',
  definition: definitions.creditPrice,
  samplesOf: (view, day) => inCurrency(creditPriceOn(view, day)),
});

export const dailyCost = dayFamily({
  name: 'agent_platform_daily_cost',
  help: 'Cost of the newest complete UTC day. Do not sum over currencies.',
  labels: ['currency'],
  fixedLabels: ['currency'],
  unit: 'currency',
  source: PRICED_DAYS,
  aggregation: 'additive',
  dropPriority: 'main',
  definition: definitions.dailyCost,
  samplesOf: (view, day) => inCurrency(costOn(view, day)),
});

export const dailyCostByModel = dayFamily({
  name: 'agent_platform_daily_cost_by_model',
  help: 'Cost of the newest complete UTC day, by model and tier. The sum over models can differ from the total where credits belong to no model. Do not sum over currencies.',
  labels: ['model', 'tier', 'currency'],
  fixedLabels: ['currency'],
  unit: 'currency',
  source: `stored days of /api/v1/analytics/tokens: data[].by_model[].billable_tokens; ${PRICES}`,
  aggregation: 'additive',
  breakdown: true,
  part: 'models',
  definition: definitions.dailyCostByModel,
  samplesOf: costByModel,
});

export const costMonthToDate = dayFamily({
  name: 'agent_platform_cost_month_to_date',
  help: 'Cost from the first day of the calendar month (UTC) to the newest complete day, each day at its own price. Do not sum over currencies.',
  labels: ['currency'],
  fixedLabels: ['currency'],
  unit: 'currency',
  source: PRICED_DAYS,
  aggregation: 'additive',
  dropPriority: 'main',
  definition: definitions.costToDate,
  samplesOf: (view, day) => inCurrency(costToDate(view, day)),
});

export const costMonthForecast = dayFamily({
  name: 'agent_platform_cost_month_forecast',
  help: 'Expected cost of the whole calendar month (UTC), each day at its own price. Do not sum over currencies.',
  labels: ['currency'],
  fixedLabels: ['currency'],
  unit: 'currency',
  source: PRICED_DAYS,
  aggregation: 'additive',
  dropPriority: 'main',
  definition: definitions.costForecast,
  samplesOf: (view, day) => inCurrency(costForecast(view, day)),
});

export const seats = currentFamily({
  name: 'agent_platform_seats',
  help: 'Paid seats, as configured.',
  labels: [],
  unit: 'seats',
  source: 'setting orgs[].seats',
  aggregation: 'additive',
  definition: definitions.seats,
  samplesOf: ({ settings }) => figure(settings.contract?.seats),
});

/** The figures in money, and the seats. */
const costFamilies: readonly Family[] = [
  creditPrice,
  dailyCost,
  dailyCostByModel,
  costMonthToDate,
  costMonthForecast,
  seats,
];

function inCurrency(cost: Cost | undefined): readonly Sample<'currency'>[] | undefined {
  return cost && [{ labels: { currency: cost.currency }, value: cost.amount }];
}

/** Derived from the credits of `tokens`: month, trend, expectation and cost. */
export const spendCollector: DerivedCollector<TokensRow> = {
  name: 'spend',
  description:
    'Credits of the month, their forecast and cost, computed from the days of the tokens collector.',
  enabledByDefault: true,
  derivesFrom: tokensCollector.name,
  dataset: tokensDataset,
  families: [...creditFamilies, ...costFamilies],
};
