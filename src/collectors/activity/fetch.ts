import * as z from 'zod';
import type { FetchedDays, Window } from '../../catalog/collector.ts';
import type { Source } from '../../catalog/source.ts';
import { askAnalytics, byDay, type Dated } from '../analytics.ts';
import { apiContractOf } from '../api-contract.ts';
import { type Count, summedCounts } from '../counts.ts';
import { amount, day, elementAmount, members } from '../fields.ts';
import { type ActivityRow, activityDataset } from './dataset.ts';

/** An element of the ungrouped response. */
export const dayRow = z.compile(
  z
    .object({
      date: day,
      daily_active_users: amount,
      weekly_active_users: amount,
      monthly_active_users: amount,
      daily_active_users_by_client: members(elementAmount),
      sessions: amount,
      messages: amount,
      user_messages: amount,
    })
    .transform(
      (raw): Dated<ActivityRow> => ({
        date: raw.date,
        row: {
          dailyUsers: raw.daily_active_users,
          weeklyUsers: raw.weekly_active_users,
          monthlyUsers: raw.monthly_active_users,
          byClient: raw.daily_active_users_by_client && clientsOf(raw.daily_active_users_by_client),
          sessions: raw.sessions,
          messages: raw.messages,
          userMessages: raw.user_messages,
        },
      }),
    ),
);

export const activityContract = apiContractOf({
  schema: dayRow,
  values: { daily_active_users_by_client: ['terminal-ui', 'web', 'non-interactive-cli'] },
  beyondDay: ['weekly_active_users', 'monthly_active_users'],
});

function clientsOf(pairs: readonly (readonly [string, number | null | undefined])[]): readonly Count[] {
  const clients: Count[] = [];
  for (const [name, count] of pairs) {
    if (count !== undefined) clients.push({ name, count });
  }
  return summedCounts(clients);
}

/** Fetches the activity of a window. */
export async function fetchActivity(source: Source, window: Window): Promise<FetchedDays<ActivityRow>> {
  const answer = await askAnalytics(source, { dataset: 'activity', window }, dayRow);
  return byDay(answer, activityDataset.parts);
}
