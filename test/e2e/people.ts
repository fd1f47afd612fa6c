import { expect } from 'vitest';
import { type Story, type StoryOptions, startStory, YESTERDAY } from './harness.ts';
import { listOf, type Row } from './recount.ts';

/** Starts an exporter that collects people, and a platform that has them. */
export function startWithPeople(options: StoryOptions = {}): Promise<Story> {
  return startStory({
    collectors: ['tokens', 'users'],
    ...options,
    sandbox: { users: 230, ...options.sandbox },
  });
}

/** All people of a day, from the API's own pages. */
export async function peopleOf(story: Story, day = YESTERDAY): Promise<readonly Row[]> {
  const people: Row[] = [];
  for (let cursor: unknown; ; ) {
    const page = await story.ask('/api/v1/analytics/users', {
      startDate: day,
      endDate: day,
      limit: '100',
      ...(cursor === undefined ? {} : { cursor: String(cursor) }),
    });
    people.push(...listOf(page, 'data'));
    const { meta } = page as { meta: Row };
    if (meta['has_more'] !== true) return people;
    cursor = meta['next_cursor'];
  }
}

/** Whether a person counts as active on a day. */
export const isActive = (row: Row) =>
  ['sessions', 'messages', 'tool_calls', 'billable_tokens'].some((field) => Number(row[field]) > 0);
export const sumOf = (rows: readonly Row[], field: string) =>
  rows.reduce((sum, row) => sum + Number(row[field]), 0);

/** Expects the figures of an organization with this many users to match the rows of the API. */
export async function expectAllCounted(users: number): Promise<void> {
  const files = new Map<string, string | Error>([
    ['t.yaml', '"*a*.*@acme.example": a\n"*@acme.example": b\n'],
  ]);
  const story = await startWithPeople({ files, flags: ['teams.file=t.yaml'], sandbox: { users } });
  const people = await peopleOf(story);
  expect(people.length).toBeGreaterThan(users / 6);
  const page = await story.page();
  const teamOf = ({ user_email: email }: Row) =>
    typeof email !== 'string' ? 'none' : /^.*a.*\..*@/.test(email) ? 'a' : 'b';
  const groups = [...Map.groupBy(people, teamOf)];
  expect(page.by('team', 'agent_platform_daily_credits_by_team')).toEqual(
    Object.fromEntries(groups.map(([team, rows]) => [team, sumOf(rows, 'billable_tokens')])),
  );
  expect(page.by('team', 'agent_platform_daily_active_users_by_team')).toEqual(
    Object.fromEntries(groups.map(([team, rows]) => [team, rows.filter(isActive).length])),
  );
  const spoken = people.filter(isActive).flatMap((row) => [...new Set(row['languages'] as string[])]);
  expect(page.by('language', 'agent_platform_daily_users_by_language')).toEqual(
    Object.fromEntries([...Map.groupBy(spoken, (name) => name)].map(([name, all]) => [name, all.length])),
  );
  const credits = people.filter(isActive).map((row) => Number(row['billable_tokens']));
  const sorted = credits.toSorted((one, other) => one - other);
  const stats = page.by('stat', 'agent_platform_daily_credits_per_user');
  expect(stats['max']).toBe(sorted.at(-1));
  expect(sorted.filter((one) => one <= (stats['p90'] ?? 0)).length / sorted.length).toBeCloseTo(0.9, 3);
  const top = sorted.slice(-Math.ceil(sorted.length / 10)).reduce((sum, one) => sum + one, 0);
  expect(page.value('agent_platform_daily_credits_top_users_ratio')).toBeCloseTo(
    top / sumOf(people, 'billable_tokens'),
    9,
  );
  expect(story.platform.requests.filter(({ path }) => path.endsWith('/users')).length).toBeGreaterThan(
    users / 250,
  );
}
