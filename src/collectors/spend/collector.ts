import type { DerivedCollector } from '../../catalog/collector.ts';
import { firstOfMonth, startOf } from '../../catalog/day.ts';
import { currentFamily, dayFamily } from '../../catalog/family.ts';
import { figure, inItsCurrency } from '../samples.ts';
import { tokenFamilies, tokensCollector } from '../tokens/collector.ts';
import { type TokensRow, tokensDataset } from '../tokens/dataset.ts';
import { familiesOf, weeksOf } from '../weeks.ts';
import { creditsChangeByCause } from './change.ts';
import {
  creditsMonthBudgetLasts,
  creditsMonthToDateBaseline,
  creditWeeks,
  dailyCreditsUnusual,
  modelWeeks,
} from './comparisons.ts';
import { costOfEach, costOn, creditPriceOn } from './costs.ts';
import { expectationOf, trailing } from './credits.ts';
import { DAYS, inCredits, inMoney, ofMonth, ofMonthInMoney, PRICED_DAYS, PRICES } from './families.ts';
import { costOfMonth, creditsOfMonth } from './months.ts';
import { baselineSharesByModel, sharesByModel } from './shares.ts';
import { unitFamilies } from './unit-economics.ts';

/** A share of each model. */
const ofModel = {
  labels: ['model', 'tier'],
  unit: 'ratio',
  source: 'stored days of /api/v1/analytics/tokens: data[].by_model[].billable_tokens, billable_tokens',
  aggregation: 'ratio',
  breakdown: true,
  part: 'models',
} as const;

const COST_BOUND = `The cost of the month to date plus the expected cost of the rest · exp(∓1.40 · s), with s of
\`agent_platform_credits_month_forecast_lower\`. Absent with \`agent_platform_cost_month_forecast\` or with that bound.

Example: the month to date costs 162.00 USD, the rest is expected to cost 108.00 USD, and s is 0.1: 162.00 + 108.00 · exp(−0.14) = 255.89 USD,
and with exp(0.14) it is 286.23 USD.`;

const dailyCost = inMoney(costOn, {
  name: 'agent_platform_daily_cost',
  help: 'Cost of the newest complete UTC day. Do not sum over currencies.',
  definition: `The credits of the data day at the price of that day; absent if the day lacks its credits or has no price.

Example: 2 000 000 credits at 2.70 USD per million cost 5.40 USD.`,
});

/** The families about spend: the figures in credits, and those in money. */
export const spendFamilies = {
  creditsMonthToDate: ofMonth(creditsOfMonth.toDate, {
    name: 'agent_platform_credits_month_to_date',
    help: 'Standard Credits from the first day of the billing month (UTC) to the newest complete day.',
    definition: `The sum of the credits of every day from the first of the data day's billing month (UTC) to the data day.
A day without activity counts as 0. The billing month is the calendar month, unless \`billing.period_starts\` has it begin on another day.
Absent if one of these days is unknown or its row lacks the credits: it is never a partial sum. It is therefore absent in a month that began before \`history.start\`.

Example: 2 000 000 credits on 1 June, 1 500 000 on 2 June, no activity on 3 June. On 3 June it is 3 500 000. While
2 June is unknown, it is absent.`,
  }),

  creditsMonthForecast: ofMonth(creditsOfMonth.forecast, {
    name: 'agent_platform_credits_month_forecast',
    help: 'Expected Standard Credits of the whole billing month (UTC): the month to date plus, for each remaining day, the mean of the last four days of the same weekday, quiet days left out.',
    definition: `The month to date plus, for each remaining day of that month, the mean of the last four known days of the same
weekday, including the data day, but without quiet days. A day is known if it has credits, including 0. Gaps and quiet days are
skipped, for at most 52 weeks. Absent if the month to date is absent, with fewer than seven known days, and if no day of a remaining
weekday is known. On the last day of a month it equals the month to date.

A day is quiet, as a public holiday is, if its credits are below a third of the median M of its weekday in the six weeks that end with the
data day, and below M · (1 − 3 · 1.4826 · MAD): with few people, a day without work is no exception. MAD is that of
\`agent_platform_daily_credits_expected_upper\`, from the eight weeks that end with the data day.

Each of seven known days in a row of these six weeks is quiet, too, if together they use less than a third of the sum S of the seven medians, and less
than S · (1 − 3 · 1.4826 · MAD / √n), where n is the number of weekdays that are working days: between Christmas and the new year, nobody works
even where people are few.

Example: on Sunday, 28 June, the month to date is 60 000 000; a Monday and a Tuesday remain. The last four Mondays used
2, 3, 3 and 4 million, on average 3 million; the last four Tuesdays 1, 1, 2 and 4 million, on average 2 million. The
forecast is 65 000 000. In an organization whose working days differ by a tenth from what is usual (MAD 0.1), a Monday is quiet below 1 million, a third of
the median of 3 million; with MAD 0.2 it is quiet below 331 320, and with MAD 0.225 never. If the medians are 3 million from Monday to Friday and 0 on
weekends, seven days in a row are quiet below 5 million with MAD 0.3, below 3 065 300 with MAD 0.4, and with MAD 0.51 never.

A day off of the organization (setting \`calendar\`) counts as a Sunday, whether it is one of the remaining days or a past one: if Tuesday, 30
June, were a day off, it would be expected to use the mean of the last four Sundays and days off.`,
  }),

  creditsMonthForecastLower: ofMonth(creditsOfMonth.lower, {
    name: 'agent_platform_credits_month_forecast_lower',
    help: 'Standard Credits that the billing month (UTC) falls short of in one of ten cases.',
    aggregation: 'ratio',
    definition: `The month to date plus the expected rest · exp(−1.40 · s), where the expected rest is what
\`agent_platform_credits_month_forecast\` adds to the month to date. s says how far such a rest was off lately: if n days remain, the same
method is applied to each of the twelve days that lie n, n + 7, … n + 77 days before the data day, from what was known up to it, and compared with the n
days after it. s = √(mean of e² · (1 + 1/12)), where e is the logarithm of used divided by expected, at most log 3 and at least −log 3, and 0 if both are 0.
Absent with \`agent_platform_credits_month_forecast\`, and if one of these twelve forecasts or of the days after them is unknown: for the
first day of a month of 31 days, that takes 114 known days. On the last day of a month it equals the month to date.

Example: the month to date is 60 000 000, 40 000 000 are expected, and each of the twelve forecasts was too high or too low by 10 %, so that
each e is ±0.1 and s = 0.1 · √(13/12) = 0.10408. The bound is 60 000 000 + 40 000 000 · exp(−0.14572) = 94 576 000, rounded.`,
  }),

  creditsMonthForecastUpper: ofMonth(creditsOfMonth.upper, {
    name: 'agent_platform_credits_month_forecast_upper',
    help: 'Standard Credits that the billing month (UTC) exceeds in one of ten cases.',
    aggregation: 'ratio',
    definition: `The month to date plus the expected rest · exp(1.40 · s): see
\`agent_platform_credits_month_forecast_lower\`, with which it is absent.

Example: with the figures there it is 60 000 000 + 40 000 000 · exp(0.14572) = 106 275 000, rounded.`,
  }),

  creditsMonthBudgetExceededProbability: ofMonth(creditsOfMonth.exceeded, {
    name: 'agent_platform_credits_month_budget_exceeded_probability',
    help: 'Probability that the billing month (UTC) uses more than its budget of Standard Credits.',
    unit: 'ratio',
    source: `${DAYS}; setting orgs[].budget.credits_per_month`,
    aggregation: 'ratio',
    definition: `P(T > log((budget − month to date) / expected rest) / s), where T has Student's t distribution with
11 degrees of freedom, and s is that of \`agent_platform_credits_month_forecast_lower\`. 1 once the month to date exceeds the budget. Where s or the
expected rest is 0, it is 1 if the forecast exceeds the budget, otherwise 0. Absent with the range, and without a budget.

Example: the month to date is 60 000 000, 40 000 000 are expected, s is 0.1 and the budget 105 000 000: log(45/40) / 0.1 = 1.178, which T exceeds with a
probability of 0.132.`,
  }),

  creditsMonthBudget: currentFamily({
    name: 'agent_platform_credits_month_budget',
    help: 'Monthly budget of Standard Credits, as configured.',
    unit: 'credits',
    source: 'setting orgs[].budget.credits_per_month',
    aggregation: 'additive',
    definition: `The setting \`budget.credits_per_month\` of the organization; absent without it, and with a budget in money: what that pays for
depends on the prices of the month.

Example: \`budget: {credits_per_month: 500000000}\` gives 500 000 000.`,
    samplesOf: ({ settings }) => figure(settings.contract?.creditsPerMonth),
  }),

  creditsTrailing7d: creditWeeks.present,

  creditsTrailing28d: inCredits((view, day) => trailing(view, day, 28), {
    name: 'agent_platform_credits_trailing_28d',
    help: 'Standard Credits of the 28 days ending with the newest complete UTC day.',
    definition: `The sum of the credits of the 28 days that end with the data day; absent if one of them is unknown or its row
lacks the credits.

Example: 20 working days of 1 000 000 credits and 8 days without activity give 20 000 000.`,
  }),

  dailyCreditsExpected: inCredits((view, day) => expectationOf(view, day)?.credits, {
    name: 'agent_platform_daily_credits_expected',
    help: 'Expected Standard Credits of the newest complete UTC day: the median of the same weekday in the preceding eight weeks.',
    aggregation: 'ratio',
    definition: `The median of the credits of the data day's weekday in the preceding eight weeks, without the data day itself. Only
known days count, including those with 0; absent with fewer than three. A day off (setting \`calendar\`) counts as a Sunday.

Example: the preceding Wednesdays used 12, 11, 10, 0, 13, 12, 11 and 10 million. In order: 0, 10, 10, 11, 11, 12, 12, 13.
The median is 11 000 000.`,
  }),

  dailyCreditsExpectedUpper: inCredits((view, day) => expectationOf(view, day)?.upper, {
    name: 'agent_platform_daily_credits_expected_upper',
    help: 'Standard Credits above which the newest complete UTC day is unusual for its weekday.',
    aggregation: 'ratio',
    definition: `U · max(1.75, 1 + 4 · 1.4826 · MAD), computed from the working days of the preceding eight weeks and absent with
\`agent_platform_daily_credits_expected\`. Working days are those of each weekday whose median is at least half the largest
median of a weekday; where every median is 0, they are the days with credits. A weekday counts with three known days. U, the usual amount, is the larger of
\`agent_platform_daily_credits_expected\` and the median of all working days, so that a weekend is unusual only if it exceeds working days. MAD is the
median, over the working days, of |credits / median of its weekday − 1|; 1.4826 makes it comparable to a standard deviation. A day off
(setting \`calendar\`) counts as a Sunday.

Example: only Wednesdays are known, with 0, 10, 10, 11, 11, 12, 12 and 13 million. Their median is 11 million, and they deviate from it
by 0, 0, 1, 1, 1, 1, 2 and 11 elevenths, so that MAD is 1/11. 1 + 5.930 / 11 = 1.539 is less than 1.75, so it is 1.75 · 11 000 000 =
19 250 000. Wednesdays of 2, 4, 10, 16 and 18 million have the median 10 million and deviate by 0.8, 0.6, 0, 0.6 and 0.8:
10 000 000 · (1 + 5.9304 · 0.6) = 45 582 400. With Thursdays of 16, 17 and 16 million beside the first Wednesdays, the median of all eleven working
days is 12 million: 21 000 000, on a Wednesday too.`,
  }),

  creditsShareByModel: dayFamily({
    ...ofModel,
    name: 'agent_platform_credits_share_by_model',
    help: 'Share of the Standard Credits of the newest complete UTC day, by model and tier.',
    definition: `The credits of each model on the data day, divided by all credits of that day. A model that was only used in
the 14 days before has 0. Credits of no model count in the total, so that the shares can add up to less than 1. Absent on a
day without credits, if the day has no breakdown by model, and for a model whose credits were rejected.

Example: of 2 000 000 credits, model a took 1 500 000 and model b 400 000. The shares are 0.75 and 0.2.`,
    samplesOf: sharesByModel,
  }),

  creditsShareByModelBaseline: dayFamily({
    ...ofModel,
    name: 'agent_platform_credits_share_by_model_baseline',
    help: 'Share of the Standard Credits of the 14 days before the newest complete UTC day, by model and tier.',
    definition: `The credits of each model in the 14 days before the data day, divided by all credits of these days. Only
days with known credits and breakdown by model count. A model that was first used on the data day has 0.
Absent with fewer than seven such days, if they have no credits, and for a model whose credits of one of them were rejected.

Example: 14 days of 1 000 000 credits each, of which model a took 900 000 and model b 100 000, and a first day of model c: the
baselines are 0.9, 0.1 and 0.`,
    samplesOf: baselineSharesByModel,
  }),

  creditsMonthToDateBaseline,
  creditsMonthBudgetLasts,
  creditsTrailing7dBaseline: creditWeeks.before,
  dailyCreditsUnusual,
  creditsChangeByCause,
  modelWeeks,

  creditPrice: inMoney(creditPriceOn, {
    name: 'agent_platform_credit_price',
    help: 'Price of one Standard Credit on the newest complete UTC day, as configured.',
    unit: 'currency per credit',
    source: PRICES,
    aggregation: 'ratio',
    definition: `The price per million credits with the latest \`from\` that is not after the data day, divided by 1 000 000;
absent without one. Only one currency applies at a time.

Example: with \`{from: 2026-01-14, currency: USD, per_million_credits: 2.70}\` it is 0.0000027 with
\`currency="USD"\` on every day from 14 January 2026 on.`,
  }),

  dailyCost,
  costWeeks: weeksOf(tokensDataset, dailyCost),

  dailyCostByModel: dayFamily({
    name: 'agent_platform_daily_cost_by_model',
    help: 'Cost of the newest complete UTC day, by model and tier. The sum over models can differ from the total where credits belong to no model. Do not sum over currencies.',
    labels: ['model', 'tier', 'currency'],
    fixedLabels: ['currency'],
    unit: 'currency',
    source: `stored days of /api/v1/analytics/tokens: data[].by_model[].billable_tokens; ${PRICES}`,
    aggregation: 'additive',
    breakdown: true,
    part: 'models',
    definition: `The credits of each model on the data day at the price of that day; absent if the day has no breakdown
by model or no price. A model that was seen in the preceding 28 days and is unused costs 0; so for 28 days after a change
of currency there are zeros in the old one. Like the credits, the sum can differ from the total: the difference is
\`agent_platform_daily_credits_unattributed{breakdown="model"}\` at the same price.

Example: of 2 000 000 credits, model a used 1 500 000 and model b 400 000. At 2.70 USD per million a cost 4.05 USD and b
1.08 USD; 0.27 USD of the total of 5.40 USD belong to no model.`,
    samplesOf: (view, day) => costOfEach(view, day, tokenFamilies.dailyCreditsByModel.samplesOf(view, day)),
  }),

  costMonthToDate: ofMonthInMoney(costOfMonth.toDate, {
    name: 'agent_platform_cost_month_to_date',
    help: 'Cost from the first day of the billing month (UTC) to the newest complete day, each day at its own price. Do not sum over currencies.',
    definition: `The sum of the cost of every day from the first of the data day's billing month (UTC) to the data day, each at
its own price. Absent if one of these days lacks its credits or its price, or if their currencies differ: in a month
in which the currency changes, it is absent from the change until the next month.

Example: 1 000 000 credits on each of 1, 2 and 3 June; 2.70 USD per million, and 3.00 USD from 3 June on. On 3 June it is
2.70 + 2.70 + 3.00 = 8.40 USD.`,
  }),

  costMonthForecast: ofMonthInMoney(costOfMonth.forecast, {
    name: 'agent_platform_cost_month_forecast',
    help: 'Expected cost of the whole billing month (UTC), each day at its own price. Do not sum over currencies.',
    definition: `The cost of the month to date plus, for each remaining day, the credits that
\`agent_platform_credits_month_forecast\` expects, at the price of that day. Absent if either of the two is absent, or if
a remaining day has no price or another currency.

Example: on Sunday, 28 June, the month to date is 60 000 000 credits at 2.70 USD per million, which is 162.00 USD.
3 000 000 are expected for Monday and 2 000 000 for Tuesday, 30 June, when the price rises to 3.00 USD per million: 8.10
and 6.00 USD. The forecast is 176.10 USD.`,
  }),

  costMonthForecastLower: ofMonthInMoney(costOfMonth.lower, {
    name: 'agent_platform_cost_month_forecast_lower',
    help: 'Cost that the billing month (UTC) falls short of in one of ten cases, each day at its own price.',
    aggregation: 'ratio',
    definition: COST_BOUND,
  }),

  costMonthForecastUpper: ofMonthInMoney(costOfMonth.upper, {
    name: 'agent_platform_cost_month_forecast_upper',
    help: 'Cost that the billing month (UTC) exceeds in one of ten cases, each day at its own price.',
    aggregation: 'ratio',
    definition: COST_BOUND,
  }),

  costMonthBudgetExceededProbability: ofMonthInMoney(costOfMonth.exceeded, {
    name: 'agent_platform_cost_month_budget_exceeded_probability',
    help: 'Probability that the billing month (UTC) costs more than its budget in money.',
    unit: 'ratio',
    source: `${PRICED_DAYS}, budget.amount`,
    aggregation: 'ratio',
    definition: `As \`agent_platform_credits_month_budget_exceeded_probability\`, of the cost of the month and the budget in money. The rest of the
cost may be off by as much as that of the credits. Absent with \`agent_platform_cost_month_forecast_lower\`, without a budget in money, and if the month has
another currency than the budget.

Example: 600 USD are used, 400 are expected, s is 0.1 and the budget 1 050 USD: log(450/400) / 0.1 = 1.178, which T exceeds with a probability of
0.132.`,
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
    definition: `The setting \`budget\` of the organization, if it is in money; absent without it, and with a budget in credits.

Example: \`budget: {amount: 1500, currency: USD, per: month}\` gives 1 500 with \`currency="USD"\`.`,
    samplesOf: ({ settings }) => inItsCurrency(settings.contract?.costPerMonth),
  }),

  billingPeriodStart: dayFamily({
    name: 'agent_platform_billing_period_start_timestamp_seconds',
    help: 'Start of the billing month of the newest complete UTC day, in Unix seconds, if the setting billing is given.',
    unit: 'seconds',
    source: 'setting orgs[].billing.period_starts',
    aggregation: 'timestamp',
    definition: `The first instant of the billing month of the data day; absent without the setting \`billing\`. Alerts name a billing month by the
calendar month in which it starts.

Example: with \`billing: {period_starts: 9}\` and the data day 3 June 2026 it is 1 778 284 800, which is 9 May 2026.`,
    samplesOf(view, day) {
      const starts = view.settings.contract?.periodStarts;
      return figure(starts && startOf(firstOfMonth(day, starts)) / 1000);
    },
  }),

  seats: currentFamily({
    name: 'agent_platform_seats',
    help: 'Paid seats, as configured.',
    unit: 'seats',
    source: 'setting orgs[].seats',
    aggregation: 'additive',
    definition: `The setting \`seats\` of the organization; absent without it.

Example: \`seats: 120\` gives 120. With 30 active people, a quarter of the seats is in use.`,
    samplesOf: ({ settings }) => figure(settings.contract?.seats),
  }),
};

/** Derived from the credits of `tokens`: month, trend, expectation and cost. */
export const spendCollector: DerivedCollector<TokensRow> = {
  name: 'spend',
  description:
    'Credits of the month, their forecast and cost, computed from the days of the tokens collector.',
  enabledByDefault: true,
  derivesFrom: tokensCollector.name,
  dataset: tokensDataset,
  families: [...familiesOf(spendFamilies), ...unitFamilies],
};
