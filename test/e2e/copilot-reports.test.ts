import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Json } from '../sandbox/asking.ts';
import { startCopilotStory } from './copilot-story.ts';
import { HOUR, type Story } from './harness.ts';

const NEWEST = '2026-11-17';
/** All that ask, but for people; spend is computed from the days of tokens. */
const asking = ['activity', 'productivity', 'tokens'];
const collectors = [...asking, 'spend'];

const number = (row: Json | undefined, ...path: string[]) =>
  Number(path.reduce<unknown>((value, name) => (value as Json | undefined)?.[name], row) ?? 0);

describe('the report of an organization', () => {
  test('is people, surfaces, prompts, suggestions, lines, pull requests and seats', async () => {
    const story = await startCopilotStory({ collectors });
    const page = await story.page();
    const value = (name: string, labels = {}) => page.value(`agent_platform_${name}`, labels);
    const [row] = await story.rows('organization-1-day', NEWEST);
    expect(value('data_day_timestamp_seconds', { dataset: 'activity' })).toBe(Date.parse(NEWEST) / 1000);
    expect(value('daily_active_users')).toBe(number(row, 'daily_active_users'));
    expect(value('weekly_active_users')).toBe(number(row, 'weekly_active_users'));
    expect(value('monthly_active_users')).toBe(number(row, 'monthly_active_users'));
    expect(page.by('client', 'agent_platform_daily_active_users_by_client')).toEqual({
      cli: number(row, 'daily_active_cli_users'),
      'copilot-app': number(row, 'daily_active_copilot_app_users'),
      'cloud-agent': number(row, 'daily_active_copilot_cloud_agent_users'),
      'code-review': number(row, 'daily_active_copilot_code_review_users'),
    });
    const agents = (row?.['totals_by_3rd_party_agent'] ?? []) as readonly Json[];
    expect(value('daily_sessions')).toBe(
      number(row, 'totals_by_cli', 'session_count') +
        number(row, 'totals_by_copilot_app', 'session_count') +
        agents.reduce((sum, agent) => sum + number(agent, 'session_count'), 0),
    );
    expect(page.by('role', 'agent_platform_daily_messages')).toEqual({
      user:
        number(row, 'user_initiated_interaction_count') +
        number(row, 'totals_by_copilot_app', 'prompt_count'),
    });
    expect(page.by('outcome', 'agent_platform_daily_suggestions')).toEqual({
      shown: number(row, 'code_generation_activity_count'),
      accepted: number(row, 'code_acceptance_activity_count'),
    });
    expect(page.by('action', 'agent_platform_daily_lines')).toEqual({
      added: number(row, 'loc_added_sum'),
      removed: number(row, 'loc_deleted_sum'),
      suggested: number(row, 'loc_suggested_to_add_sum'),
    });
    expect(value('daily_git_pull_requests_created')).toBe(
      number(row, 'pull_requests', 'total_created_by_copilot'),
    );
    expect(value('daily_git_pull_requests_merged')).toBe(
      number(row, 'pull_requests', 'total_merged_created_by_copilot'),
    );
    const { seat_breakdown: seats } = await story.api('/orgs/acme-org/copilot/billing');
    expect(value('seats')).toBe((seats as Json)['total']);
    expect(story.logged('level=warn')).toEqual([]);
    expect(page.text).not.toMatch(/^agent_platform_daily_(files|git_commits|tokens)/m);
  });

  test('says of a surface that did not exist yet nothing, and counts its prompts apart until they are part of the total', async () => {
    const story = await startCopilotStory({
      collectors,
      begins: Date.UTC(2026, 3, 9, 12),
      flags: ['history.start=2026-03-01'],
    });
    const page = await story.page();
    const [row] = await story.rows('organization-1-day', '2026-04-06');
    expect(page.by('client', 'agent_platform_daily_active_users_by_client')).toEqual({
      cli: number(row, 'daily_active_cli_users'),
    });
    expect(page.by('role', 'agent_platform_daily_messages')).toEqual({
      user: number(row, 'user_initiated_interaction_count') + number(row, 'totals_by_cli', 'prompt_count'),
    });
  });
});

test('METRICS.md names a field of Copilot for each metric that is read from one', async () => {
  const flags = ['users.identity=id', 'history.start=2026-08-01'];
  const story = await startCopilotStory({ collectors: [...collectors, 'users'], flags });
  const published = new Set((await story.page()).samples.map(({ name }) => name));
  // Who somebody is, is no field of it.
  published.delete('agent_platform_user_info');
  const rows = readFileSync('docs/METRICS.md', 'utf8').matchAll(/^\| `(agent_platform_\w+)` .*/gm);
  const unnamed = [...rows].filter(
    ([row, name = '']) => published.has(name) && /`Agent Platform: /.test(row),
  );
  expect(published.size).toBeGreaterThan(60);
  expect(unnamed.filter(([row]) => !row.includes('GitHub Copilot: ')).map(([, name]) => name)).toEqual([]);
});

/** How many requests the service has sent, also for what is behind links. */
async function sentBy(story: Story, ...endpoints: readonly string[]): Promise<number> {
  const sent = (await story.page()).find('agent_platform_exporter_api_requests_total');
  const of = sent.filter(({ labels }) => endpoints.includes(labels.get('endpoint') ?? ''));
  return of.reduce((sum, { value }) => sum + Number(value), 0);
}

test('a first sync reads four weeks of reports with few requests, and all of them', async () => {
  const story = await startCopilotStory({ collectors: ['activity', 'productivity'] });
  // Two requests for each of three reports, one for each of some days without one, for seats, and two for all others.
  expect(await sentBy(story, 'activity', 'productivity')).toBeLessThanOrEqual(15);
  const page = await story.page();
  expect(page.by('dataset', 'agent_platform_history_uncovered')).toEqual({ activity: 2, productivity: 2 });
  expect(story.logged('level=warn')).toEqual([]);
});

test.each([
  ['an organization', 'acme-org', 'full'],
  ['an enterprise', 'enterprises/acme-inc', 'classic'],
] as const)(
  'an hour with nothing new costs few requests, and so does the pass of a day: %s',
  async (_, account, key) => {
    const story = await startCopilotStory({
      ...{ collectors: [...asking, 'users'], flags: ['history.start=2026-08-01', 'users.identity=id'] },
      ...{ account, key, begins: Date.UTC(2026, 10, 22, 20) },
    });
    const counts: number[] = [];
    let before = await sentBy(story, ...asking, 'users');
    for (let hour = 0; hour < 26; hour++) {
      story.clock.advance(HOUR);
      await story.poll();
      const sent = await sentBy(story, ...asking, 'users');
      counts.push(sent - before);
      before = sent;
    }
    // After midnight, days that may be revised are asked for again.
    const [pass = 0, ...others] = counts.toSorted((one, other) => other - one);
    expect(pass).toBeLessThanOrEqual(60);
    expect(Math.max(...others)).toBeLessThanOrEqual(12);
  },
);
