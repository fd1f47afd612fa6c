import { dailyActiveUsers, dailyActiveUsersMean7d } from '../../../src/collectors/activity/collector.ts';
import {
  costMonthToDate,
  creditPrice,
  creditsMonthToDate,
  creditsTrailing7d,
  dailyCost,
} from '../../../src/collectors/spend/collector.ts';
import { dailyCredits } from '../../../src/collectors/tokens/collector.ts';
import { BUDGET_LASTS, budgetDaysLeft, NO_BUDGET } from '../credits/budget.ts';
import { type Expression, newest, promql } from '../expression.ts';
import { weekOnWeek, wholeTotal } from '../figures.ts';
import type { Row } from '../layout.ts';
import { links } from '../links.ts';
import { palette } from '../palette.ts';
import { tile } from '../panels/tile.ts';
import { now } from '../query.ts';
import { aMonthBefore, changeQuery, INCOMPLETE, onNewestDay, weekOf } from '../week.ts';
import { freshness } from './freshness.ts';

const { main, second } = palette;

/** The sum of a cost by currency, or absent if an organization with a price in that currency lacks it. */
function wholeCost(cost: Expression): Expression {
  const priced = promql`count by (currency) (${newest(creditPrice)})`;
  return promql`sum by (currency) (${cost}) and on (currency) (count by (currency) (${cost}) == ${priced})`;
}

const [thisMonth, lastMonth] = [onNewestDay(creditsMonthToDate), aMonthBefore(creditsMonthToDate)];

/** What an executive asks first: what was spent, whether the budget lasts, who uses it, and of when the figures are. */
export const answers: Row = {
  title: 'The last seven days',
  panels: [
    freshness,
    tile({
      title: 'Spend in 7 days',
      text: 'Cost, where a price is configured, and Standard Credits of the 7 days that end with the newest complete day, and the change of the credits from the 7 days before. Blank if one of the days is missing: it is never a partial sum.',
      unit: 'short',
      queries: [
        now(wholeCost(weekOf(dailyCost, { by: ['currency'] })), '{{currency}}', {
          colour: main,
          unit: 'locale',
          decimals: 0,
        }),
        now(wholeTotal(creditsTrailing7d, dailyCredits), 'credits', { colour: second }),
        changeQuery(weekOnWeek(creditsTrailing7d), 'change of credits'),
      ],
      noValue: INCOMPLETE,
      to: links.credits,
      width: 8,
      height: 5,
    }),
    tile({
      title: 'This month',
      text: 'Cost, where a price is configured, and Standard Credits from the first of the newest complete day’s month (UTC) to that day, and the change of the credits from the same day of the month before.',
      unit: 'short',
      queries: [
        now(wholeCost(newest(costMonthToDate)), '{{currency}}', {
          colour: main,
          unit: 'locale',
          decimals: 0,
        }),
        now(wholeTotal(creditsMonthToDate, dailyCredits), 'credits', { colour: second }),
        changeQuery(
          promql`sum(${thisMonth} and on (org) ${lastMonth}) / (sum(${lastMonth} and on (org) ${thisMonth}) > 0) - 1`,
          'change from last month',
        ),
      ],
      noValue: INCOMPLETE,
      to: links.credits,
      width: 8,
      height: 5,
    }),
    tile({
      title: 'Budget lasts',
      text: 'Days after the newest complete day until the budget of the month is spent, if the rest of the month is as forecast; of the organization where it happens first. It lasts if the forecast is within the budget.',
      unit: 'suffix: days',
      decimals: 0,
      queries: [now(budgetDaysLeft(), 'left')],
      texts: [
        { value: 0, text: 'Spent' },
        { from: BUDGET_LASTS, text: 'It lasts' },
      ],
      steps: { warn: 31, alarm: 7 },
      noValue: NO_BUDGET,
      to: links.credits,
      width: 4,
      height: 5,
    }),
    tile({
      title: 'People per day',
      text: 'Mean of the daily active people over the 7 days that end with the newest complete day, and its change from the 7 days before. A person active in two organizations counts in each.',
      unit: 'short',
      decimals: 0,
      queries: [
        now(wholeTotal(dailyActiveUsersMean7d, dailyActiveUsers), 'people'),
        changeQuery(weekOnWeek(dailyActiveUsersMean7d), 'change'),
      ],
      noValue: INCOMPLETE,
      to: links.adoption,
      width: 4,
      height: 5,
    }),
  ],
};
