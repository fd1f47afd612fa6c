import {
  creditsMonthBudget,
  creditsMonthForecast,
  creditsMonthToDate,
  creditsTrailing7d,
  creditsTrailing28d,
} from '../../../src/collectors/spend/collector.ts';
import { dailyCredits } from '../../../src/collectors/tokens/collector.ts';
import { newest } from '../expression.ts';
import { wholeDailyTotal, wholeTotal } from '../figures.ts';
import type { Row } from '../layout.ts';
import { links } from '../links.ts';
import { palette, TEXT, WARNING_TEXT } from '../palette.ts';
import { bars } from '../panels/chart.ts';
import { orgLink } from '../panels/drill.ts';
import type { TableColumn } from '../panels/table.ts';
import { table } from '../panels/table.ts';
import { tile } from '../panels/tile.ts';
import { days, now, rows } from '../query.ts';
import { ofBudgetByOrg } from './budget.ts';

/** A share of the budget, highlighted from two values on. */
export const budgetShare = (
  of: number,
  title: string,
  { warn, alarm }: { readonly warn: number; readonly alarm: number },
): TableColumn => ({
  of,
  title,
  unit: 'percentunit',
  properties: [
    { id: 'decimals', value: 0 },
    { id: 'custom.cellOptions', value: { type: 'color-text' } },
    {
      id: 'thresholds',
      value: {
        mode: 'absolute',
        steps: [
          { value: null, color: TEXT },
          { value: warn, color: WARNING_TEXT },
          { value: alarm, color: palette.alarm },
        ],
      },
    },
  ],
});

/** The month of all selected organizations. */
export const month: Row = {
  title: 'This month',
  panels: [
    tile({
      title: 'Credits this month',
      text: 'Standard Credits from the first of the newest complete day’s month (UTC) to that day. Blank if a day of an organization is missing: it is never a partial sum.',
      unit: 'short',
      noValue: 'Not known',
      queries: [now(wholeTotal(creditsMonthToDate, dailyCredits), 'credits')],
      width: 8,
    }),
    tile({
      title: 'Forecast for the month',
      text: 'Credits to date plus, for each remaining day, the mean of the last four days of its weekday. Needs seven known days.',
      unit: 'short',
      queries: [now(wholeTotal(creditsMonthForecast, dailyCredits), 'credits')],
      noValue: 'Not known',
      width: 8,
    }),
    tile({
      title: 'Last 7 and 28 days',
      text: 'Standard Credits of the 7 and the 28 days that end with the newest complete day.',
      unit: 'short',
      noValue: 'Not known',
      queries: [
        now(wholeTotal(creditsTrailing7d, dailyCredits), '7 days'),
        now(wholeTotal(creditsTrailing28d, dailyCredits), '28 days', { colour: palette.quiet }),
      ],
      width: 8,
    }),
    bars({
      title: 'Month to date by day',
      text: 'Credits of the month up to each UTC day; they restart on the first of a month. The line is the forecast made on that day.',
      unit: 'short',
      queries: [
        days(wholeDailyTotal(creditsMonthToDate, dailyCredits), 'month to date'),
        days(wholeDailyTotal(creditsMonthForecast, dailyCredits), 'forecast', {
          draw: 'line',
          colour: palette.second,
        }),
      ],
      width: 12,
    }),
    table({
      title: 'By organization',
      text: 'The month of each organization: credits to date, forecast for the whole month, the budget, and both as shares of the budget.',
      queries: [
        rows(newest(creditsMonthToDate)),
        rows(newest(creditsMonthForecast)),
        rows(newest(creditsMonthBudget)),
        rows(ofBudgetByOrg(creditsMonthToDate)),
        rows(ofBudgetByOrg(creditsMonthForecast)),
      ],
      columns: [
        { of: 'org', title: 'Organization', to: orgLink(links.credits), width: 125 },
        { of: 0, title: 'To date', total: true },
        { of: 1, title: 'Forecast', total: true },
        { of: 2, title: 'Budget', total: true },
        budgetShare(3, 'Used', { warn: 0.9, alarm: 1 }),
        budgetShare(4, 'Will use', { warn: 1, alarm: 1.1 }),
      ],
      sort: { by: 'To date', desc: true },
      noValue: '–',
      width: 12,
    }),
  ],
};
