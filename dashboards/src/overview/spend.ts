import {
  creditsMonthForecast,
  creditsMonthToDate,
  creditsTrailing7d,
  dailyCreditsExpectedUpper,
} from '../../../src/collectors/spend/collector.ts';
import { dailyCredits } from '../../../src/collectors/tokens/collector.ts';
import { NO_BUDGET, ofBudget } from '../credits/budget.ts';
import { daily, promql } from '../expression.ts';
import { dailyTotal, whole, wholeDailyTotal } from '../figures.ts';
import type { Row } from '../layout.ts';
import { links } from '../links.ts';
import { palette } from '../palette.ts';
import { bars } from '../panels/chart.ts';
import { tile } from '../panels/tile.ts';
import { days, now } from '../query.ts';

const meanOfWeek = whole(
  promql`${daily(creditsTrailing7d, { by: [] })} / 7`,
  daily(dailyCredits, { by: [] }),
);

/** Credits and the budget. */
export const spend: Row = {
  title: 'Spend',
  panels: [
    tile({
      title: 'Budget used',
      text: 'Credits of the month to date as a share of the monthly budget, for organizations with a budget. Above 100 % the budget is exceeded.',
      unit: 'percentunit',
      decimals: 0,
      queries: [now(ofBudget(creditsMonthToDate), 'used')],
      steps: { warn: 0.9, alarm: 1 },
      noValue: NO_BUDGET,
      to: links.credits,
      width: 5,
      height: 7,
    }),
    tile({
      title: 'Budget forecast',
      text: 'Forecast credits of the whole month as a share of the monthly budget, for organizations with a budget.',
      unit: 'percentunit',
      decimals: 0,
      queries: [now(ofBudget(creditsMonthForecast), 'forecast')],
      steps: { warn: 1, alarm: 1.1 },
      noValue: NO_BUDGET,
      to: links.credits,
      width: 5,
      height: 7,
    }),
    bars({
      title: 'Credits by day',
      text: 'Standard Credits of each UTC day. The line is the mean of the 7 days that end with it; the dashed line is the upper bound of what is expected for the weekday.',
      unit: 'short',
      queries: [
        days(dailyTotal(dailyCredits), 'credits'),
        days(wholeDailyTotal(dailyCreditsExpectedUpper, dailyCredits), 'unusual above', {
          draw: 'dashes',
          colour: palette.alarm,
        }),
        days(meanOfWeek, 'mean of 7 days', { draw: 'line', colour: palette.second }),
      ],
      to: links.credits,
      width: 14,
      height: 7,
    }),
  ],
};
