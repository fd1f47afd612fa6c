import type { DerivedCollector } from '../../catalog/collector.ts';
import { addDays, firstOfMonth, startOf, yesterdayOf } from '../../catalog/day.ts';
import { currentFamily, type DayFamily, dayFamily } from '../../catalog/family.ts';
import type { OtherCost } from '../../catalog/money.ts';
import type { View } from '../../catalog/view.ts';
import { activityDataset } from '../activity/dataset.ts';
import { monthToDate } from '../month.ts';
import { figure, inItsCurrency, withCurrency } from '../samples.ts';
import { amountsByModel, tokensCollector } from '../tokens/collector.ts';
import { type TokensRow, tokensDataset } from '../tokens/dataset.ts';
import { familiesOf, weeksOf } from '../weeks.ts';
import {
  costChangeByCause,
  costMonthToDateBaseline,
  costShareByModel,
  costShareByModelBaseline,
  creditsChangeByCause,
  creditsMonthBudgetLasts,
  creditsMonthToDateBaseline,
  creditsShareByModel,
  creditsShareByModelBaseline,
  creditWeeks,
  dailyCostExpected,
  dailyCostExpectedUpper,
  dailyCostUnusual,
  dailyCreditsExpected,
  dailyCreditsExpectedUpper,
  dailyCreditsUnusual,
  modelWeeks,
} from './comparisons.ts';
import { costOfEach, costOn, creditPriceOn } from './costs.ts';
import {
  DAYS,
  inCredits,
  inMoney,
  ofMonth,
  ofMonthInMoney,
  ofOtherCost,
  ofReported,
  PRICED_DAYS,
  PRICES,
  whereReported,
} from './families.ts';
import { trailing } from './measure.ts';
import { costOfMonth, creditsOfMonth } from './months.ts';
import { unitFamilies } from './unit-economics.ts';

const dailyCost = inMoney(costOn, {
  name: 'agent_platform_daily_cost',
  help: 'Cost of the newest complete UTC day. Do not sum over currencies.',
});

const dailyCostByModel = dayFamily({
  name: 'agent_platform_daily_cost_by_model',
  help: 'Cost of the newest complete UTC day, by model and tier. The sum over models can differ from the total where some belong to no model. Do not sum over currencies.',
  labels: ['model', 'tier', 'currency'],
  fixedLabels: ['currency'],
  unit: 'currency',
  source: `stored days of tokens: byModel.credits; ${PRICES}`,
  aggregation: 'additive',
  breakdown: true,
  part: 'models',
  samplesOf: (view, day) => costOfEach(view, day, (measure) => amountsByModel(view, day, measure)),
});

/** An amount that the platform reports beside the cost, by model. */
function otherCostByModel(of: OtherCost, family: Pick<DayFamily, 'name' | 'help'>) {
  const reported = ofReported({
    ...dailyCostByModel,
    ...family,
    source: `tokens: byModel.${of}`,
    samplesOf: (view, day) => withCurrency(amountsByModel(view, day, of), view.settings.money?.currency),
  });
  return { ...reported, isFor: whereReported(of) };
}

/** The families about spend: the figures in credits, and those in money; scripts/docs/definitions.md has their formulas. */
export const spendFamilies = {
  creditsMonthToDate: ofMonth(creditsOfMonth.toDate, {
    name: 'agent_platform_credits_month_to_date',
    help: 'Standard Credits from the first day of the billing month (UTC) to the newest complete day.',
  }),

  creditsMonthForecast: ofMonth(creditsOfMonth.forecast, {
    name: 'agent_platform_credits_month_forecast',
    help: 'Expected Standard Credits of the whole billing month (UTC): the month to date plus, for each remaining day, the mean of the last four days of the same weekday, quiet days left out.',
  }),

  creditsMonthForecastLower: ofMonth(creditsOfMonth.lower, {
    name: 'agent_platform_credits_month_forecast_lower',
    help: 'Standard Credits that the billing month (UTC) falls short of in one of ten cases.',
    aggregation: 'ratio',
  }),

  creditsMonthForecastUpper: ofMonth(creditsOfMonth.upper, {
    name: 'agent_platform_credits_month_forecast_upper',
    help: 'Standard Credits that the billing month (UTC) exceeds in one of ten cases.',
    aggregation: 'ratio',
  }),

  creditsMonthBudgetExceededProbability: ofMonth(creditsOfMonth.exceeded, {
    name: 'agent_platform_credits_month_budget_exceeded_probability',
    help: 'Probability that the billing month (UTC) uses more than its budget of Standard Credits.',
    unit: 'ratio',
    source: `${DAYS}; setting orgs[].budget.credits_per_month`,
    aggregation: 'ratio',
  }),

  creditsMonthBudget: currentFamily({
    name: 'agent_platform_credits_month_budget',
    help: 'Monthly budget of Standard Credits, as configured.',
    unit: 'credits',
    source: 'setting orgs[].budget.credits_per_month',
    aggregation: 'additive',
    samplesOf: ({ settings }) => figure(settings.contract?.creditsPerMonth),
  }),

  creditsTrailing7d: creditWeeks.present,

  creditsTrailing28d: inCredits((view, day) => trailing(view, day, 28, 'credits'), {
    name: 'agent_platform_credits_trailing_28d',
    help: 'Standard Credits of the 28 days ending with the newest complete UTC day.',
  }),

  dailyCreditsExpected,
  dailyCreditsExpectedUpper,
  creditsShareByModel,
  creditsShareByModelBaseline,
  creditsMonthToDateBaseline,
  creditsMonthBudgetLasts,
  creditsTrailing7dBaseline: creditWeeks.before,
  dailyCreditsUnusual,
  creditsChangeByCause,
  modelWeeks,
  dailyCostExpected,
  dailyCostExpectedUpper,
  dailyCostUnusual,
  costShareByModel,
  costShareByModelBaseline,
  costChangeByCause,
  costMonthToDateBaseline,

  creditPrice: inMoney(creditPriceOn, {
    name: 'agent_platform_credit_price',
    help: 'Price of one Standard Credit on the newest complete UTC day, as configured.',
    unit: 'currency per credit',
    source: PRICES,
    aggregation: 'ratio',
  }),

  dailyCost,
  costWeeks: weeksOf(tokensDataset, dailyCost),

  dailyBilledCost: ofOtherCost('billedCost', {
    name: 'agent_platform_daily_billed_cost',
    help: 'What the platform bills for the newest complete UTC day, beyond what seats include. Do not sum over currencies.',
  }),

  billedCostMonthToDate: ofOtherCost(
    'billedCost',
    {
      name: 'agent_platform_billed_cost_month_to_date',
      help: 'What the platform bills from the first day of the billing month (UTC) to the newest complete day, beyond what seats include. Do not sum over currencies.',
      source: 'stored days of tokens: billedCost',
    },
    monthToDate,
  ),

  dailyListCost: ofOtherCost('listCost', {
    name: 'agent_platform_daily_list_cost',
    help: 'Cost of the newest complete UTC day before the discount of the contract. Do not sum over currencies.',
  }),

  dailyBilledCostByModel: otherCostByModel('billedCost', {
    name: 'agent_platform_daily_billed_cost_by_model',
    help: 'What the platform bills for the newest complete UTC day, beyond what seats include, by model and tier. The sum over models can differ from the total where some belong to no model. Do not sum over currencies.',
  }),

  dailyListCostByModel: otherCostByModel('listCost', {
    name: 'agent_platform_daily_list_cost_by_model',
    help: 'Cost of the newest complete UTC day before the discount of the contract, by model and tier. The sum over models can differ from the total where some belong to no model. Do not sum over currencies.',
  }),

  dailyCostByModel,
  modelCostWeeks: weeksOf(tokensDataset, ofReported(dailyCostByModel)),

  costMonthToDate: ofMonthInMoney(costOfMonth.toDate, {
    name: 'agent_platform_cost_month_to_date',
    help: 'Cost from the first day of the billing month (UTC) to the newest complete day, each day at its own price or as the platform reports it. Do not sum over currencies.',
  }),

  costMonthForecast: ofMonthInMoney(costOfMonth.forecast, {
    name: 'agent_platform_cost_month_forecast',
    help: 'Expected cost of the whole billing month (UTC), each day at its own price or as the platform reports it. Do not sum over currencies.',
  }),

  costMonthForecastLower: ofMonthInMoney(costOfMonth.lower, {
    name: 'agent_platform_cost_month_forecast_lower',
    help: 'Cost that the billing month (UTC) falls short of in one of ten cases, each day at its own price or as the platform reports it.',
    aggregation: 'ratio',
  }),

  costMonthForecastUpper: ofMonthInMoney(costOfMonth.upper, {
    name: 'agent_platform_cost_month_forecast_upper',
    help: 'Cost that the billing month (UTC) exceeds in one of ten cases, each day at its own price or as the platform reports it.',
    aggregation: 'ratio',
  }),

  costMonthBudgetExceededProbability: ofMonthInMoney(costOfMonth.exceeded, {
    name: 'agent_platform_cost_month_budget_exceeded_probability',
    help: 'Probability that the billing month (UTC) costs more than its budget in money.',
    unit: 'ratio',
    source: `${PRICED_DAYS}, budget.amount`,
    aggregation: 'ratio',
  }),

  costMonthBudget: currentFamily({
    name: 'agent_platform_cost_month_budget',
    help: 'Monthly budget in money, as configured. Do not sum over currencies.',
    labels: ['currency'],
    fixedLabels: ['currency'],
    unit: 'currency',
    source: 'setting orgs[].budget.amount',
    aggregation: 'additive',
    dropPriority: 'main',
    samplesOf: ({ settings }) => inItsCurrency(settings.contract?.costPerMonth),
  }),

  billingPeriodStart: dayFamily({
    name: 'agent_platform_billing_period_start_timestamp_seconds',
    help: 'Start of the billing month of the newest complete UTC day, in Unix seconds, if the setting billing is given.',
    unit: 'seconds',
    source: 'setting orgs[].billing.period_starts',
    aggregation: 'timestamp',
    samplesOf(view, day) {
      const starts = view.settings.contract?.periodStarts;
      return figure(starts && startOf(firstOfMonth(day, starts)) / 1000);
    },
  }),

  seats: currentFamily({
    name: 'agent_platform_seats',
    help: 'Paid seats: as configured, else as the platform reported them in the last seven days.',
    unit: 'seats',
    source: 'setting orgs[].seats',
    aggregation: 'additive',
    samplesOf: (view) => figure(view.settings.contract?.seats ?? reportedSeats(view)),
  }),
};

/** The number of days for which a reported number of seats is shown. */
const SEATS_LAST_DAYS = 7;

/** The newest seats that the platform has reported lately. */
function reportedSeats(view: View): number | undefined {
  for (let back = 0; back <= SEATS_LAST_DAYS; back++) {
    const seats = view.row(activityDataset, addDays(yesterdayOf(view.asOf), -back))?.seats;
    if (seats !== undefined) return seats;
  }
  return undefined;
}

/** Month, trend, expected range and cost, all derived from the days of `tokens`. */
export const spendCollector: DerivedCollector<TokensRow> = {
  name: 'spend',
  description:
    'Credits of the month, their forecast and cost, computed from the days of the tokens collector.',
  enabledByDefault: true,
  derivesFrom: tokensCollector.name,
  dataset: tokensDataset,
  families: [...familiesOf(spendFamilies), ...unitFamilies],
};
