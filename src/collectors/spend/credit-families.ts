import { currentFamily, dayFamily, type Family } from '../../catalog/family.ts';
import { figure } from '../samples.ts';
import { monthToDate, trailing } from './credits.ts';
import { definitions } from './definitions.ts';
import { expectationOf } from './expectation.ts';
import { monthForecast } from './forecast.ts';

/** What every figure here is computed from. */
export const DAYS = 'stored days of /api/v1/analytics/tokens: data[].billable_tokens';

export const creditsMonthToDate = dayFamily({
  name: 'agent_platform_credits_month_to_date',
  help: 'Standard Credits of the calendar month (UTC) of the newest complete day, from its first to that day.',
  labels: [],
  unit: 'credits',
  source: DAYS,
  aggregation: 'additive',
  definition: definitions.monthToDate,
  samplesOf: (view, day) => figure(monthToDate(view, day)),
});

export const creditsMonthForecast = dayFamily({
  name: 'agent_platform_credits_month_forecast',
  help: 'Standard Credits expected of the whole calendar month (UTC): those to date, and for each remaining day the mean of the last four days of its weekday.',
  labels: [],
  unit: 'credits',
  source: DAYS,
  aggregation: 'additive',
  definition: definitions.monthForecast,
  samplesOf: (view, day) => figure(monthForecast(view, day)),
});

export const creditsMonthBudget = currentFamily({
  name: 'agent_platform_credits_month_budget',
  help: 'Standard Credits that a calendar month may cost, as configured.',
  labels: [],
  unit: 'credits',
  source: 'setting orgs[].budget.credits_per_month',
  aggregation: 'additive',
  definition: definitions.monthBudget,
  samplesOf: ({ settings }) => figure(settings.contract?.creditsPerMonth),
});

export const creditsTrailing7d = dayFamily({
  name: 'agent_platform_credits_trailing_7d',
  help: 'Standard Credits of the 7 days that end with the newest complete UTC day.',
  labels: [],
  unit: 'credits',
  source: DAYS,
  aggregation: 'additive',
  definition: definitions.trailing7d,
  samplesOf: (view, day) => figure(trailing(view, day, 7)),
});

export const creditsTrailing28d = dayFamily({
  name: 'agent_platform_credits_trailing_28d',
  help: 'Standard Credits of the 28 days that end with the newest complete UTC day.',
  labels: [],
  unit: 'credits',
  source: DAYS,
  aggregation: 'additive',
  definition: definitions.trailing28d,
  samplesOf: (view, day) => figure(trailing(view, day, 28)),
});

export const dailyCreditsExpected = dayFamily({
  name: 'agent_platform_daily_credits_expected',
  help: 'Standard Credits that the newest complete UTC day was expected to take: the median of its weekday in the eight weeks before.',
  labels: [],
  unit: 'credits',
  source: DAYS,
  aggregation: 'ratio',
  definition: definitions.expected,
  samplesOf: (view, day) => figure(expectationOf(view, day)?.credits),
});

export const dailyCreditsExpectedUpper = dayFamily({
  name: 'agent_platform_daily_credits_expected_upper',
  help: 'Standard Credits above which the newest complete UTC day is out of the ordinary for its weekday.',
  labels: [],
  unit: 'credits',
  source: DAYS,
  aggregation: 'ratio',
  definition: definitions.expectedUpper,
  samplesOf: (view, day) => figure(expectationOf(view, day)?.upper),
});

/** The figures in credits. */
export const creditFamilies: readonly Family[] = [
  creditsMonthToDate,
  creditsMonthForecast,
  creditsMonthBudget,
  creditsTrailing7d,
  creditsTrailing28d,
  dailyCreditsExpected,
  dailyCreditsExpectedUpper,
];
