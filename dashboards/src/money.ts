import { activityFamilies as activity } from '../../src/collectors/activity/collector.ts';
import { spendFamilies as spend } from '../../src/collectors/spend/collector.ts';
import * as compared from '../../src/collectors/spend/comparisons.ts';
import { tokenFamilies as tokens } from '../../src/collectors/tokens/collector.ts';
import { newest, promql } from './expression.ts';
import { changeQueries, wholeTotal } from './figures.ts';
import { eachByDay } from './largest.ts';
import { links } from './links.ts';
import { palette } from './palette.ts';
import { lines } from './panels/chart.ts';
import type { PanelSpec, Placed } from './panels/panel.ts';
import { tile } from './panels/tile.ts';
import { now } from './query.ts';

export const MONEY = { unit: 'locale', decimals: 0 } as const;
/** How a table shows an amount of money. */
export const AMOUNT = { unit: 'none', decimals: 2 } as const;
/** The shares of a budget from which on its colours change. */
export const OF_BUDGET = { warn: 0.8, alarm: 1 } as const;

/** The month and the last days in credits, with their changes. */
export function creditsTile(): Placed {
  const { present, before } = compared.creditWeeks;
  return tile({
    title: 'Credits',
    text: 'Standard Credits from the first of the newest complete day’s billing month (UTC) to that day, the change from the same day of the month before, and the forecast: to date plus, for each remaining day, the mean of the last four days of its weekday; the 7 days that end with the newest complete day, the change from the 7 days before, and 28 days; and the days that a budget lasts at the pace of the forecast, of the organization where it is spent first. Blank if a day is missing: it is never a partial sum.',
    queries: [
      now(wholeTotal(spend.creditsMonthToDate, tokens.dailyCredits), 'this month'),
      ...changeQueries(spend.creditsMonthToDate, compared.creditsMonthToDateBaseline, 'last month'),
      now(wholeTotal(spend.creditsMonthForecast, tokens.dailyCredits), 'forecast'),
      now(wholeTotal(present, tokens.dailyCredits), 'in 7 days'),
      ...changeQueries(present, before, 'the 7 days before'),
      now(wholeTotal(spend.creditsTrailing28d, tokens.dailyCredits), 'in 28 days', { colour: palette.quiet }),
      now(promql`min(${newest(compared.creditsMonthBudgetLasts)})`, 'budget lasts', {
        unit: 'suffix: days',
        decimals: 0,
      }),
    ],
    width: 24,
  });
}

/** The cost of each day, by currency. */
export function costByDay(place: Pick<PanelSpec, 'to'> & { readonly height?: number }): Placed {
  return lines({
    title: 'Cost by day',
    text: 'Cost of each UTC day, as the platform reports it or at the price of that day, and its sum over the range, by currency. Currencies are never summed.',
    unit: 'locale',
    queries: eachByDay(spend.dailyCost, {}, { orgs: 'summed' }),
    calcs: ['sum'],
    noValue: 'No price known',
    width: 12,
    ...place,
  });
}

/** The active people of a day, a week and a month. */
export function peopleTile(): Placed {
  const { dailyActiveUsers: reference, dailyActiveUsersMean7d: mean } = activity;
  return tile({
    title: 'Active people',
    text: 'Mean of the daily active people over the 7 days that end with the newest complete day, and its change from the mean of the four weeks before; people active in those 7 days and in 30 days, which the platform does not report for a day without activity. A person active in two organizations counts in each.',
    queries: [
      now(wholeTotal(mean, reference), 'per day', { decimals: 0 }),
      ...changeQueries(mean, activity.dailyActiveUsersMean7dBaseline, 'four weeks'),
      now(wholeTotal(activity.weeklyActiveUsers, reference), 'in 7 days'),
      now(wholeTotal(activity.monthlyActiveUsers, reference), 'in 30 days', { colour: palette.quiet }),
    ],
    to: links.adoption,
    width: 12,
  });
}
