import { type Day, firstDay, formatDay } from '../calendar.ts';
import { createRecent } from '../lru-cache.ts';
import { mix } from '../random.ts';
import type { Row } from '../types.ts';
import type { Org } from '../world/org.ts';
import type { Person } from '../world/people.ts';
import { personDay, presence } from '../world/person-day.ts';
import { since } from './calendar.ts';
import { merged } from './merged.ts';
import { isPassive, personRow, usesEditor } from './person.ts';

/** Teams with fewer people who have a seat are left out of the report. */
const SMALLEST_TEAM = 5;

/** The reports of an organization about any day. */
export type Reports = ReturnType<typeof createReports>;

/** Creates the reports of an organization; they change with the world's edition of a day. */
export function createReports(org: Org) {
  const sums = createRecent<Row>(64);
  const editors = createRecent<Uint8Array>(64);
  const keyOf = (day: Day) => `${day}/${org.conditions(day).edition}`;

  /** Number of the people who worked in an editor within so many days that end with `day`. */
  function within(day: Day, length: number, isCounted: (person: Person) => boolean = () => true): number {
    const days = Array.from({ length }, (_, back) => day - back).filter((past) => past >= firstDay);
    const there = days.map((past) =>
      editors.get(keyOf(past), () =>
        Uint8Array.from(org.people, (person) =>
          Number(usesEditor(person) && presence(person, org.conditions(past)) === 'active'),
        ),
      ),
    );
    const counted = org.people.filter((person, index) => isCounted(person) && there.some((on) => on[index]));
    return counted.length;
  }

  function* rows(day: Day, isAsked: (person: Person) => boolean = () => true): Iterable<Row> {
    const on = org.conditions(day);
    for (const person of org.people) {
      const done = isAsked(person) ? personDay(person, on) : undefined;
      if (done !== undefined && done.sessions > 0) yield { user_id: userId(person), ...personRow(done, day) };
    }
  }

  return {
    /** Whether nobody used Copilot that day: there is no report. */
    isIdle: (day: Day) => org.totals(day).active === 0,
    /** The row of the whole organization. */
    organization(day: Day, ids: Row): Row {
      const sum = sums.get(keyOf(day), () => merged(rows(day)));
      const count = (name: string) => sum[`used_${name}`];
      return {
        day: formatDay(day),
        ...ids,
        daily_active_users: count('chat'),
        weekly_active_users: within(day, 7),
        monthly_active_users: within(day, 28),
        monthly_active_chat_users: within(day, 28),
        monthly_active_agent_users: within(day, 28, ({ autonomy }) => autonomy > 6),
        daily_active_cli_users: count('cli') || undefined,
        daily_active_copilot_app_users: count('copilot_app') || undefined,
        daily_active_copilot_cloud_agent_users: count('copilot_cloud_agent'),
        // Not known yet, which is not 0.
        ...(day >= since.cloudAgent && { monthly_active_copilot_cloud_agent_users: null }),
        daily_active_copilot_code_review_users: count('copilot_code_review_active'),
        daily_passive_copilot_code_review_users: count('copilot_code_review_passive'),
        ...Object.fromEntries(
          Object.entries(sum).filter(([name]) => !/^(used_|user_(id|login)$|ai_)/.test(name)),
        ),
        totals_by_3rd_party_agent: (sum['totals_by_3rd_party_agent'] as Row[] | undefined)?.map((agent) => ({
          ...agent,
          session_count: Math.ceil(Number(agent['user_initiated_interaction_count']) / 2),
        })),
        pull_requests: pullRequests(org, day),
      };
    },
    /** The rows of the people of a part. */
    *users(day: Day, ids: Row, isAsked: (person: Person) => boolean): Iterable<Row> {
      for (const row of rows(day, isAsked)) yield { ...row, day: formatDay(day), ...ids };
    },
    /** The rows of team memberships of the people of a part. */
    *teams(day: Day, ids: Row, isAsked: (person: Person) => boolean): Iterable<Row> {
      const seated = seatedOn(org, day);
      const sizes = new Map<string, number>();
      for (const slug of seated.flatMap(teamsOf)) sizes.set(slug, (sizes.get(slug) ?? 0) + 1);
      for (const person of seated.filter(isAsked)) {
        for (const slug of teamsOf(person).filter((one) => (sizes.get(one) ?? 0) >= SMALLEST_TEAM)) {
          const who = { user_id: userId(person), user_login: person.login };
          yield { ...who, day: formatDay(day), ...ids, team_id: 100 + teams.indexOf(slug), slug };
        }
      }
    },
  };
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
