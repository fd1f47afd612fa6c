import type { DerivedCollector } from '../../catalog/collector.ts';
import { firstOfMonth, startOf } from '../../catalog/day.ts';
import { currentFamily, dayFamily, type Family } from '../../catalog/family.ts';
import { creditsForecast, creditsToDate } from '../month.ts';
import { figure, inItsCurrency } from '../samples.ts';
import { tokensCollector } from '../tokens/collector.ts';
import { type TokensRow, tokensDataset } from '../tokens/dataset.ts';
import { weeksOf } from '../weeks.ts';
import { creditsChangeByCause } from './change.ts';
import {
  creditsMonthBudgetLasts,
  creditsMonthToDateBaseline,
  creditWeeks,
  dailyCreditsUnusual,
  modelWeeks,
} from './comparisons.ts';
import {
  costBound,
  costByModel,
  costExceededProbability,
  costForecast,
  costOn,
  costRange,
  costToDate,
  creditPriceOn,
} from './costs.ts';
import { creditsBound, creditsIn, exceededProbability, expectationOf, trailing } from './credits.ts';
import { definitions } from './definitions.ts';
import { DAYS, inCredits, inMoney, PRICED_DAYS, PRICES } from './families.ts';
import { baselineSharesByModel, sharesByModel } from './shares.ts';
import { unitFamilies } from './unit-economics.ts';

export const creditsMonthToDate = inCredits((view, day) => creditsToDate(creditsIn(view), day), {
  name: 'agent_platform_credits_month_to_date',
  help: 'Standard Credits from the first day of the billing month (UTC) to the newest complete day.',
  definition: definitions.monthToDate,
});

export const creditsMonthForecast = inCredits((view, day) => creditsForecast(creditsIn(view), day), {
  name: 'agent_platform_credits_month_forecast',
  help: 'Expected Standard Credits of the whole billing month (UTC): the month to date plus, for each remaining day, the mean of the last four days of the same weekday, quiet days left out.',
  definition: definitions.monthForecast,
});

export const creditsMonthForecastLower = inCredits((view, day) => creditsBound(view, day, 'lower'), {
  name: 'agent_platform_credits_month_forecast_lower',
  help: 'Standard Credits that the billing month (UTC) falls short of in one of ten cases.',
  aggregation: 'ratio',
  definition: definitions.forecastLower,
});

export const creditsMonthForecastUpper = inCredits((view, day) => creditsBound(view, day, 'upper'), {
  name: 'agent_platform_credits_month_forecast_upper',
  help: 'Standard Credits that the billing month (UTC) exceeds in one of ten cases.',
  aggregation: 'ratio',
  definition: definitions.forecastUpper,
});

export const creditsMonthBudgetExceededProbability = inCredits(exceededProbability, {
  name: 'agent_platform_credits_month_budget_exceeded_probability',
  help: 'Probability that the billing month (UTC) uses more than its budget of Standard Credits.',
  unit: 'ratio',
  source: `${DAYS}; setting orgs[].budget.credits_per_month`,
  aggregation: 'ratio',
  definition: definitions.exceededProbability,
});

export const creditsMonthBudget = currentFamily({
  name: 'agent_platform_credits_month_budget',
  help: 'Monthly budget of Standard Credits, as configured.',
  unit: 'credits',
  source: 'setting orgs[].budget.credits_per_month',
  aggregation: 'additive',
  definition: definitions.monthBudget,
  samplesOf: ({ settings }) => figure(settings.contract?.creditsPerMonth),
});

export const creditsTrailing28d = inCredits((view, day) => trailing(view, day, 28), {
  name: 'agent_platform_credits_trailing_28d',
  help: 'Standard Credits of the 28 days ending with the newest complete UTC day.',
  definition: definitions.trailing28d,
});

export const dailyCreditsExpected = inCredits((view, day) => expectationOf(view, day)?.credits, {
  name: 'agent_platform_daily_credits_expected',
  help: 'Expected Standard Credits of the newest complete UTC day: the median of the same weekday in the preceding eight weeks.',
  aggregation: 'ratio',
  definition: definitions.expected,
});

export const dailyCreditsExpectedUpper = inCredits((view, day) => expectationOf(view, day)?.upper, {
  name: 'agent_platform_daily_credits_expected_upper',
  help: 'Standard Credits above which the newest complete UTC day is unusual for its weekday.',
  aggregation: 'ratio',
  definition: definitions.expectedUpper,
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
  creditsMonthForecastLower,
  creditsMonthForecastUpper,
  creditsMonthBudgetExceededProbability,
  creditsMonthBudget,
  creditWeeks.present,
  creditsTrailing28d,
  dailyCreditsExpected,
  dailyCreditsExpectedUpper,
  creditsShareByModel,
  creditsShareByModelBaseline,
  creditsMonthToDateBaseline,
  creditsMonthBudgetLasts,
  creditWeeks.before,
  dailyCreditsUnusual,
  creditsChangeByCause,
  modelWeeks.present,
  modelWeeks.before,
];

export const creditPrice = inMoney(creditPriceOn, {
  name: 'agent_platform_credit_price',
  help: 'Price of one Standard Credit on the newest complete UTC day, as configured.',
  unit: 'currency per credit',
  source: PRICES,
  aggregation: 'ratio',
  definition: definitions.creditPrice,
});

export const dailyCost = inMoney(costOn, {
  name: 'agent_platform_daily_cost',
  help: 'Cost of the newest complete UTC day. Do not sum over currencies.',
  definition: definitions.dailyCost,
});

/** The cost of a week. */
export const costWeeks = weeksOf(tokensDataset, dailyCost);

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

export const costMonthToDate = inMoney(costToDate, {
  name: 'agent_platform_cost_month_to_date',
  help: 'Cost from the first day of the billing month (UTC) to the newest complete day, each day at its own price. Do not sum over currencies.',
  definition: definitions.costToDate,
});

export const costMonthForecast = inMoney(costForecast, {
  name: 'agent_platform_cost_month_forecast',
  help: 'Expected cost of the whole billing month (UTC), each day at its own price. Do not sum over currencies.',
  definition: definitions.costForecast,
});

const costMonthForecastLower = inMoney((view, day) => costBound(costRange(view, day), 'lower'), {
  name: 'agent_platform_cost_month_forecast_lower',
  help: 'Cost that the billing month (UTC) falls short of in one of ten cases, each day at its own price.',
  aggregation: 'ratio',
  definition: definitions.costForecastBound,
});

const costMonthForecastUpper = inMoney((view, day) => costBound(costRange(view, day), 'upper'), {
  name: 'agent_platform_cost_month_forecast_upper',
  help: 'Cost that the billing month (UTC) exceeds in one of ten cases, each day at its own price.',
  aggregation: 'ratio',
  definition: definitions.costForecastBound,
});

export const costMonthBudgetExceededProbability = inMoney(
  (view, day) => costExceededProbability(costRange(view, day), view.settings.contract?.costPerMonth),
  {
    name: 'agent_platform_cost_month_budget_exceeded_probability',
    help: 'Probability that the billing month (UTC) costs more than its budget in money.',
    unit: 'ratio',
    source: `${PRICED_DAYS}, budget.amount`,
    aggregation: 'ratio',
    definition: definitions.costExceededProbability,
  },
);

export const costMonthBudget = currentFamily({
  name: 'agent_platform_cost_month_budget',
  help: 'Monthly budget in money, as configured. Do not sum over currencies.',
  labels: ['currency'],
  fixedLabels: ['currency'],
  unit: 'currency',
  source: 'setting orgs[].budget.amount',
  aggregation: 'additive',
  dropPriority: 'main',
  definition: definitions.costBudget,
  samplesOf: ({ settings }) => inItsCurrency(settings.contract?.costPerMonth),
});

export const billingPeriodStart = dayFamily({
  name: 'agent_platform_billing_period_start_timestamp_seconds',
  help: 'Start of the billing month of the newest complete UTC day, in Unix seconds, if the setting billing is given.',
  unit: 'seconds',
  source: 'setting orgs[].billing.period_starts',
  aggregation: 'timestamp',
  definition: definitions.periodStart,
  samplesOf(view, day) {
    const starts = view.settings.contract?.periodStarts;
    return figure(starts && startOf(firstOfMonth(day, starts)) / 1000);
  },
});

export const seats = currentFamily({
  name: 'agent_platform_seats',
  help: 'Paid seats, as configured.',
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
  costWeeks.present,
  costWeeks.before,
  dailyCostByModel,
  costMonthToDate,
  costMonthForecast,
  costMonthForecastLower,
  costMonthForecastUpper,
  costMonthBudgetExceededProbability,
  costMonthBudget,
  billingPeriodStart,
  seats,
];

/** Derived from the credits of `tokens`: month, trend, expectation and cost. */
export const spendCollector: DerivedCollector<TokensRow> = {
  name: 'spend',
  description:
    'Credits of the month, their forecast and cost, computed from the days of the tokens collector.',
  enabledByDefault: true,
  derivesFrom: tokensCollector.name,
  dataset: tokensDataset,
  families: [...creditFamilies, ...costFamilies, ...unitFamilies],
};
