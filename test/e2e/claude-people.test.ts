import { describe, expect, test } from 'vitest';
import { type Day, daysFrom } from '../../src/catalog/day.ts';
import type { Json } from '../sandbox/asking.ts';
import {
  at,
  type ClaudeOptions,
  type ClaudeStory,
  dollars,
  exactCents,
  type Kind,
  REPORTS,
  spanOf,
  startClaudeStory,
  total,
} from './claude-story.ts';
import { DAY, NOON, YESTERDAY } from './harness.ts';

const collectors = ['tokens', 'spend', 'users'];
const shown = ['users.identity=id'];
const DAY_OF = 'agent_platform_data_day_timestamp_seconds';

/** Starts a story of so many people that teams of them are shown. */
function startOf(options: ClaudeOptions): Promise<ClaudeStory> {
  return startClaudeStory({ ...options, sandbox: { users: 40, ...options.sandbox } });
}

/** Rows by the person whose e-mail address is at a path; what is no person's is under the empty name. */
function byPerson(rows: readonly Json[], path: string): ReadonlyMap<string, readonly Json[]> {
  return Map.groupBy(rows, (row) => String(at(row, path) ?? '').toLowerCase());
}

/** Those of some people who have more than nothing. */
function usedOf(figures: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(figures).filter(([person, count]) => person !== '' && count > 0));
}

function csvOf(people: readonly string[], teamOf: (index: number) => string): string {
  return ['email,team', ...people.map((person, index) => `${person.toUpperCase()},${teamOf(index)}`)].join(
    '\n',
  );
}

describe.each<Kind>(['console', 'enterprise'])('the people of an organization of the kind %s', (kind) => {
  const report = REPORTS[kind];

  test('are known by their e-mail address in lower case, each once a day', async () => {
    const story = await startOf({ kind, collectors, flags: shown });
    const page = await story.page();
    const people = byPerson(await report.of(story), report.email);
    // Whoever was active on another day only has zeros.
    const of = (name: string) => usedOf(page.by('user', `agent_platform_daily_${name}_by_user`));
    const sums = (path: string) =>
      usedOf(Object.fromEntries([...people].map(([person, rows]) => [person, total(rows, path)])));
    expect(people.size).toBeGreaterThan(15);
    expect(of('sessions')).toEqual(sums(report.sessions));
    expect(of('git_commits')).toEqual(sums(report.commits));
    expect(of('git_pull_requests_created')).toEqual(sums(report.pullRequests));
    expect(story.logged('level=warn')).toEqual([]);
  });

  test('are not identified unless the operator says so', async () => {
    const story = await startOf({ kind, collectors });
    const page = await story.page();
    const people = [...byPerson(await report.of(story), report.email).keys()].filter((one) => one !== '');
    expect(page.find('agent_platform_user_info')).toEqual([]);
    const stored = JSON.stringify(await (await story.get('/status')).text());
    for (const person of people) {
      const [name = ''] = person.split('@');
      expect(page.text.toLowerCase()).not.toContain(name);
      expect(stored.toLowerCase()).not.toContain(name);
      expect(story.log().toLowerCase()).not.toContain(name);
    }
  });

  test('have teams with their cost, of which small ones are not shown, and the rest is unassigned', async () => {
    const story = await startOf({ kind, collectors });
    const people = [...byPerson(await report.of(story), report.email).keys()].filter((one) => one !== '');
    await story.stop();
    const teamOf = (index: number) => (index < 2 ? 'pair' : index % 2 ? 'odd' : 'even');
    const teamed = await startOf({
      kind,
      collectors,
      flags: ['teams.file=t.csv'],
      files: new Map([['t.csv', csvOf(people, teamOf)]]),
    });
    const page = await teamed.page();
    const rows = await teamed.rows('analytics/cost', spanOf('actor', YESTERDAY));
    const costs = byPerson(rows, 'group.actor.email_address');
    const cost = (team: string) =>
      people
        .filter((_, index) => teamOf(index) === team)
        .reduce((sum, person) => sum + exactCents(costs.get(person) ?? [], 'cost.amount'), 0n);
    const byTeam = page.by('team', 'agent_platform_daily_cost_by_team');
    // The pair is only shown together with so many people that it stays unknown.
    const rest = exactCents(rows, 'cost.amount') - cost('even') - cost('odd') - cost('pair');
    const { other, none = 0, unassigned = 0, ...whole } = byTeam;
    const [[team = '', costOfTeam] = []] = Object.entries(whole);
    expect(Object.keys(whole)).toEqual([expect.stringMatching(/^(even|odd)$/)]);
    expect(costOfTeam).toBeCloseTo(dollars(cost(team)), 6);
    expect(other).toBeCloseTo(dollars(cost(team === 'odd' ? 'even' : 'odd') + cost('pair')), 6);
    expect(none + unassigned).toBeCloseTo(dollars(rest), 6);
  });

  test('who only cost money were not active', async () => {
    const story = await startOf({
      kind,
      collectors,
      change: (answer, { pathname, searchParams }) => {
        if (!pathname.endsWith('/cost') || searchParams.get('group_by[]') !== 'actor') return;
        const [row] = answer.body['data'] as Json[];
        if (row === undefined) return;
        const actor = {
          type: 'user_actor',
          user_id: 'user_9',
          email_address: 'Zoe@acme.example',
          name: 'Zoe',
        };
        const cost = { amount: '70000.5', list_amount: '70000.5', currency: 'USD', requests: 1 };
        (answer.body['data'] as Json[]).push({
          ...row,
          group: { ...(row['group'] as Json), actor: { ...actor, deleted: false } },
          cost,
        });
      },
    });
    const page = await story.page();
    const rows = await report.of(story);
    const active = [...byPerson(rows, report.email)].filter(([person]) => person !== '');
    expect(page.value('agent_platform_daily_active_users_by_team', { team: 'none' })).toBe(active.length);
    const costs = await story.rows('analytics/cost', spanOf('actor', YESTERDAY));
    const named = costs.filter((row) => at(row, 'group.actor.type') === 'user_actor');
    expect(page.value('agent_platform_daily_cost_by_team', { team: 'none' })).toBeCloseTo(
      dollars(exactCents(named, 'cost.amount') + 70_000_500_000n),
      6,
    );
  });

  test('of a day are complete: a day later, three days are asked for again', async () => {
    const story = await startOf({ kind, collectors });
    const before = story.asked.length;
    story.clock.advance(DAY);
    await story.poll();
    const again = story.asked.slice(before).filter(({ pathname }) => /claude_code|users/.test(pathname));
    const days = again.map(({ searchParams }) => searchParams.get('starting_at') ?? searchParams.get('date'));
    expect(days).toEqual(['2026-11-20', '2026-11-19', '2026-11-18']);
  });

  test('are published without cost where the report on cost is refused', async () => {
    const story = await startOf({
      kind,
      collectors,
      sandbox: { faults: ['400@cost'] },
      flags: shown,
    });
    const page = await story.page();
    expect(page.find('agent_platform_daily_sessions_by_user').length).toBeGreaterThan(10);
    expect(page.find('agent_platform_daily_cost_by_team')).toEqual([]);
    expect(await story.poll()).toEqual(['anna/tokens']);
  });

  test('wait for a late export of money', async () => {
    const story = await startOf({ kind, collectors, begins: NOON - 6 * DAY });
    const newest = async () => (await story.page()).value(DAY_OF, { dataset: 'users' });
    expect(await newest()).toBe(Date.parse('2026-11-13') / 1000);
    story.sandbox.setFaults(['late=5@cost']);
    for (let day = 0; day < 5; day++) {
      story.clock.advance(DAY);
      expect(await story.poll()).toEqual([]);
      expect(await newest()).toBe(Date.parse('2026-11-13') / 1000);
    }
    story.sandbox.setFaults([]);
    const before = story.asked.length;
    story.clock.advance(DAY);
    await story.poll();
    expect(await newest()).toBe(Date.parse(YESTERDAY) / 1000);
    const reports = story.asked.slice(before).filter(({ pathname }) => /claude_code|users/.test(pathname));
    const days = reports.map(
      ({ searchParams }) => searchParams.get('starting_at') ?? searchParams.get('date') ?? '',
    );
    for (const day of daysFrom('2026-11-14' as Day, YESTERDAY as Day)) expect(days).toContain(day);
  });
});

describe('a program with a key of the Console', () => {
  test('is no person, but its sessions and commits count', async () => {
    const story = await startOf({ collectors: ['activity', 'productivity', 'users'], flags: shown });
    const page = await story.page();
    const rows = await REPORTS.console.of(story);
    const isKey = (row: Json) => at(row, 'actor.type') === 'api_actor';
    expect(rows.filter(isKey).length).toBeGreaterThan(0);
    expect(page.value('agent_platform_daily_sessions')).toBe(total(rows, 'core_metrics.num_sessions'));
    expect(page.value('agent_platform_daily_git_commits')).toBe(
      total(rows, 'core_metrics.commits_by_claude_code'),
    );
    const people = new Set(
      rows.filter((row) => !isKey(row)).map((row) => String(at(row, 'actor.email_address')).toLowerCase()),
    );
    expect(page.value('agent_platform_daily_active_users')).toBe(people.size);
    const sessions = usedOf(page.by('user', 'agent_platform_daily_sessions_by_user'));
    expect(Object.keys(sessions).toSorted()).toEqual([...people].toSorted());
    expect(page.text).not.toContain('ci-');
  });
});

test('the days of a person stay when the account is deleted', async () => {
  const story = await startOf({
    collectors,
    begins: Date.UTC(2026, 8, 30, 12),
    flags: [...shown, 'history.start=2026-09-20'],
  });
  const before = Object.keys((await story.page()).by('user', 'agent_platform_daily_sessions_by_user'));
  story.clock.advance(2 * DAY);
  await story.poll();
  const costs = await story.rows('analytics/cost', spanOf('actor', '2026-09-29'));
  expect(costs.filter((row) => at(row, 'group.actor.deleted') === true).length).toBeGreaterThan(0);
  const after = Object.keys((await story.page()).by('user', 'agent_platform_daily_sessions_by_user'));
  expect(after).toEqual(expect.arrayContaining(before));
  const month = await story.rows('analytics/cost', spanOf('model', '2026-09-20', '2026-09-30'));
  expect(month.length).toBeGreaterThan(0);
  expect(story.logged('level=warn')).toEqual([]);
});
