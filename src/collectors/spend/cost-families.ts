import { currentFamily, dayFamily, type Family, type Sample } from '../../catalog/family.ts';
import { figure } from '../samples.ts';
import { costByModel, costForecast, costOn, costToDate } from './costs.ts';
import { DAYS } from './credit-families.ts';
import { definitions } from './definitions.ts';
import { type Cost, creditPriceOn } from './prices.ts';

const PRICES = 'setting orgs[].prices';
const PRICED_DAYS = `${DAYS}; ${PRICES}`;

export const creditPrice = dayFamily({
  name: 'agent_platform_credit_price',
  help: 'Price of one Standard Credit on the newest complete UTC day, as configured.',
  labels: ['currency'],
  unit: 'currency per credit',
  source: PRICES,
  aggregation: 'ratio',
  dropPriority: 'main',
  definition: definitions.creditPrice,
  samplesOf: (view, day) => inCurrency(creditPriceOn(view, day)),
});

export const dailyCost = dayFamily({
  name: 'agent_platform_daily_cost',
  help: 'Cost of the newest complete UTC day. The sum over currencies is no total.',
  labels: ['currency'],
  unit: 'currency',
  source: PRICED_DAYS,
  aggregation: 'additive',
  dropPriority: 'main',
  definition: definitions.dailyCost,
  samplesOf: (view, day) => inCurrency(costOn(view, day)),
});

export const dailyCostByModel = dayFamily({
  name: 'agent_platform_daily_cost_by_model',
  help: 'Cost of the newest complete UTC day by model and tier. The sum can differ from the total where credits belong to no model, and the sum over currencies is no total.',
  labels: ['model', 'tier', 'currency'],
  unit: 'currency',
  source: `stored days of /api/v1/analytics/tokens: data[].by_model[].billable_tokens; ${PRICES}`,
  aggregation: 'additive',
  breakdown: true,
  part: 'credits',
  definition: definitions.dailyCostByModel,
  samplesOf: costByModel,
});

export const costMonthToDate = dayFamily({
  name: 'agent_platform_cost_month_to_date',
  help: 'Cost of the calendar month (UTC) of the newest complete day, from its first to that day, each day at its own price. The sum over currencies is no total.',
  labels: ['currency'],
  unit: 'currency',
  source: PRICED_DAYS,
  aggregation: 'additive',
  dropPriority: 'main',
  definition: definitions.costToDate,
  samplesOf: (view, day) => inCurrency(costToDate(view, day)),
});

export const costMonthForecast = dayFamily({
  name: 'agent_platform_cost_month_forecast',
  help: 'Cost expected of the whole calendar month (UTC), each day at its own price. The sum over currencies is no total.',
  labels: ['currency'],
  unit: 'currency',
  source: PRICED_DAYS,
  aggregation: 'additive',
  dropPriority: 'main',
  definition: definitions.costForecast,
  samplesOf: (view, day) => inCurrency(costForecast(view, day)),
});

export const seats = currentFamily({
  name: 'agent_platform_seats',
  help: 'Seats that are paid for, as configured.',
  labels: [],
  unit: 'seats',
  source: 'setting orgs[].seats',
  aggregation: 'additive',
  definition: definitions.seats,
  samplesOf: ({ settings }) => figure(settings.contract?.seats),
});

/** The figures in money, and the seats. */
export const costFamilies: readonly Family[] = [
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
