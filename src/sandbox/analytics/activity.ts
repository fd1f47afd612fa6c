import { type Day, formatDay } from '../calendar.ts';
import type { Row } from '../types.ts';
import type { Org } from '../world/org.ts';

/** A day record of `/activity`. */
export function activityRow(org: Org, day: Day): Row {
  const { active, sum } = org.totals(day);
  return {
    date: formatDay(day),
    daily_active_users: active,
    weekly_active_users: org.activeWithin(day, 7),
    monthly_active_users: org.activeWithin(day, 30),
    daily_active_users_by_client: Object.fromEntries(usersByClient(org, day)),
    sessions: sum.sessions,
    messages: sum.userMessages + sum.assistantMessages,
    user_messages: sum.userMessages,
  };
}

/** Rows of `/activity` with `group_by=client`. */
export function activityByClient(org: Org, day: Day): Row[] {
  return usersByClient(org, day).map(([client, users]) => ({
    date: formatDay(day),
    group_key: client,
    daily_active_users: users,
  }));
}

/** Users by client; clients without users that day are not listed. */
function usersByClient(org: Org, day: Day): [client: string, users: number][] {
  const { users } = org.totals(day);
  const all: [string, number][] = [
    ['terminal-ui', users.terminal],
    ['web', users.web],
    ['non-interactive-cli', users.headless],
  ];
  return all.filter(([, count]) => count > 0);
}
