import {
  dailyActiveUsers,
  dailyActiveUsersByClient,
  dailyActiveUsersMean7d,
  dailyActiveUsersMean7dBaseline,
  dailyMessages,
  dailySessions,
  monthlyActiveUsers,
  weeklyActiveUsers,
} from '../../src/collectors/activity/collector.ts';
import { seats } from '../../src/collectors/spend/collector.ts';
import { dailyMcpUsers, dailyWebUsers } from '../../src/collectors/tools/collector.ts';
import { dayEvents } from './annotations.ts';
import type { DashboardSpec } from './dashboard.ts';
import { daily, newest, promql, quotient } from './expression.ts';
import { dailyTotal, meanOfWeek, perActiveUser, weekOnWeek, wholeDailyTotal, wholeTotal } from './figures.ts';
import type { Row } from './layout.ts';
import { links } from './links.ts';
import { coloursOf, palette } from './palette.ts';
import { bars, lines } from './panels/chart.ts';
import { tile } from './panels/tile.ts';
import { days, now } from './query.ts';
import { changeQuery } from './week.ts';

const TWICE = 'A person active in two organizations counts in each.';
const NOT_TOLD = 'Not known';
const QUIET_DAY = 'The platform does not report it for a day without activity.';
const present = newest(monthlyActiveUsers);

const people: Row = {
  title: 'Who uses the agent',
  panels: [
    tile({
      title: 'People per day',
      text: `Mean of the daily active people over the 7 days that end with the newest complete day, and its change from the 7 days before. ${TWICE}`,
      unit: 'short',
      queries: [
        now(wholeTotal(dailyActiveUsersMean7d, dailyActiveUsers), 'people', { decimals: 0 }),
        changeQuery(weekOnWeek(dailyActiveUsersMean7d), 'change'),
      ],
      width: 6,
    }),
    tile({
      title: '7-day active',
      text: `People active in the 7 days that end with the newest complete day. ${QUIET_DAY} ${TWICE}`,
      unit: 'short',
      queries: [now(wholeTotal(weeklyActiveUsers, dailyActiveUsers), 'people')],
      noValue: NOT_TOLD,
      width: 4,
    }),
    tile({
      title: '30-day active',
      text: `People active in the 30 days that end with the newest complete day. ${QUIET_DAY} ${TWICE}`,
      unit: 'short',
      queries: [now(wholeTotal(monthlyActiveUsers, dailyActiveUsers), 'people')],
      noValue: NOT_TOLD,
      width: 4,
    }),
    tile({
      title: 'Stickiness',
      text: 'Mean of the daily active people over the 7 days that end with the newest complete day, as a share of the people active in the 30 days that end with it: how regularly the agent is used. The platform does not report the latter for a day without activity.',
      unit: 'percentunit',
      decimals: 0,
      queries: [
        now(
          quotient(
            wholeTotal(dailyActiveUsersMean7d, dailyActiveUsers),
            wholeTotal(monthlyActiveUsers, dailyActiveUsers),
          ),
          'stickiness',
        ),
      ],
      noValue: NOT_TOLD,
      width: 5,
    }),
    tile({
      title: 'Seats used',
      text: 'People active in 30 days per paid seat, for organizations with configured seats. Below 50 %, most seats are unused; above 100 %, more people use the agent than have a seat.',
      unit: 'percentunit',
      decimals: 0,
      queries: [
        now(
          promql`sum(${present} and on (org) ${newest(seats)}) / sum(${newest(seats)} and on (org) ${present})`,
          'used',
        ),
      ],
      steps: { warn: 0.5, alarm: 0.25 },
      noValue: 'None known',
      width: 5,
    }),
    lines({
      title: 'Daily, weekly and monthly active people',
      text: `People active on each UTC day, in the 7 days and in the 30 days that end with it. The platform reports the latter two only for days with activity; if an organization lacks them, the point is missing. ${TWICE}`,
      unit: 'short',
      span: true,
      queries: [
        days(wholeDailyTotal(monthlyActiveUsers, dailyActiveUsers), '30 days'),
        days(wholeDailyTotal(weeklyActiveUsers, dailyActiveUsers), '7 days'),
        days(dailyTotal(dailyActiveUsers), 'the day', { draw: 'bars' }),
      ],
      width: 14,
    }),
    lines({
      title: 'Stickiness by day',
      text: 'Mean of the daily active people over the 7 days that end with each UTC day, per person active in the 30 days that end with it.',
      unit: 'percentunit',
      queries: [
        days(
          quotient(
            wholeDailyTotal(dailyActiveUsersMean7d, dailyActiveUsers),
            wholeDailyTotal(monthlyActiveUsers, dailyActiveUsers),
          ),
          'stickiness',
        ),
      ],
      width: 10,
    }),
    lines({
      title: 'Average active people per day',
      text: 'Mean of the daily active people over the 7 days that end with each UTC day, without the sawtooth of weekends, and over the four weeks before them. If an organization lacks one of these days, the point is missing.',
      unit: 'short',
      decimals: 1,
      queries: [
        days(wholeDailyTotal(dailyActiveUsersMean7d, dailyActiveUsers), '7 days'),
        days(wholeDailyTotal(dailyActiveUsersMean7dBaseline, dailyActiveUsers), '4 weeks before', {
          colour: palette.quiet,
        }),
      ],
      width: 24,
    }),
  ],
};

const clients: Row = {
  title: 'Clients',
  panels: [
    lines({
      title: 'Active people by client',
      text: 'People active on each UTC day by client. A person who uses several clients counts in each, so the lines are not stacked.',
      unit: 'short',
      queries: [
        days(
          daily(dailyActiveUsersByClient, { orgs: 'summed' }),
          '{{client}}',
          coloursOf(['terminal-ui', 'web', 'non-interactive-cli']),
        ),
      ],
      width: 14,
    }),
    lines({
      title: 'Web and MCP',
      text: 'People who used the web or workspace interface, and people who used an MCP server, on a day: the mean of the 7 days that end with each UTC day.',
      unit: 'short',
      decimals: 1,
      queries: [
        days(meanOfWeek(dailyTotal(dailyWebUsers)), 'web'),
        days(meanOfWeek(dailyTotal(dailyMcpUsers)), 'MCP'),
      ],
      width: 10,
    }),
  ],
};

const intensity: Row = {
  title: 'Usage',
  panels: [
    bars({
      title: 'Sessions by day',
      text: 'Sessions started on each UTC day.',
      unit: 'short',
      queries: [days(dailyTotal(dailySessions), 'sessions')],
      width: 8,
    }),
    bars({
      title: 'Messages by day',
      text: 'Messages of each UTC day, by author.',
      unit: 'short',
      stack: 'values',
      queries: [days(daily(dailyMessages, { orgs: 'summed' }), '{{role}}', coloursOf(['assistant', 'user']))],
      width: 8,
    }),
    lines({
      title: 'Per active person',
      text: 'Sessions and user messages per active person and day, over the 7 days that end with each UTC day.',
      unit: 'short',
      decimals: 1,
      queries: [
        days(perActiveUser(dailyTotal(dailySessions)), 'sessions'),
        days(
          perActiveUser(daily(dailyMessages, { by: [], orgs: 'summed', only: { role: 'user' } })),
          'user messages',
        ),
      ],
      width: 8,
    }),
  ],
};

/** Who uses the agent, through which client and how much. */
export const adoption: DashboardSpec = {
  ...links.adoption,
  description: 'Who uses the agent, how regularly, through which client and how much.',
  rows: [people, clients, intensity],
  from: 'now-90d',
  refresh: '5m',
  events: dayEvents,
};
