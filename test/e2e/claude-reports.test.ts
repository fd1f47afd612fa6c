import { describe, expect, test } from 'vitest';
import type { Json } from '../sandbox/asking.ts';
import { at, type Change, type Kind, startClaudeStory, total } from './claude-story.ts';
import { HOUR, NOON, YESTERDAY } from './harness.ts';

/** All that ask; spend is computed from the days of tokens. */
const asking = ['activity', 'productivity', 'tokens', 'tools', 'users'];
const collectors = [...asking, 'spend'];
const CORE = 'core_metrics';
const CODE = 'claude_code_metrics.core_metrics';
const DAY_OF = 'agent_platform_data_day_timestamp_seconds';

/** The sum of the counts of all tools of rows whose name begins so. */
function proposals(rows: readonly Json[], path: string, ...names: readonly string[]): number {
  const tools = rows.flatMap((row) => Object.values((at(row, path) ?? {}) as Json)) as readonly Json[];
  return tools.reduce((sum, tool) => sum + names.reduce((all, name) => all + Number(tool[name]), 0), 0);
}

test('the report on Claude Code is people by terminal, sessions, commits, pull requests, lines and proposals', async () => {
  const story = await startClaudeStory({ collectors, sandbox: { users: 40 } });
  const page = await story.page();
  const value = (name: string, labels = {}) => page.value(`agent_platform_${name}`, labels);
  const rows = await story.rows('usage_report/claude_code', { starting_at: YESTERDAY });
  const people = rows.filter((row) => at(row, 'actor.type') === 'user_actor');
  const emailOf = (row: Json) => String(at(row, 'actor.email_address')).toLowerCase();
  const isRemote = (row: Json) => row['is_remote'] === true;
  expect(people.filter(isRemote).length).toBeGreaterThan(0);
  expect(value('daily_active_users')).toBe(new Set(people.map(emailOf)).size);
  const clients = Map.groupBy(people, (row) => (isRemote(row) ? 'remote' : String(row['terminal_type'])));
  expect(page.by('client', 'agent_platform_daily_active_users_by_client')).toEqual(
    Object.fromEntries([...clients].map(([client, used]) => [client, new Set(used.map(emailOf)).size])),
  );
  expect(value('daily_sessions')).toBe(total(rows, `${CORE}.num_sessions`));
  expect(value('daily_git_commits')).toBe(total(rows, `${CORE}.commits_by_claude_code`));
  expect(value('daily_git_pull_requests_created')).toBe(total(rows, `${CORE}.pull_requests_by_claude_code`));
  expect(page.by('action', 'agent_platform_daily_lines')).toEqual({
    added: total(rows, `${CORE}.lines_of_code.added`),
    removed: total(rows, `${CORE}.lines_of_code.removed`),
  });
  expect(page.by('outcome', 'agent_platform_daily_suggestions')).toEqual({
    shown: proposals(rows, 'tool_actions', 'accepted', 'rejected'),
    accepted: proposals(rows, 'tool_actions', 'accepted'),
  });
  expect(page.text).not.toMatch(
    /^agent_platform_(weekly_|monthly_|seats|daily_(files|messages|skill|mcp|tool_calls|credits))/m,
  );
  expect(story.logged('level=warn')).toEqual([]);
});

describe('an Enterprise organization', () => {
  test('has people of a day, a week and a month, seats, and the output of its members', async () => {
    const story = await startClaudeStory({ kind: 'enterprise', collectors });
    const page = await story.page();
    const value = (name: string, labels = {}) => page.value(`agent_platform_${name}`, labels);
    const [summary] = await story.rows('analytics/summaries', {
      starting_date: YESTERDAY,
      ending_date: '2026-11-20',
    });
    const rows = await story.rows('analytics/users', { date: YESTERDAY });
    for (const span of ['daily', 'weekly', 'monthly'])
      expect(value(`${span}_active_users`)).toBe(summary?.[`${span}_active_user_count`]);
    expect(value('seats')).toBe(summary?.['assigned_seat_count']);
    expect(page.by('client', 'agent_platform_daily_active_users_by_client')).toEqual({
      claude_code: summary?.['claude_code_daily_active_user_count'],
    });
    expect(value('daily_sessions')).toBe(total(rows, `${CODE}.distinct_session_count`));
    expect(value('daily_git_commits')).toBe(total(rows, `${CODE}.commit_count`));
    expect(value('daily_git_pull_requests_created')).toBe(total(rows, `${CODE}.pull_request_count`));
    expect(page.by('action', 'agent_platform_daily_lines')).toEqual({
      added: total(rows, `${CODE}.lines_of_code.added_count`),
      removed: total(rows, `${CODE}.lines_of_code.removed_count`),
    });
    expect(page.by('outcome', 'agent_platform_daily_suggestions')).toEqual({
      shown: proposals(rows, 'claude_code_metrics.tool_actions', 'accepted_count', 'rejected_count'),
      accepted: proposals(rows, 'claude_code_metrics.tool_actions', 'accepted_count'),
    });
    expect(story.logged('level=warn')).toEqual([]);
  });

  test('has skills, and calls of connectors, which before they were counted are unknown and not none', async () => {
    const story = await startClaudeStory({ kind: 'enterprise', collectors, sandbox: { users: 40 } });
    const page = await story.page();
    const skills = await story.rows('analytics/skills', { date: YESTERDAY });
    const connectors = await story.rows('analytics/connectors', { date: YESTERDAY });
    const calls = (row: Json) =>
      ['read', 'write', 'unclassified'].reduce((sum, way) => sum + Number(row[`${way}_call_count`]), 0);
    expect(page.by('skill', 'agent_platform_daily_skill_invocations_by_skill')).toEqual(
      Object.fromEntries(skills.map((row) => [row['skill_name'], row['invocation_count']])),
    );
    expect(page.value('agent_platform_daily_skill_invocations')).toBe(total(skills, 'invocation_count'));
    expect(page.by('server', 'agent_platform_daily_mcp_calls_by_server')).toEqual(
      Object.fromEntries(connectors.map((row) => [row['connector_name'], calls(row)])),
    );
    await story.stop();
    const spring = await startClaudeStory({
      kind: 'enterprise',
      collectors: ['tools'],
      begins: Date.UTC(2026, 4, 21, 12),
      flags: ['history.start=2026-05-14'],
    });
    const early = await spring.page();
    expect(early.value(DAY_OF, { dataset: 'tools' })).toBe(Date.parse('2026-05-20') / 1000);
    expect(early.value('agent_platform_daily_skill_invocations')).toBeGreaterThan(0);
    expect(early.find('agent_platform_daily_mcp_calls_by_server')).toEqual([]);
    expect(spring.logged('level=warn')).toEqual([]);
  });

  test('is asked for a day at 10:00 UTC, and that it is not there yet is no failure', async () => {
    const begins = Date.UTC(2026, 10, 20, 9);
    const story = await startClaudeStory({ kind: 'enterprise', collectors, begins });
    const newest = async (dataset: string) => Number((await story.page()).value(DAY_OF, { dataset })) * 1000;
    for (const dataset of ['activity', 'productivity', 'users', 'tools'])
      expect(await newest(dataset)).toBe(Date.parse('2026-11-18'));
    story.clock.advance(HOUR);
    expect(await story.poll()).toEqual([]);
    for (const dataset of ['activity', 'productivity', 'users', 'tools'])
      expect(await newest(dataset)).toBe(Date.parse(YESTERDAY));
    expect(story.logged('level=warn')).toEqual([]);
  });

  test('that is late says which day is there, which is no failure either', async () => {
    const story = await startClaudeStory({ kind: 'enterprise', collectors });
    story.sandbox.setFaults(['late=1@summaries', 'late=1@users', 'late=1@skills', 'late=1@connectors']);
    story.clock.advance(24 * HOUR);
    expect(await story.poll()).toEqual([]);
    const day = (await story.page()).value(DAY_OF, { dataset: 'activity' });
    expect(day).toBe(Date.parse(YESTERDAY) / 1000);
    expect(story.logged('level=error')).toEqual([]);
    story.sandbox.setFaults([]);
    story.clock.advance(HOUR);
    expect(await story.poll()).toEqual([]);
    const next = (await story.page()).value(DAY_OF, { dataset: 'activity' });
    expect(next).toBe(Date.parse('2026-11-20') / 1000);
  });
});

test('an Enterprise organization that is late by many days fails nothing, and is asked no more often', async () => {
  const story = await startClaudeStory({ kind: 'enterprise', collectors, begins: NOON - 5 * 24 * HOUR });
  const datasets = ['activity', 'productivity', 'users', 'tools'];
  const newest = async (dataset: string) => Number((await story.page()).value(DAY_OF, { dataset })) * 1000;
  for (let late = 1; late <= 5; late++) {
    const paths = ['summaries', 'users', 'skills', 'connectors'];
    story.sandbox.setFaults(paths.map((path) => `late=${late}@${path}`));
    story.clock.advance(23 * HOUR);
    expect(await story.poll()).toEqual([]);
    story.clock.advance(HOUR);
    const before = story.asked.length;
    expect(await story.poll()).toEqual([]);
    expect(story.asked.length - before).toBeLessThanOrEqual(8);
  }
  for (const dataset of datasets) expect(await newest(dataset)).toBe(Date.parse('2026-11-14'));
  story.sandbox.setFaults([]);
  expect(await story.poll()).toEqual([]);
  for (const dataset of datasets) expect(await newest(dataset)).toBe(Date.parse(YESTERDAY));
  expect(story.logged('level=(warn|error)')).toEqual([]);
});

test.each<Kind>(['console', 'enterprise'])(
  'of the kind %s, an hour with nothing new costs few requests, and so does the pass of a day',
  async (kind) => {
    const story = await startClaudeStory({
      ...{ kind, collectors: asking, flags: ['users.identity=id', 'history.start=2026-08-01'] },
      begins: NOON + (3 * 24 + 8) * HOUR,
    });
    const counts: number[] = [];
    for (let hour = 0; hour < 26; hour++) {
      story.clock.advance(HOUR);
      const before = story.asked.length;
      await story.poll();
      counts.push(story.asked.slice(before).filter(({ searchParams }) => !searchParams.has('page')).length);
    }
    // The pass after midnight has more to ask, but not the hour in which reports follow a Sunday without any.
    const [most = 0, ...others] = counts.toSorted((one, other) => other - one);
    expect(most).toBeLessThanOrEqual(20);
    expect(others[0]).toBeLessThanOrEqual(8);
  },
);

test.each<Kind>(['console', 'enterprise'])(
  'of the kind %s, days on which nobody used Claude Code are days of zeros, and cost no more requests',
  async (kind) => {
    const isIdle = (day = '') => day >= '2026-11-16' && day <= '2026-11-22';
    const change: Change = (answer, { pathname, searchParams }) => {
      const day = searchParams.get('date') ?? searchParams.get('starting_at')?.slice(0, 10);
      if (!isIdle(day)) return;
      const isOfPeople = searchParams.get('group_by[]') === 'actor';
      if (isOfPeople || /\/(claude_code|users|skills|connectors)$/.test(pathname)) answer.body['data'] = [];
    };
    const story = await startClaudeStory({ kind, collectors: asking, change, begins: NOON + 8 * HOUR });
    const value = async (name: string, labels = {}) =>
      (await story.page()).value(`agent_platform_${name}`, labels);
    // Passes, and the hours in which a day becomes known, are even hours.
    for (let hour = 0; hour < 70; hour += 2) {
      story.clock.advance(2 * HOUR);
      const before = story.asked.length;
      expect(await story.poll()).toEqual([]);
      const isPass = new Date(story.clock.now()).getUTCHours() === 0;
      const asked = story.asked.slice(before).filter(({ searchParams }) => !searchParams.has('page'));
      expect(asked.length).toBeLessThanOrEqual(isPass ? 20 : 8);
    }
    // On Monday evening, all days before Sunday are known.
    for (const dataset of ['activity', 'productivity'])
      expect(await value('data_day_timestamp_seconds', { dataset })).toBeGreaterThanOrEqual(
        Date.parse('2026-11-21') / 1000,
      );
    expect(await value('daily_git_commits')).toBe(0);
    expect(story.logged('level=warn')).toEqual([]);
  },
);
