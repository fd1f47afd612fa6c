import { type Day, formatDay } from '../calendar.ts';
import { mix } from '../random.ts';
import type { Row } from '../types.ts';
import type { Org } from '../world/org.ts';
import type { Person } from '../world/people.ts';
import { personDay } from '../world/person-day.ts';
import { isPassive, merged, personRow, usesAgents, usesEditor } from './person.ts';

/** Teams with fewer people who have a seat are left out of the report. */
const SMALLEST_TEAM = 5;

/** The row of the whole organization. */
export function organizationRow(org: Org, day: Day, ids: Row): Row {
  const sum = merged([...userRows(org, day, ids, () => true)]);
  const count = (name: string) => sum[`used_${name}`];
  const agents = sum['totals_by_3rd_party_agent'] as Row[] | undefined;
  return {
    day: formatDay(day),
    ...ids,
    daily_active_users: count('chat'),
    weekly_active_users: org.activeWithin(day, 7, usesEditor),
    monthly_active_users: org.activeWithin(day, 28, usesEditor),
    monthly_active_chat_users: org.activeWithin(day, 28, usesEditor),
    monthly_active_agent_users: org.activeWithin(day, 28, usesAgents),
    daily_active_cli_users: count('cli') || undefined,
    daily_active_copilot_app_users: count('copilot_app') || undefined,
    daily_active_copilot_cloud_agent_users: count('copilot_cloud_agent'),
    // Not known yet, which is not 0.
    ...(count('copilot_cloud_agent') !== undefined && { monthly_active_copilot_cloud_agent_users: null }),
    daily_active_copilot_code_review_users: count('copilot_code_review_active'),
    daily_passive_copilot_code_review_users: count('copilot_code_review_passive'),
    ...Object.fromEntries(
      Object.entries(sum).filter(([name]) => !/^(used_|user_(id|login)$|ai_)/.test(name)),
    ),
    totals_by_3rd_party_agent: agents?.map((agent) => ({
      ...agent,
      session_count: Math.ceil(Number(agent['user_initiated_interaction_count']) / 2),
    })),
    pull_requests: pullRequests(org, day),
  };
}

/** The rows of these people. */
export function* userRows(org: Org, day: Day, ids: Row, isAsked: (person: Person) => boolean): Iterable<Row> {
  for (const person of org.people.filter(isAsked)) {
    const done = personDay(person, org.conditions(day));
    if (done !== undefined && done.sessions > 0)
      yield { user_id: userId(person), ...personRow(done, day), day: formatDay(day), ...ids };
  }
}

/** The rows of these people's team memberships. */
export function teamRows(org: Org, day: Day, ids: Row, isAsked: (person: Person) => boolean): Row[] {
  const seated = seatedOn(org, day);
  const members = Map.groupBy(seated.flatMap(teamsOf), (slug) => slug);
  const shown = teams.filter((slug) => (members.get(slug)?.length ?? 0) >= SMALLEST_TEAM);
  return seated.filter(isAsked).flatMap((person) => {
    const common = { user_id: userId(person), user_login: person.login, day: formatDay(day), ...ids };
    const slugs = teamsOf(person).filter((slug) => shown.includes(slug));
    return slugs.map((slug) => ({ ...common, team_id: 100 + teams.indexOf(slug), slug }));
  });
}

/** The people who have a seat. */
export function seatedOn({ people }: Org, day: Day): readonly Person[] {
  return people.filter(({ joined }) => joined <= day);
}

const teams = ['platform', 'product', 'data', 'design'];

/** Four people are the team `design`; every seventh of the others is of two teams. */
export function teamsOf({ index }: Person): string[] {
  if (index < 4) return ['design'];
  return teams
    .slice(0, 3)
    .filter((_, team) => team === index % 3 || (index % 7 === 0 && team === (index + 1) % 3));
}

/** The number of a person at GitHub. */
export function userId({ index }: Person): number {
  return 10_000_001 + index;
}

/** All pull requests of the organization, and those of Copilot, of which each active person may have asked for some. */
function pullRequests(org: Org, day: Day): Row {
  const on = org.conditions(day);
  const asked = org.people.map((one) => (isPassive(one) ? 0 : (personDay(one, on)?.pullRequests ?? 0)));
  const created = asked.reduce((sum, some) => sum + some, 0);
  const [merges, seed] = [Math.floor(created * 0.7), mix(org.seed, day)];
  return {
    total_created: created * 3 + (seed % 5),
    total_merged: merges * 3,
    total_created_by_copilot: created,
    total_merged_created_by_copilot: merges,
    // A median needs one.
    ...(merges > 0 && { median_minutes_to_merge: 60 + (seed % 900) / 2 }),
  };
}
