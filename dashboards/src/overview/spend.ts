import {
  creditsMonthForecast,
  creditsMonthToDate,
  dailyCreditsExpectedUpper,
} from '../../../src/collectors/spend/collector.ts';
import { dailyCredits } from '../../../src/collectors/tokens/collector.ts';
import { ofBudget } from '../credits/budget.ts';
import type { Row } from '../dashboard.ts';
import { CHANGE, dailyTotal, NEWEST, total, weekOnWeek, wholeDailyTotal } from '../figures.ts';
import { links } from '../links.ts';
import { palette } from '../palette.ts';
import { bars } from '../panels/chart.ts';
import { tile } from '../panels/tile.ts';
import { days, now } from '../query.ts';

/** Credits and the budget. */
export const spend: Row = {
  title: 'Spend',
  panels: [
    tile({
      title: 'Credits',
      text: 'Standard Credits of the newest complete day, and the change from the same weekday a week before.',
      unit: 'short',
      queries: [
        now(total(dailyCredits), NEWEST),
        now(weekOnWeek(dailyCredits), CHANGE, { unit: 'percentunit', decimals: 0, colour: palette.quiet }),
      ],
      to: links.credits,
      width: 5,
      height: 5,
    }),
    tile({
      title: 'Budget used',
      text: 'Credits of the month to date as a share of the monthly budget, for organizations with a budget. Above 100 % the budget is exceeded.',
      unit: 'percentunit',
      decimals: 0,
      queries: [now(ofBudget(creditsMonthToDate), 'used')],
      steps: { warn: 0.9, alarm: 1 },
      noValue: 'No budget',
      to: links.credits,
      width: 4,
      height: 5,
    }),
    tile({
      title: 'Budget forecast',
      text: 'Forecast credits of the whole month as a share of the monthly budget, for organizations with a budget.',
      unit: 'percentunit',
      decimals: 0,
      queries: [now(ofBudget(creditsMonthForecast), 'expected')],
      steps: { warn: 1, alarm: 1.1 },
      noValue: 'No budget',
      to: links.credits,
      width: 4,
      height: 5,
    }),
    bars({
      title: 'Credits by day',
      text: 'Standard Credits of each UTC day. The dashed line is the upper bound of what is expected for the weekday.',
      unit: 'short',
      queries: [
        days(dailyTotal(dailyCredits), 'credits'),
        days(wholeDailyTotal(dailyCreditsExpectedUpper, dailyCredits), 'unusual above', {
          draw: 'dashes',
          colour: palette.alarm,
        }),
      ],
      to: links.credits,
      width: 11,
      height: 5,
    }),
  ],
};
