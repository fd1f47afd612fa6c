import type { DayCollector } from '../../catalog/collector.ts';
import { dayFamily, type Sample } from '../../catalog/family.ts';
import { counts, figure, parts } from '../samples.ts';
import { type ActivityRow, activityDataset } from './dataset.ts';

const ENDPOINT = '/api/v1/analytics/activity';

export const dailyActiveUsers = dayFamily({
  name: 'agent_platform_daily_active_users',
  help: 'People active on the newest complete UTC day.',
  labels: [],
  unit: 'people',
  source: `${ENDPOINT}: data[].daily_active_users`,
  aggregation: 'distinct',
  samplesOf: (view, day) => figure(view.row(activityDataset, day)?.dailyUsers),
});

export const weeklyActiveUsers = dayFamily({
  name: 'agent_platform_weekly_active_users',
  help: 'People active in the 7 days that end with the newest complete UTC day.',
  labels: [],
  unit: 'people',
  source: `${ENDPOINT}: data[].weekly_active_users`,
  aggregation: 'distinct',
  samplesOf: (view, day) => figure(view.row(activityDataset, day)?.weeklyUsers),
});

export const monthlyActiveUsers = dayFamily({
  name: 'agent_platform_monthly_active_users',
  help: 'People active in the 30 days that end with the newest complete UTC day.',
  labels: [],
  unit: 'people',
  source: `${ENDPOINT}: data[].monthly_active_users`,
  aggregation: 'distinct',
  samplesOf: (view, day) => figure(view.row(activityDataset, day)?.monthlyUsers),
});

export const dailyActiveUsersByClient = dayFamily({
  name: 'agent_platform_daily_active_users_by_client',
  help: 'People active on the newest complete UTC day, by client. The sum over clients is no total: somebody on several clients is counted in each.',
  labels: ['client'],
  unit: 'people',
  source: `${ENDPOINT}: data[].daily_active_users_by_client`,
  aggregation: 'distinct',
  breakdown: true,
  samplesOf: (view, day) => counts('client', view.row(activityDataset, day)?.byClient),
});

export const dailySessions = dayFamily({
  name: 'agent_platform_daily_sessions',
  help: 'Sessions started on the newest complete UTC day.',
  labels: [],
  unit: 'sessions',
  source: `${ENDPOINT}: data[].sessions`,
  aggregation: 'additive',
  samplesOf: (view, day) => figure(view.row(activityDataset, day)?.sessions),
});

export const dailyMessages = dayFamily({
  name: 'agent_platform_daily_messages',
  help: 'Messages of the newest complete UTC day, by who wrote them.',
  labels: ['role'],
  unit: 'messages',
  source: `${ENDPOINT}: data[].user_messages, and messages less user_messages`,
  aggregation: 'additive',
  samplesOf: (view, day) => byRole(view.row(activityDataset, day)),
});

/** The organization's active people, sessions and messages. */
export const activityCollector: DayCollector<ActivityRow> = {
  name: 'activity',
  description: 'Active people, sessions and messages.',
  schedule: 'analytics',
  enabledByDefault: true,
  dataset: activityDataset,
  families: [
    dailyActiveUsers,
    weeklyActiveUsers,
    monthlyActiveUsers,
    dailyActiveUsersByClient,
    dailySessions,
    dailyMessages,
  ],
  // Loaded when it is first needed: what reads answers need not delay the first scrape.
  fetch: async (source, window) => (await import('./fetch.ts')).fetchActivity(source, window),
};

/** What the agent wrote is only known by difference; more user messages than messages is no difference. */
function byRole(row: ActivityRow | undefined): readonly Sample<'role'>[] | undefined {
  const { messages, userMessages } = row ?? {};
  const others = messages === undefined || userMessages === undefined ? -1 : messages - userMessages;
  return parts('role', { user: userMessages, assistant: others < 0 ? undefined : others });
}
