import {
  dailyActiveUsers,
  dailySessions,
  monthlyActiveUsers,
  weeklyActiveUsers,
} from '../../../src/collectors/activity/collector.ts';
import type { Row } from '../dashboard.ts';
import { CHANGE, dailyTotal, NEWEST, total, weekOnWeek, wholeTotal } from '../figures.ts';
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
      title: 'Active people',
      text: 'People active on the newest complete day, and the change from the same weekday a week before. A person active in two organizations counts in each.',
      unit: 'short',
      queries: [
        now(total(dailyActiveUsers), NEWEST),
        now(weekOnWeek(dailyActiveUsers), CHANGE, {
          unit: 'percentunit',
          decimals: 0,
          colour: palette.quiet,
        }),
      ],
      to: links.adoption,
      width: 5,
      height: 5,
    }),
    tile({
      title: '7-day active',
      text: 'People active in the 7 days that end with the newest complete day. The platform does not report it for a day without activity.',
      unit: 'short',
      queries: [now(wholeTotal(weeklyActiveUsers, dailyActiveUsers), 'people')],
      noValue: 'Not reported',
      to: links.adoption,
      width: 4,
      height: 5,
    }),
    tile({
      title: '30-day active',
      text: 'People active in the 30 days that end with the newest complete day. The platform does not report it for a day without activity.',
      unit: 'short',
      queries: [now(wholeTotal(monthlyActiveUsers, dailyActiveUsers), 'people')],
      noValue: 'Not reported',
      to: links.adoption,
      width: 4,
      height: 5,
    }),
    bars({
      title: 'Active people and sessions by day',
      text: 'People active on each UTC day, and the sessions they started.',
      unit: 'short',
      queries: [
        days(dailyTotal(dailyActiveUsers), 'people'),
        days(dailyTotal(dailySessions), 'sessions', { draw: 'line', axis: 'sessions' }),
      ],
      to: links.adoption,
      width: 11,
      height: 5,
    }),
  ],
};
