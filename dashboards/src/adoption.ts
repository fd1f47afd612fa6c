import { activityFamilies as activity } from '../../src/collectors/activity/collector.ts';
import { spendFamilies as spend } from '../../src/collectors/spend/collector.ts';
import { toolFamilies as tools } from '../../src/collectors/tools/collector.ts';
import type { DashboardSpec } from './dashboard.ts';
import { daily, newest } from './expression.ts';
import { dailyTotal, ofOne, quotientOf } from './figures.ts';
import { eachByDay } from './largest.ts';
import type { Row } from './layout.ts';
import { links } from './links.ts';
import { peopleTile } from './money.ts';
import { coloursOf, palette } from './palette.ts';
import { bars, lines } from './panels/chart.ts';
import type { PanelSpec, Placed } from './panels/panel.ts';
import { tile } from './panels/tile.ts';
import { days, now, weeks } from './query.ts';
import { byKind } from './usage.ts';

/** The active people of each client and day. */
function peopleByClient(place: Pick<PanelSpec, 'to'> & { readonly width?: number } = {}): Placed {
  return lines({
    title: 'Active people by client',
    text: 'People active on each UTC day by client. A person who uses several clients counts in each, so the lines are not stacked.',
    queries: [
      days(
        daily(activity.dailyActiveUsersByClient, { orgs: 'summed' }),
        '{{client}}',
        coloursOf(['terminal-ui', 'web', 'non-interactive-cli']),
      ),
    ],
    ...place,
  });
}

const people: Row = {
  title: 'Who uses the agent',
  panels: [
    peopleTile(),
    tile({
      title: 'Regularity and seats',
      text: 'Stickiness: the mean of the daily active people over the 7 days that end with the newest complete day, as a share of the people active in the 30 days that end with it, which the platform does not report for a day without activity. Seats used: people active in 30 days per paid seat, where seats are configured or reported. Below 50 %, most seats are unused; above 100 %, more people use the agent than have a seat.',
      unit: 'percentunit',
      decimals: 0,
      queries: [
        now(quotientOf(activity.dailyActiveUsersMean7d, activity.monthlyActiveUsers), 'stickiness'),
        now(quotientOf(activity.monthlyActiveUsers, spend.seats), 'seats used', {
          steps: { warn: 0.5, alarm: 0.25 },
        }),
      ],
      width: 12,
    }),
    lines({
      title: 'Daily, weekly and monthly active people',
      text: `People active on each UTC day, if the selected organizations are of one platform. People of each organization active in the 30 days that end with it; with one organization selected, also in the 7 days. The platform reports the latter two only for days with activity. A person active in two organizations counts in each.`,
      span: true,
      queries: [
        ...eachByDay(activity.monthlyActiveUsers, {}, { named: ', 30 days' }),
        days(ofOne(daily(activity.weeklyActiveUsers), newest(activity.dailyActiveUsers)), '7 days'),
        days(dailyTotal(activity.dailyActiveUsers), 'the day', { draw: 'bars' }),
      ],
    }),
    lines({
      title: 'Average active people per day',
      text: 'Mean of the daily active people of each organization over the 7 days that end with each UTC day, without the sawtooth of weekends; with one organization selected, also over the four weeks before them.',
      decimals: 1,
      queries: [
        ...eachByDay(activity.dailyActiveUsersMean7d),
        days(
          ofOne(daily(activity.dailyActiveUsersMean7dBaseline), newest(activity.dailyActiveUsersMean7d)),
          'four weeks before',
          { colour: palette.last, draw: 'dashes' },
        ),
      ],
    }),
  ],
};

const weekly = { by: [], orgs: 'summed', over: 'weeklyMean' } as const;

const clients: Row = {
  title: 'Clients',
  panels: [
    peopleByClient({ width: 14 }),
    bars({
      title: 'Web and MCP',
      text: 'People who used the web or workspace interface, and people who used an MCP server, on a day: the mean of the days of each week up to a Wednesday.',
      decimals: 1,
      queries: [
        weeks(daily(tools.dailyWebUsers, weekly), 'web'),
        weeks(daily(tools.dailyMcpUsers, weekly), 'MCP', { draw: 'line' }),
      ],
      width: 10,
    }),
  ],
};

const intensity: Row = {
  title: 'Sessions and messages',
  panels: [
    bars({
      title: 'Sessions by day',
      text: 'Sessions started on each UTC day.',
      queries: [days(dailyTotal(activity.dailySessions), 'sessions')],
      width: 8,
    }),
    bars({
      title: 'Messages by day',
      text: 'Messages of each UTC day, by author.',
      stack: 'values',
      queries: [
        days(daily(activity.dailyMessages, { orgs: 'summed' }), '{{role}}', coloursOf(['assistant', 'user'])),
      ],
      width: 8,
    }),
    lines({
      title: 'Sessions per active person',
      text: 'Sessions per active person and day over the 7 days that end with each UTC day, and user messages; the mean of the organizations.',
      decimals: 1,
      queries: byKind(activity.usagePerActiveUser7d, 'kind', ['sessions', 'user_messages']),
      width: 8,
    }),
  ],
};

/** Who uses the agent, through which client and how much. */
export const adoption: DashboardSpec = {
  ...links.adoption,
  description: 'Who uses the agent, how regularly, through which client and how much.',
  rows: [people, clients, intensity],
};
