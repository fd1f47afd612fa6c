import { activityFamilies as activity } from '../../src/collectors/activity/collector.ts';
import { spendFamilies as spend } from '../../src/collectors/spend/collector.ts';
import * as compared from '../../src/collectors/spend/comparisons.ts';
import { tokenFamilies as tokens } from '../../src/collectors/tokens/collector.ts';
import { type Described, newest, ofPlatform, promql } from './expression.ts';
import { changeQueries, quotientOf, wholeTotal } from './figures.ts';
import { links } from './links.ts';
import { palette } from './palette.ts';
import type { Placed } from './panels/panel.ts';
import { tile } from './panels/tile.ts';
import { now, type Query } from './query.ts';

/** If no exporter answers, the budgets are unknown too. */
const NO_BUDGET = 'None known';

export const MONEY = { unit: 'locale', decimals: 0 } as const;
/** How a table shows an amount of money. */
export const AMOUNT = { unit: 'none', decimals: 2 } as const;
const OF_SOME =
  'A currency is that of the same organizations as the credits, or says that it is of some of them.';
/** Added to the name of an amount of money that only some of the organizations have. */
const OF_SOME_NAME = ', some organizations';
/** The shares of a budget from which on its colours change. */
export const OF_BUDGET = { warn: 0.8, alarm: 1 } as const;

/** The sum of a cost by currency, of all organizations that have the credits; if only some have it, it says so. */
function costQueries(cost: Described<'currency'>, credits: Described, name = ''): readonly Query[] {
  const each = newest(cost, { by: ['currency'] });
  const all = promql`scalar(count(${newest(credits, { by: [] })} or on (org) ${newest(cost)}))`;
  const sum = promql`sum by (currency) (${each})`;
  const are = (compared: '==' | '<') => promql`(count by (currency) (${each}) ${compared} ${all})`;
  return [
    now(promql`${sum} and on (currency) ${are('==')}`, `{{currency}}${name}`, MONEY),
    now(promql`${sum} and on (currency) ${are('<')}`, `{{currency}}${name}${OF_SOME_NAME}`, {
      ...MONEY,
      colour: palette.quiet,
    }),
  ];
}

/** The month to date in money and credits, and its change from the same day of the month before. */
export function monthTile(): Placed {
  return tile({
    title: 'This month',
    text: `Cost, where a price is configured, and Standard Credits from the first of the newest complete day’s month (UTC) to that day, and the change of the credits from the same day of the month before; and the forecast: to date plus, for each remaining day, the mean of the last four days of its weekday. ${OF_SOME}`,
    queries: [
      ...costQueries(spend.costMonthToDate, spend.creditsMonthToDate),
      now(wholeTotal(spend.creditsMonthToDate, tokens.dailyCredits), 'credits'),
      ...changeQueries(spend.creditsMonthToDate, compared.creditsMonthToDateBaseline, 'last month'),
      ...costQueries(spend.costMonthForecast, spend.creditsMonthForecast, ', forecast'),
      now(wholeTotal(spend.creditsMonthForecast, tokens.dailyCredits), 'credits, forecast'),
    ],
    to: links.credits,
    width: 24,
  });
}

/** The budget in money and credits, and how much of it is and will be used. */
export function budgetTile(): Placed {
  const inCredits = newest(spend.creditsMonthBudget);
  const price = newest(spend.creditPrice);
  const inMoney = promql`sum by (currency) (${newest(spend.costMonthBudget)} or ${price} * on (org) group_left () ${inCredits})`;
  const withoutPrice = promql`(${inCredits} unless on (org) ${price})`;
  const look = { unit: 'percentunit', decimals: 0, steps: OF_BUDGET };
  return tile({
    title: 'Budget of the month',
    text: `The budget of the organizations that have one, in money, or in Standard Credits and at the price of the newest day; the month to date and the forecast as shares of it; and the days that a budget in credits lasts at the pace of the forecast, of the organization where it is spent first. A number beyond the rest of the month means that the budget lasts. If an organization with a budget has no price, the amount says that it is of some.`,
    queries: [
      now(promql`${inMoney} unless on () ${withoutPrice}`, '{{currency}}', MONEY),
      now(promql`${inMoney} and on () ${withoutPrice}`, `{{currency}}${OF_SOME_NAME}`, {
        ...MONEY,
        colour: palette.quiet,
      }),
      now(quotientOf(spend.costMonthToDate, spend.costMonthBudget), '{{currency}} used', look),
      now(quotientOf(spend.costMonthForecast, spend.costMonthBudget), '{{currency}} forecast', look),
      now(ofPlatform(promql`sum(${inCredits})`), 'credits'),
      now(quotientOf(spend.creditsMonthToDate, spend.creditsMonthBudget), 'used', look),
      now(quotientOf(spend.creditsMonthForecast, spend.creditsMonthBudget), 'forecast', look),
      now(promql`min(${newest(compared.creditsMonthBudgetLasts)})`, 'lasts', {
        unit: 'suffix: days',
        decimals: 0,
      }),
    ],
    noValue: NO_BUDGET,
    to: links.credits,
    width: 24,
  });
}

/** The last 7 days in money and credits, and their change from the 7 days before. */
export function weekTile(): Placed {
  const { present, before } = compared.creditWeeks;
  return tile({
    title: 'Last 7 days',
    text: `Cost, where a price is configured, and Standard Credits of the 7 days that end with the newest complete day, and the change of the credits from the 7 days before; and the credits of 28 days. Blank if one of the days is missing: it is never a partial sum. ${OF_SOME}`,
    queries: [
      ...costQueries(spend.costWeeks.present, present),
      now(wholeTotal(present, tokens.dailyCredits), 'credits'),
      ...changeQueries(present, before, 'the 7 days before'),
      now(wholeTotal(spend.creditsTrailing28d, tokens.dailyCredits), 'credits of 28 days', {
        colour: palette.quiet,
      }),
    ],
    to: links.credits,
    width: 12,
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
