import { dataDayTimestamp } from '../../../src/collectors/org-families.ts';
import {
  creditsMonthBudget,
  creditsMonthForecast,
  creditsMonthToDate,
} from '../../../src/collectors/spend/collector.ts';
import { dailyCredits } from '../../../src/collectors/tokens/collector.ts';
import { atEnd, type Described, daily, type Expression, newest, promql } from '../expression.ts';
import { total, whole } from '../figures.ts';
import type { Row } from '../layout.ts';
import { palette } from '../palette.ts';
import { bars } from '../panels/chart.ts';
import { tile } from '../panels/tile.ts';
import { days, now } from '../query.ts';

/** If no exporter answers, the budgets are unknown too. */
export const NO_BUDGET = 'None known';

/** A figure of the month divided by the budget, over the organizations with a budget. */
export function ofBudget(figure: Described): Expression {
  const budget = newest(creditsMonthBudget);
  return promql`sum(${newest(figure)} and on (org) ${budget}) / sum(${budget} and on (org) ${newest(figure)})`;
}

/** The same for each organization. */
export function ofBudgetByOrg(figure: Described): Expression {
  return promql`${newest(figure)} / ${newest(creditsMonthBudget)}`;
}

const budgetByDay = atEnd(creditsMonthBudget, { by: [] });

function budgeted(figure: Described): Expression {
  const budget = newest(creditsMonthBudget);
  const each = (metric: Described) => promql`(${newest(metric, { by: [] })} and on (org) ${budget})`;
  return whole(each(figure), each(dailyCredits));
}

function budgetedByDay(figure: Described): Expression {
  const each = (metric: Described) => promql`(${daily(metric, { by: [] })} and on (org) ${budgetByDay})`;
  return whole(each(figure), each(dailyCredits));
}

/** The value of `budgetDaysLeft` from which on the budget is not spent within the month. */
export const BUDGET_LASTS = 999;

/**
 * Days until an organization's budget is spent, if the rest of the month is as forecast, of the organization where that
 * is soonest: 0 if it is spent, and `BUDGET_LASTS` if the forecast is within the budget.
 */
export function budgetDaysLeft(): Expression {
  const of = (metric: Described) => newest(metric, { by: [] });
  const [limit, toDate, forecast] = [
    of(creditsMonthBudget),
    of(creditsMonthToDate),
    of(creditsMonthForecast),
  ];
  const day = newest(dataDayTimestamp, { by: [], only: { dataset: 'tokens' } });
  const daysLeft = promql`(days_in_month(${day}) - day_of_month(${day}))`;
  const spent = promql`0 * (${toDate} >= ${limit})`;
  const within = promql`(${limit} - ${toDate}) * ${daysLeft} / (${forecast} - ${toDate}) and ${forecast} > ${limit}`;
  const lasts: Expression = { text: `0 * (${forecast.text} <= ${limit.text}) + ${BUDGET_LASTS}`, about: [] };
  return promql`min(${spent} or (${within}) or (${lasts}))`;
}

/** The month of the organizations that have a budget, and of no other. */
export const budget: Row = {
  title: 'Organizations with a budget',
  panels: [
    {
      width: 6,
      column: [
        tile({
          title: 'Budget',
          text: 'Budget of the month in Standard Credits, and the credits of the month to date of the organizations with a budget.',
          unit: 'short',
          queries: [
            now(total(creditsMonthBudget), 'budget'),
            now(budgeted(creditsMonthToDate), 'to date', { colour: palette.quiet }),
          ],
          noValue: NO_BUDGET,
        }),
        tile({
          title: 'Budget used',
          text: 'Month to date as a share of the budget, for organizations with a budget. Above 100 % the budget is exceeded.',
          unit: 'percentunit',
          decimals: 0,
          queries: [now(ofBudget(creditsMonthToDate), 'used')],
          steps: { warn: 0.9, alarm: 1 },
          noValue: NO_BUDGET,
        }),
        tile({
          title: 'Budget forecast',
          text: 'Forecast credits of the whole month as a share of the budget, for organizations with a budget.',
          unit: 'percentunit',
          decimals: 0,
          queries: [now(ofBudget(creditsMonthForecast), 'forecast')],
          steps: { warn: 1, alarm: 1.1 },
          noValue: NO_BUDGET,
        }),
      ],
    },
    bars({
      title: 'Month to date against the budget',
      text: 'Credits of the month up to each UTC day, of the organizations with a budget; they restart on the first of a month. The dashed line is the budget on that day, the solid line the forecast made on that day.',
      unit: 'short',
      queries: [
        days(budgetedByDay(creditsMonthToDate), 'month to date'),
        days(budgetedByDay(creditsMonthForecast), 'forecast', { draw: 'line', colour: palette.second }),
        days(promql`sum(${budgetByDay})`, 'budget', { draw: 'dashes', colour: palette.alarm }),
      ],
      noValue: NO_BUDGET,
      width: 18,
      height: 12,
    }),
  ],
};
