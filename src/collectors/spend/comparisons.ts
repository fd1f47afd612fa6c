import { type Day, monthBeforeSoFar, monthSoFar, restOfMonth } from '../../catalog/day.ts';
import type { View } from '../../catalog/view.ts';
import { explain } from '../explain/explain.ts';
import { fourWeeksBefore } from '../explain/usage.ts';
import { monthForecast, monthToDate } from '../month.ts';
import { figure } from '../samples.ts';
import { tokenFamilies as tokens } from '../tokens/collector.ts';
import { tokensDataset } from '../tokens/dataset.ts';
import { weeksOf } from '../weeks.ts';
import { budgetInCredits, budgetInReported } from './costs.ts';
import { DAYS, inCredits, inMeasure } from './families.ts';
import { amountsIn, expectationOf, measureOf, unusualOn } from './measure.ts';
import { baselineSharesByModel, sharesByModel } from './shares.ts';

/** The credits of a week, in total and of each model. */
export const creditWeeks = weeksOf(tokensDataset, tokens.dailyCredits, 'agent_platform_credits_trailing_7d');
export const modelWeeks = weeksOf(tokensDataset, tokens.dailyCreditsByModel);

export const { credits: creditsMonthToDateBaseline, cost: costMonthToDateBaseline } = inMeasure(
  (view, day) => {
    const sameDay = monthBeforeSoFar(day, view.settings.contract?.periodStarts).at(-1);
    return figure(sameDay && monthToDate(amountsIn(view, measureOf(view)), sameDay));
  },
  {
    name: 'agent_platform_credits_month_to_date_baseline',
    help: 'Standard Credits from the first day of the billing month before (UTC) to the same day of that month, or to its last day if it is shorter.',
    aggregation: 'additive',
  },
);

export const creditsMonthBudgetLasts = inCredits(budgetDays, {
  name: 'agent_platform_credits_month_budget_lasts',
  help: 'Days after the newest complete UTC day for which the rest of the monthly budget lasts at the pace of the forecast, 0 if it is spent.',
  unit: 'days',
  source: `${DAYS}; setting orgs[].budget`,
  aggregation: 'ratio',
});

function budgetDays(view: View, day: Day): number | undefined {
  const { periodStarts } = view.settings.contract ?? {};
  const reported = budgetInReported(view);
  const budget = reported ?? budgetInCredits(view, day);
  const amounts = amountsIn(view, reported === undefined ? 'credits' : 'cost');
  const toDate = budget === undefined ? undefined : monthToDate(amounts, day);
  const forecast = toDate === undefined ? undefined : monthForecast(amounts, day);
  if (budget === undefined || toDate === undefined || forecast === undefined) return undefined;
  if (toDate >= budget) return 0;
  const remaining = restOfMonth(day, periodStarts).length;
  const pace =
    remaining === 0 ? toDate / monthSoFar(day, periodStarts).length : (forecast - toDate) / remaining;
  return pace > 0 ? Math.min((budget - toDate) / pace, Number.MAX_VALUE) : undefined;
}

export const { credits: dailyCreditsExpected, cost: dailyCostExpected } = inMeasure(
  (view, day) => figure(expectationOf(view, day)?.amount),
  {
    name: 'agent_platform_daily_credits_expected',
    help: 'Expected Standard Credits of the newest complete UTC day: the median of the same weekday in the preceding eight weeks.',
  },
);

export const { credits: dailyCreditsExpectedUpper, cost: dailyCostExpectedUpper } = inMeasure(
  (view, day) => figure(expectationOf(view, day)?.upper),
  {
    name: 'agent_platform_daily_credits_expected_upper',
    help: 'Standard Credits above which the newest complete UTC day is unusual for its weekday.',
  },
);

export const { credits: dailyCreditsUnusual, cost: dailyCostUnusual } = inMeasure(
  (view, day) => figure(unusualOn(view, day)),
  {
    name: 'agent_platform_daily_credits_unusual',
    help: 'Standard Credits of the newest complete UTC day if the day is unusual, otherwise 0.',
    aggregation: 'additive',
  },
);

/** A share of each model. */
const ofModel = {
  labels: ['model', 'tier'],
  unit: 'ratio',
  source: 'stored days of tokens: byModel.credits, credits',
  breakdown: true,
  part: 'models',
} as const;

export const { credits: creditsShareByModel, cost: costShareByModel } = inMeasure(sharesByModel, {
  ...ofModel,
  name: 'agent_platform_credits_share_by_model',
  help: 'Share of the Standard Credits of the newest complete UTC day, by model and tier.',
});

export const { credits: creditsShareByModelBaseline, cost: costShareByModelBaseline } = inMeasure(
  baselineSharesByModel,
  {
    ...ofModel,
    name: 'agent_platform_credits_share_by_model_baseline',
    help: 'Share of the Standard Credits of the 14 days before the newest complete UTC day, by model and tier.',
  },
);

export const { credits: creditsChangeByCause, cost: costChangeByCause } = inMeasure(changeOn, {
  name: 'agent_platform_credits_change_by_cause',
  help: 'Change of the Standard Credits of the newest complete UTC day from the mean of the same weekday in the preceding four weeks, by cause. The causes add up to the change.',
  labels: ['cause'],
  fixedLabels: ['cause'],
  source:
    'stored days of tokens: credits, tokens.input, tokens.output, byModel; of activity: dailyUsers, sessions',
  aggregation: 'additive',
});

function changeOn(view: View, day: Day) {
  const { what, currency } = explain(view, fourWeeksBefore(day), [day]) ?? {};
  const word = currency === undefined ? 'credits' : 'cost';
  return what?.map(({ name, credits }) => ({
    labels: { cause: name.replace('credits', word) },
    value: credits,
  }));
}
