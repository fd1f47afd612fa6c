import { expect, test } from 'vitest';
import { startStory } from './harness.ts';
import type { Page } from './page.ts';
import { createNoonClock, settledPage, startProgram } from './program.ts';
import type { Rewrite } from './rewriting.ts';

const SUCCESS = 'agent_platform_exporter_collector_success';
const REJECTED = 'agent_platform_exporter_records_rejected_total';
const DATASETS = ['tokens', 'tools', 'activity', 'productivity'];

/** The page after the first run of these collectors alone, which request few days. */
async function pageOf(rewrite: Rewrite, ...collectors: readonly string[]): Promise<Page> {
  const story = await startStory({
    ...{ rewrite, collectors, sandbox: { repos: 6 } },
    flags: ['history.start=2026-11-10'],
  });
  return story.page();
}

function rowsOf(body: Record<string, unknown>, member: string): Record<string, unknown>[] {
  return body[member] as Record<string, unknown>[];
}

test('names that are not printable, or differ only near the end, are distinct labels', async () => {
  const long = 'm'.repeat(300);
  const names = ['good-model', 'bad\u202emodel\u0007', `${long}1`, `${long}2`];
  const rename: Rewrite = (body) => {
    for (const row of rowsOf(body, 'data'))
      row['by_model'] = names.map((name, index) => ({
        model_id: name,
        model_tier: 'a',
        billable_tokens: index + 1,
      }));
    return body;
  };
  // As a separate process, with everything between the platform's bytes and those of the page.
  const others = ['tools', 'activity', 'productivity', 'readiness', 'wiki'];
  const program = await startProgram(
    others.map((name) => `--no-collector.${name}`),
    rename,
    createNoonClock(),
  );
  const page = await settledPage(program, ['tokens']);
  const models = page.by('model', 'agent_platform_daily_credits_by_model');
  expect(Object.values(models).toSorted()).toEqual([1, 2, 3, 4]);
  expect(models['good-model']).toBe(1);
  for (const name of Object.keys(models).filter((one) => one !== 'good-model')) {
    expect(name).toMatch(/~[0-9a-f]{8}$/);
    expect(name).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(name.length).toBeLessThanOrEqual(256);
  }
});

test('repositories that differ in port or query are distinct, and those that differ in case on a forge are not', async () => {
  const addresses = [
    'https://git.example.com/a/b',
    'https://git.example.com:8443/a/b',
    'https://git.example.com/a/b?view=2',
    'ssh://git@git.example.com:7999/a/b',
    'https://GitHub.com/Acme/App',
    'git@github.com:acme/app.git',
  ];
  const named = new Map<unknown, string>();
  const move: Rewrite = (body, { pathname }) => {
    if (!pathname.includes('reports')) return body;
    for (const report of rowsOf(body, 'reports')) {
      const address = named.get(report['repoUrl']) ?? addresses[named.size % addresses.length] ?? '';
      named.set(report['repoUrl'], address);
      report['repoUrl'] = address;
    }
    return body;
  };
  const page = await pageOf(move, 'readiness');
  const repositories = Object.keys(page.by('repo', 'agent_platform_readiness_ratio')).toSorted();
  expect(repositories).toEqual([
    'git.example.com/a/b',
    `git.example.com/a/b~${/~([0-9a-f]{8})/.exec(repositories.join())?.[1]}`,
    'git.example.com:8443/a/b',
    'github.com/acme/app',
  ]);
});

test('rows with invalid dates, or with dates that were not requested, produce neither a day nor a zero', async () => {
  const misdate: Rewrite = (body, { pathname }) => {
    for (const row of rowsOf(body, 'data')) {
      if (pathname.endsWith('tools')) row['date'] = `${row['date']}T25:00:00Z`;
      if (pathname.endsWith('activity')) row['date'] = '2019-01-01';
      if (pathname.endsWith('tokens')) row['billable_tokens'] = 2 ** 53 + 2;
    }
    return body;
  };
  const page = await pageOf(misdate, ...DATASETS);
  expect(page.value('agent_platform_daily_git_commits')).toBeDefined();
  for (const family of ['daily_tool_calls', 'daily_sessions', 'daily_active_users', 'daily_credits'])
    expect(page.find(`agent_platform_${family}`), family).toEqual([]);
  expect(page.find('agent_platform_daily_tokens')).not.toEqual([]);
  const rejected = page.by('dataset', REJECTED);
  for (const dataset of ['tokens', 'tools', 'activity'])
    expect(rejected[dataset], dataset).toBeGreaterThan(0);
  expect(rejected['productivity']).toBe(0);
});

test.each([
  ['has_more is text', { has_more: 'false' }, {}],
  ['next_cursor is an object', { has_more: true, next_cursor: {} }, {}],
  ['a row is of another day', {}, { date: '2026-01-20' }],
  ['a person has no identity', {}, { user_id: 7 }],
])('a listing of people does not make a day if %s', async (_, meta, row) => {
  const spoil: Rewrite = (body, { pathname, searchParams }) => {
    if (!pathname.endsWith('/users')) return body;
    Object.assign(body['meta'] as object, meta);
    const date = searchParams.get('startDate');
    rowsOf(body, 'data').unshift({ user_id: 'somebody', date, sessions: 1, ...row });
    return body;
  };
  const page = await pageOf(spoil, 'users', 'tokens');
  expect(page.by('collector', SUCCESS)).toMatchObject({ users: 0, tokens: 1 });
  const reasons = page.by('reason', 'agent_platform_exporter_collector_failing', { collector: 'users' });
  expect(reasons['schema']).toBe(1);
  expect(page.find('agent_platform_data_day_timestamp_seconds', { dataset: 'users' })).toEqual([]);
  expect(page.find('agent_platform_daily_users_by_primary_model')).toEqual([]);
});
