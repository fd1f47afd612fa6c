import { addDays, type Day, firstOfMonth, monthSoFar, restOfMonth } from '../../catalog/day.ts';
import type { View } from '../../catalog/view.ts';
import { creditsForecast, creditsToDate } from '../month.ts';
import { tokenFamilies as tokens } from '../tokens/collector.ts';
import { tokensDataset } from '../tokens/dataset.ts';
import { weeksOf } from '../weeks.ts';
import { budgetInCredits } from './costs.ts';
import { creditsIn, creditsOn, expectationOf, trailing } from './credits.ts';
import { DAYS, inCredits } from './families.ts';

/** The credits of a week, in total and of each model. */
export const creditWeeks = weeksOf(tokensDataset, tokens.dailyCredits, 'agent_platform_credits_trailing_7d');
export const modelWeeks = weeksOf(tokensDataset, tokens.dailyCreditsByModel);

export const creditsMonthToDateBaseline = inCredits(creditsBefore, {
  name: 'agent_platform_credits_month_to_date_baseline',
  help: 'Standard Credits from the first day of the billing month before (UTC) to the same day of that month, or to its last day if it is shorter.',
});

function creditsBefore(view: View, day: Day): number | undefined {
  const starts = view.settings.contract?.periodStarts;
  const last = addDays(firstOfMonth(day, starts), -1);
  const sameDay = monthSoFar(last, starts)[monthSoFar(day, starts).length - 1] ?? last;
  return creditsToDate(creditsIn(view), sameDay);
}

export const creditsMonthBudgetLasts = inCredits(budgetDays, {
  name: 'agent_platform_credits_month_budget_lasts',
  help: 'Days after the newest complete UTC day for which the rest of the monthly budget lasts at the pace of the forecast, 0 if it is spent.',
  unit: 'days',
  source: `${DAYS}; setting orgs[].budget`,
  aggregation: 'ratio',
});

function budgetDays(view: View, day: Day): number | undefined {
  const { periodStarts } = view.settings.contract ?? {};
  const budget = budgetInCredits(view, day);
  const toDate = budget === undefined ? undefined : creditsToDate(creditsIn(view), day);
  const forecast = toDate === undefined ? undefined : creditsForecast(creditsIn(view), day);
  if (budget === undefined || toDate === undefined || forecast === undefined) return undefined;
  if (toDate >= budget) return 0;
  const remaining = restOfMonth(day, periodStarts).length;
  const pace =
    remaining === 0 ? toDate / monthSoFar(day, periodStarts).length : (forecast - toDate) / remaining;
  return pace > 0 ? Math.min((budget - toDate) / pace, Number.MAX_VALUE) : undefined;
}

export const dailyCreditsUnusual = inCredits(unusualCredits, {
  name: 'agent_platform_daily_credits_unusual',
  help: 'Standard Credits of the newest complete UTC day if the day is unusual, otherwise 0.',
});

function unusualCredits(view: View, day: Day): number | undefined {
  const [credits, month] = [creditsOn(view, day), trailing(view, day, 28)];
  const { upper } = expectationOf(view, day) ?? {};
  if (credits === undefined || month === undefined || upper === undefined) return undefined;
  return credits > upper && credits > month / 28 ? credits : 0;
}
