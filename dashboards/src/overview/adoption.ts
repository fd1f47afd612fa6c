import {
  dailyActiveUsers,
  dailyActiveUsersMean7d,
  dailySessions,
  monthlyActiveUsers,
  weeklyActiveUsers,
} from '../../../src/collectors/activity/collector.ts';
import { dailyTotal, meanOfWeek, wholeDailyTotal, wholeTotal } from '../figures.ts';
import type { Row } from '../layout.ts';
import { links } from '../links.ts';
import { palette } from '../palette.ts';
import { bars } from '../panels/chart.ts';
import { tile } from '../panels/tile.ts';
import { days, now } from '../query.ts';

/** Use of the agent. */
export const adoption: Row = {
  title: 'Adoption',
  panels: [
    tile({
      title: '7-day active',
      text: 'People active in the 7 days that end with the newest complete day. The platform does not report it for a day without activity.',
      unit: 'short',
      queries: [now(wholeTotal(weeklyActiveUsers, dailyActiveUsers), 'people')],
      noValue: 'Not known',
      to: links.adoption,
      width: 4,
      height: 7,
    }),
    tile({
      title: '30-day active',
      text: 'People active in the 30 days that end with the newest complete day. The platform does not report it for a day without activity.',
      unit: 'short',
      queries: [now(wholeTotal(monthlyActiveUsers, dailyActiveUsers), 'people')],
      noValue: 'Not known',
      to: links.adoption,
      width: 4,
      height: 7,
    }),
    bars({
      title: 'Active people and sessions by day',
      text: 'People active on each UTC day, and the means of people and of the sessions that they started over the 7 days that end with it.',
      unit: 'short',
      queries: [
        days(dailyTotal(dailyActiveUsers), 'people'),
        days(wholeDailyTotal(dailyActiveUsersMean7d, dailyActiveUsers), 'people, mean of 7 days', {
          draw: 'line',
          colour: palette.second,
        }),
        days(meanOfWeek(dailyTotal(dailySessions)), 'sessions, mean of 7 days', {
          draw: 'dashes',
          axis: 'sessions',
          colour: palette.third,
        }),
      ],
      to: links.adoption,
      width: 16,
      height: 7,
    }),
  ],
};
