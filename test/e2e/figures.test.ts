import { expect, test } from 'vitest';
import { addDays, type Day } from '../../src/catalog/day.ts';
import { startStory } from './harness.ts';
import { createRecount, daysOf, listOf, type Recount, type Row } from './recount.ts';

const AUTONOMY = ['avg', 'p50', 'p90'];

/** Counts a breakdown: the newest day's values, and 0 for those that only the preceding 28 days have. */
function breakdown(
  recount: Recount,
  name: string,
  { day, before }: { readonly day: Row; readonly before: readonly Row[] },
  list: string,
  sampleOf: (element: Row) => { readonly labels: Row; readonly value: unknown },
): void {
  for (const element of listOf(day, list)) {
    const { labels, value } = sampleOf(element);
    recount.add(name, labels, value);
  }
  for (const row of before) {
    for (const element of listOf(row, list)) recount.add(name, sampleOf(element).labels, 0);
  }
}

test('the figures of the newest day are the API’s own', async () => {
  const story = await startStory({ flags: ['history.start=2026-10-12'] });
  const recount = createRecount('acme');

  const tokens = await daysOf(story, 'tokens');
  const credits = Number(tokens.day['billable_tokens']);
  recount.add('daily_credits', {}, credits);
  for (const kind of ['input', 'output', 'cache_read', 'cache_write']) {
    recount.add('daily_tokens', { kind }, tokens.day[`${kind}_tokens`]);
  }
  const tiered = ({ model_id, model_tier }: Row) => ({ model: model_id, tier: model_tier });
  breakdown(recount, 'daily_credits_by_model', tokens, 'by_model', (one) => ({
    labels: tiered(one),
    value: one['billable_tokens'],
  }));
  for (const kind of ['input', 'output']) {
    breakdown(recount, 'daily_tokens_by_model', tokens, 'by_model', (one) => ({
      labels: { ...tiered(one), kind },
      value: one[`${kind}_tokens`],
    }));
  }
  const read = (field: string) => Number(tokens.day[field]);
  recount.add('daily_cache_read_ratio', {}, read('cache_read_tokens') / read('input_tokens'));
  const millions = (read('input_tokens') + read('output_tokens')) / 1e6;
  recount.add('daily_credits_per_million_tokens', {}, credits / millions);
  // A day within its usual range.
  recount.add('daily_credits_unusual', {}, 0);
  for (const kind of ['model', 'user']) {
    const parts = listOf(tokens.day, `by_${kind}`).map((one) => Number(one['billable_tokens']));
    recount.add(
      'daily_credits_unattributed',
      { breakdown: kind },
      credits - parts.reduce((a, b) => a + b, 0),
    );
  }

  const activity = await daysOf(story, 'activity');
  recount.add('daily_active_users', {}, activity.day['daily_active_users']);
  recount.add('weekly_active_users', {}, activity.day['weekly_active_users']);
  recount.add('monthly_active_users', {}, activity.day['monthly_active_users']);
  recount.add('daily_sessions', {}, activity.day['sessions']);
  const userMessages = Number(activity.day['user_messages']);
  recount.add('daily_messages', { role: 'user' }, userMessages);
  recount.add('daily_messages', { role: 'assistant' }, Number(activity.day['messages']) - userMessages);
  for (const [client, users] of Object.entries(activity.day['daily_active_users_by_client'] as Row)) {
    recount.add('daily_active_users_by_client', { client }, users);
  }
  const older = await story.ask('/api/v1/analytics/activity', {
    startDate: '2026-10-16',
    endDate: '2026-10-21',
  });
  const people = new Map(
    [...listOf(older, 'data'), ...activity.before, activity.day].map((row) => [
      String(row['date']),
      Number(row['daily_active_users']),
    ]),
  );
  /** Nobody was active on days without a row. */
  const meanTo = (day: string) =>
    Array.from({ length: 7 }, (_, back) => people.get(addDays(day as Day, -back)) ?? 0).reduce(
      (a, b) => a + b,
    ) / 7;
  recount.add('daily_active_users_mean_7d', {}, meanTo('2026-11-19'));
  const weeks = ['2026-11-12', '2026-11-05', '2026-10-29', '2026-10-22'].map(meanTo);
  recount.add('daily_active_users_mean_7d_baseline', {}, weeks.reduce((a, b) => a + b) / 4);

  const productivity = await daysOf(story, 'productivity');
  recount.add('daily_files', { action: 'created' }, productivity.day['files_created']);
  recount.add('daily_files', { action: 'edited' }, productivity.day['files_edited']);
  recount.add('daily_git_commits', {}, productivity.day['git_commits']);
  recount.add('daily_git_pull_requests_created', {}, productivity.day['git_prs_created']);
  for (const kind of ['extension', 'language']) {
    breakdown(recount, `daily_file_operations_by_${kind}`, productivity, `by_${kind}`, (one) => ({
      labels: { [kind]: one[kind] },
      value: one['count'],
    }));
  }

  const tools = await daysOf(story, 'tools');
  recount.add('daily_tool_calls', {}, tools.day['tool_calls']);
  recount.add('daily_mcp_users', {}, tools.day['mcp_users_with_mcp']);
  recount.add('daily_skill_invocations', {}, tools.day['skills_invocations']);
  recount.add('daily_slash_command_invocations', {}, tools.day['slash_commands_invocations']);
  recount.add('daily_hook_invocations', {}, tools.day['hooks_invocations']);
  recount.add('daily_web_users', {}, tools.day['web_users']);
  recount.add('daily_tool_calls_per_session', {}, tools.day['tool_calls_per_session_avg']);
  recount.add('daily_user_turns_per_session', {}, tools.day['user_turns_per_session_avg']);
  for (const stat of AUTONOMY)
    recount.add('daily_autonomy_ratio', { stat }, tools.day[`autonomy_ratio_${stat}`]);
  for (const [level, ratio] of Object.entries(tools.day['tool_autonomy_level_ratio'] as Row)) {
    recount.add('daily_autonomy_level_ratio', { level }, ratio);
  }
  breakdown(recount, 'daily_tool_calls_by_tool', tools, 'by_tool', ({ tool, invocations }) => ({
    labels: { tool: /^[\w-]{1,128}$/.test(String(tool)) ? tool : 'invalid' },
    value: invocations,
  }));
  breakdown(recount, 'daily_mcp_calls_by_server', tools, 'mcp_by_server', ({ server, invocations }) => ({
    labels: { server: String(server).toLowerCase() },
    value: invocations,
  }));
  breakdown(recount, 'daily_skill_invocations_by_skill', tools, 'skills_by_name', ({ name, count }) => ({
    labels: { skill: name },
    value: count,
  }));
  breakdown(
    recount,
    'daily_slash_command_invocations_by_command',
    tools,
    'slash_commands_by_name',
    ({ name, count }) => ({ labels: { command: name }, value: count }),
  );
  breakdown(
    recount,
    'daily_hook_invocations_by_event',
    tools,
    'hooks_by_event',
    ({ event, matcher, count }) => ({
      labels: { event, matcher },
      value: count,
    }),
  );

  const page = await story.page();
  const published = page
    .platform()
    .filter((line) => /^agent_platform_(daily|weekly|monthly)_/.test(line) && !/_expected|_cost/.test(line));
  expect(recount.lines().length).toBeGreaterThan(100);
  expect(published).toEqual(recount.lines());
});

test('the readiness of a repository is what its newest report on the main line says', async () => {
  const story = await startStory({ sandbox: { repos: 12 } });
  const reports = listOf(await story.ask('/api/organization/maturity-level-reports'), 'reports');
  const page = await story.page();
  const repos = Object.keys(page.by('repo', 'agent_platform_readiness_ratio'));
  expect(repos).toHaveLength(12);
  for (const repo of repos) {
    const ofRepo = reports.filter((report) => plainRepo(report['repoUrl']) === repo);
    const branches = ofRepo.map((report) => report['branch']);
    const branch = ['main', 'master', 'trunk'].find((name) => branches.includes(name));
    const line = ofRepo
      .filter((report) => report['branch'] === branch)
      .sort((one, other) => Number(other['createdAt']) - Number(one['createdAt']));
    const [current, ...older] = line;
    const previous = older.find((report) => report['commitHash'] !== current?.['commitHash']);
    expect(page.value('agent_platform_readiness_ratio', { repo })).toBeCloseTo(meanOf(current), 12);
    expect(page.value('agent_platform_readiness_ratio_previous', { repo })).toBeCloseTo(meanOf(previous), 12);
    expect(page.by('criterion', 'agent_platform_readiness_criterion_ratio_previous', { repo })).toEqual(
      formerRatios(current, previous),
    );
    expect(page.value('agent_platform_readiness_report_timestamp_seconds', { repo })).toBe(
      Number(current?.['createdAt']) / 1000,
    );
    const [info] = page.find('agent_platform_readiness_report_info', { repo });
    expect(info?.labels.get('commit')).toBe(current?.['commitHash']);
    expect(page.value('agent_platform_readiness_applications', { repo })).toBe(
      Object.keys(current?.['apps'] as Row).length,
    );
  }
});

test('the newest wiki run of a repository is what the listing says', async () => {
  const story = await startStory({ sandbox: { repos: 12 } });
  const runs = listOf(await story.ask('/api/v0/wiki'), 'wikiRuns');
  const recount = createRecount('acme');
  recount.add('wiki_runs', {}, runs.length);
  for (const run of runs) {
    recount.add('wiki_pages', { repo: plainRepo(run['repoUrl']) }, run['pageCount']);
    recount.add(
      'wiki_last_run_timestamp_seconds',
      { repo: plainRepo(run['repoUrl']) },
      Number(run['createdAt']) / 1000,
    );
  }
  const published = (await story.page()).platform().filter((line) => line.includes('_wiki_'));
  expect(published).toEqual(recount.lines());
});

test('every day’s figures are shown with the day they describe', async () => {
  const page = await (await startStory()).page();
  const yesterday = Date.UTC(2026, 10, 19) / 1000;
  expect(page.by('dataset', 'agent_platform_data_day_timestamp_seconds')).toEqual({
    tokens: yesterday,
    tools: yesterday,
    activity: yesterday,
    productivity: yesterday,
  });
  expect(page.by('dataset', 'agent_platform_history_uncovered')).toEqual({
    tokens: 0,
    tools: 0,
    activity: 0,
    productivity: 0,
  });
  expect(page.text).not.toMatch(/^agent_platform_\S+ \S+ \d/m);
  expect(page.samples.some(({ labels }) => labels.has('date') || labels.has('day'))).toBe(false);
});

function plainRepo(address: unknown): string {
  return String(address)
    .replace(/^(\w+:\/\/)?([^@/]*@)?/, '')
    .replace(':', '/')
    .replace(/\.git$/, '');
}

function meanOf(report: Row | undefined): number {
  const ratios = Object.values(ratiosOf(report));
  return ratios.reduce((all, one) => all + one, 0) / ratios.length;
}

function ratiosOf(report: Row | undefined): Readonly<Record<string, number>> {
  const criteria = Object.entries((report?.['report'] ?? {}) as Record<string, Row>);
  const evaluated = criteria.filter(([, { numerator }]) => numerator !== null);
  return Object.fromEntries(
    evaluated.map(([id, one]) => [id, Number(one['numerator']) / Number(one['denominator'])]),
  );
}

/** The ratios of an earlier report that are others in a newer one, which evaluated the criterion too. */
function formerRatios(newer: Row | undefined, older: Row | undefined): Readonly<Record<string, number>> {
  const now = ratiosOf(newer);
  return Object.fromEntries(
    Object.entries(ratiosOf(older)).filter(([id, ratio]) => id in now && now[id] !== ratio),
  );
}
