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
  definition: `What \`agent_platform_credits_month_to_date\` was on the same day of the month before, or on its last day if that month is
shorter. Absent if one of its days is unknown or its row lacks the credits.

Example: on 31 March it is the sum of the days from 1 to 28 February, of a year without 29 February.`,
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
  definition: `The budget less the month to date, divided by the mean credits that the forecast expects for each remaining day of the
month; on the last day of a month, by the mean of its days. It is 0 if the budget is spent, and more than the remaining days if the budget
lasts. A budget in money counts as the credits that it pays for, if all days of the month have one price. Absent without a budget or a
forecast, and if no credits are expected.

Example: of a budget of 3 000 000 credits, 2 000 000 are spent on 20 March, and the forecast is 3 100 000: 100 000 for each of 11 days, so
that the rest lasts 10 days.`,
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
  definition: `The credits of the data day if they are above \`agent_platform_daily_credits_expected_upper\` and above a 28th of
\`agent_platform_credits_trailing_28d\`; otherwise 0. Absent if one of these figures is.

Example: 30 000 000 credits, an upper bound of 21 000 000 and 280 000 000 credits in 28 days: 30 000 000. With 20 000 000 credits it is 0.`,
});

function unusualCredits(view: View, day: Day): number | undefined {
  const [credits, month] = [creditsOn(view, day), trailing(view, day, 28)];
  const { upper } = expectationOf(view, day) ?? {};
  if (credits === undefined || month === undefined || upper === undefined) return undefined;
  return credits > upper && credits > month / 28 ? credits : 0;
}
