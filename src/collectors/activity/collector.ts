import type { DayCollector } from '../../catalog/collector.ts';
import type { DayDataset } from '../../catalog/dataset.ts';
import { addDays, type Day } from '../../catalog/day.ts';
import { dayFamily } from '../../catalog/family.ts';
import type { View } from '../../catalog/view.ts';
import { preciseSum } from '../counts.ts';
import { outputOf, productivityDataset } from '../productivity/dataset.ts';
import { figure, parts } from '../samples.ts';
import { differenceOfBoth, quotientOf } from '../statistics.ts';
import { tableOf } from '../table.ts';
import { toolsDataset } from '../tools/dataset.ts';
import { weeklySum } from '../weeks.ts';
import { type ActivityRow, activityDataset } from './dataset.ts';

const activity = tableOf(activityDataset);

const DAYS = 'stored days of activity: dailyUsers';

/** The families about activity. */
export const activityFamilies = {
  dailyActiveUsers: activity.figure('dailyUsers', {
    name: 'agent_platform_daily_active_users',
    help: 'People active on the newest complete UTC day.',
    unit: 'people',
    aggregation: 'distinct',
  }),

  weeklyActiveUsers: activity.figure('weeklyUsers', {
    name: 'agent_platform_weekly_active_users',
    help: 'People active in the 7 days ending with the newest complete UTC day.',
    unit: 'people',
    aggregation: 'distinct',
  }),

  monthlyActiveUsers: activity.figure('monthlyUsers', {
    name: 'agent_platform_monthly_active_users',
    help: 'People active in the 30 days, or the 28 on GitHub Copilot, ending with the newest complete UTC day.',
    unit: 'people',
    aggregation: 'distinct',
  }),

  dailyActiveUsersByClient: activity.counts('byClient', 'client', {
    name: 'agent_platform_daily_active_users_by_client',
    help: 'People active on the newest complete UTC day, by client. Do not sum: users of several clients count in each.',
    unit: 'people',
    aggregation: 'distinct',
  }),

  dailySessions: activity.figure('sessions', {
    name: 'agent_platform_daily_sessions',
    help: 'Sessions started on the newest complete UTC day.',
    unit: 'sessions',
  }),

  dailyMessages: activity.parts('role', byRole, {
    name: 'agent_platform_daily_messages',
    help: 'Messages of the newest complete UTC day, by role of the author.',
    unit: 'messages',
    members: 'userMessages, messages',
  }),

  dailyActiveUsersMean7d: dayFamily({
    name: 'agent_platform_daily_active_users_mean_7d',
    help: 'Mean number of people active per day in the 7 days ending with the newest complete UTC day.',
    unit: 'people',
    source: DAYS,
    aggregation: 'ratio',
    samplesOf: (view, day) => figure(weeklyMean(view, day)),
  }),

  dailyActiveUsersMean7dBaseline: dayFamily({
    name: 'agent_platform_daily_active_users_mean_7d_baseline',
    help: 'Mean number of people active per day in the four weeks before those 7 days.',
    unit: 'people',
    source: DAYS,
    aggregation: 'ratio',
    samplesOf: (view, day) => figure(weeklyMeanBaseline(view, day)),
  }),

  dayOff: dayFamily({
    name: 'agent_platform_day_off',
    help: 'Whether the newest complete UTC day is a day off of the organization, as configured: 1 or 0.',
    unit: 'bool',
    source: 'setting orgs[].calendar',
    aggregation: 'ratio',
    samplesOf: ({ settings: { daysOff } }, day) => figure(daysOff && Number(daysOff.has(day))),
  }),

  usagePerActiveUser7d: dayFamily({
    name: 'agent_platform_usage_per_active_user_7d',
    help: 'Sessions, user messages, tool calls, files, commits and pull requests per active person and day in the 7 days ending with the newest complete UTC day. Do not sum over kind.',
    labels: ['kind'],
    fixedLabels: ['kind'],
    unit: 'per person and day',
    source: `${DAYS}, sessions, userMessages; of tools: toolCalls; of productivity: filesCreated, filesEdited, commits, pullRequests`,
    aggregation: 'ratio',
    samplesOf(view, day) {
      const people = weeklySum(view, day, activityDataset, ({ dailyUsers }) => dailyUsers);
      const per = <Row>(dataset: DayDataset<Row>, figureOf: (row: Row) => number | undefined) =>
        quotientOf(weeklySum(view, day, dataset, figureOf), people);
      return parts('kind', {
        sessions: per(activityDataset, ({ sessions }) => sessions),
        user_messages: per(activityDataset, ({ userMessages }) => userMessages),
        tool_calls: per(toolsDataset, ({ toolCalls }) => toolCalls),
        ...outputOf((figureOf) => per(productivityDataset, figureOf)),
      });
    },
  }),
};

/** The organization's active people, sessions and messages. */
export const activityCollector: DayCollector<ActivityRow> = {
  name: 'activity',
  schedule: 'analytics',
  enabledByDefault: true,
  dataset: activityDataset,
  description: 'Active people, sessions and messages.',
  families: Object.values(activityFamilies),
};

/** The platform has no count of agent messages: it is the difference. */
function byRole({ messages, userMessages }: ActivityRow) {
  return { user: userMessages, assistant: differenceOfBoth(messages, userMessages) };
}

/** The number of weeks of the baseline, and how many of them must be known completely. */
const BASELINE_WEEKS = 4;
const MIN_BASELINE_WEEKS = 2;

/** Mean number of people active per day in the week that ends with a day; undefined if one of its days is unknown. */
function weeklyMean(view: View, day: Day): number | undefined {
  return view.ofDay(meanOfWeek, day);
}

function meanOfWeek(view: View, day: Day): number | undefined {
  const people = weeklySum(view, day, activityDataset, ({ dailyUsers }) => dailyUsers);
  return people === undefined ? undefined : people / 7;
}

/** The mean of the weekly means of the four weeks before; undefined where fewer than two of them are known. */
function weeklyMeanBaseline(view: View, day: Day): number | undefined {
  const means: number[] = [];
  for (let week = 1; week <= BASELINE_WEEKS; week++) {
    const mean = weeklyMean(view, addDays(day, -7 * week));
    if (mean !== undefined) means.push(mean);
  }
  return means.length < MIN_BASELINE_WEEKS ? undefined : preciseSum(means) / means.length;
}
