import type { DayDataset, Reduced } from '../../catalog/dataset.ts';
import type { Count } from '../counts.ts';

/** What is kept of a day's activity. */
export interface ActivityRow extends Reduced {
  readonly dailyUsers?: number | undefined;
  readonly weeklyUsers?: number | undefined;
  readonly monthlyUsers?: number | undefined;
  /** People by client; somebody on several clients is in each. */
  readonly byClient?: readonly Count[] | undefined;
  readonly sessions?: number | undefined;
  /** Of people and of the agent. */
  readonly messages?: number | undefined;
  readonly userMessages?: number | undefined;
}

/** A day without activity still has people who were active in the week or month that it ends: those are not 0. */
export const activityDataset: DayDataset<ActivityRow> = {
  kind: 'days',
  name: 'activity',
  idle: { dailyUsers: 0, sessions: 0, messages: 0, userMessages: 0 },
  total: ({ sessions }) => sessions,
  parts: {
    people: {
      fields: ['daily_active_users', 'daily_active_users_by_client'],
      members: ['dailyUsers', 'byClient'],
    },
    week: { fields: ['weekly_active_users'], members: ['weeklyUsers'] },
    month: { fields: ['monthly_active_users'], members: ['monthlyUsers'] },
    sessions: { fields: ['sessions'], members: ['sessions'] },
    messages: { fields: ['messages', 'user_messages'], members: ['messages', 'userMessages'] },
  },
};
