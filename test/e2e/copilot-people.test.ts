import { expect, test } from 'vitest';
import { createCopilotSandbox } from '../../src/sandbox/index.ts';
import type { Json } from '../sandbox/asking.ts';
import { billOf, startCopilotStory } from './copilot-story.ts';
import { DAY, NOON } from './harness.ts';

const NEWEST = '2026-11-17';

const count = (row: Json, ...path: string[]) =>
  Number(path.reduce<unknown>((value, name) => (value as Json | undefined)?.[name], row) ?? 0);

/** Whether somebody did something, rather than having it done. */
function isActive(row: Json): boolean {
  const counts = [
    count(row, 'user_initiated_interaction_count'),
    count(row, 'code_generation_activity_count'),
    count(row, 'totals_by_cli', 'session_count'),
    count(row, 'totals_by_copilot_app', 'session_count'),
  ];
  return counts.some((one) => one > 0);
}

test('people have their credits, sessions and prompts; who has credits alone was not active', async () => {
  const story = await startCopilotStory({
    sandbox: { users: 40 },
    collectors: ['tokens', 'users'],
    flags: ['users.identity=id'],
  });
  const page = await story.page();
  const rows = await story.rows('users-1-day', NEWEST);
  const value = (name: string, row: Json) =>
    page.by('user', `agent_platform_daily_${name}_by_user`)[String(row['user_login'])];
  expect(rows.length).toBeGreaterThan(20);
  for (const row of rows) {
    expect(value('credits', row)).toBeCloseTo(count(row, 'ai_credits_used'), 6);
    const sections = [row['totals_by_cli'], row['totals_by_copilot_app']].filter((one) => one !== undefined);
    const sessions = sections.reduce<number>((sum, one) => sum + count(one as Json, 'session_count'), 0);
    expect(value('sessions', row)).toBe(sections.length === 0 ? undefined : sessions);
  }
  const active = rows.filter(isActive);
  expect(active.length).toBeLessThan(rows.length);
  const credits = active.map((row) => count(row, 'ai_credits_used')).sort((one, other) => one - other);
  const max = page.value('agent_platform_daily_credits_per_user', { stat: 'max' });
  expect(max).toBeCloseTo(credits.at(-1) ?? 0, 6);
  expect(page.text).not.toMatch(/^agent_platform_daily_(tool_calls|files|git_commits)_by_user/m);
  expect(story.logged('level=warn')).toEqual([]);
});

test.each(['t.csv', 't.yaml'])(
  'a teams file names logins; a team has the credits of all, and what no team has is unassigned: %s',
  async (file) => {
    const logins = (await loginsOf()).slice(0, 24);
    const csv = ['user,team', ...logins.map((login, index) => `${login},${index % 2 ? 'odd' : 'even'}`)];
    const yaml = logins.map(
      (login, index) => `    - {email: p${index}@acme.example, logins: {copilot: ${login}}}`,
    );
    const parity = (odd: number) => yaml.filter((_, index) => index % 2 === odd);
    const people = ['people:', '  even:', ...parity(0), '  odd:', ...parity(1)];
    const story = await startCopilotStory({
      sandbox: { users: 40 },
      collectors: ['tokens', 'users'],
      flags: [`teams.file=${file}`],
      files: new Map([[file, (file === 't.csv' ? csv : people).join('\n')]]),
    });
    const page = await story.page();
    const rows = await story.rows('users-1-day', NEWEST);
    const sums = { even: 0, odd: 0, none: 0 };
    for (const row of rows) {
      const index = logins.indexOf(String(row['user_login']));
      sums[index < 0 ? 'none' : index % 2 ? 'odd' : 'even'] += count(row, 'ai_credits_used');
    }
    const [year, month, day] = NEWEST.split('-').map(Number);
    const bill = await billOf(story, `${year}-${month}-${day}`);
    const total = bill.reduce((sum, item) => sum + Number(item['grossQuantity']), 0);
    const byTeam = page.by('team', 'agent_platform_daily_credits_by_team');
    expect(byTeam['even']).toBeCloseTo(sums.even, 6);
    expect(byTeam['odd']).toBeCloseTo(sums.odd, 6);
    // A credit is worth 0.01 USD.
    const cost = page.by('team', 'agent_platform_daily_cost_by_team');
    expect(cost['even']).toBeCloseTo(sums.even / 100, 6);
    expect(byTeam['unassigned']).toBeCloseTo(total - sums.even - sums.odd - sums.none, 6);
  },
);

test('a revision within the window reaches people', async () => {
  const story = await startCopilotStory({ collectors: ['users'], flags: ['users.identity=id'] });
  story.clock.advance(DAY);
  await story.poll();
  story.sandbox.reviseDay(NEWEST);
  story.clock.advance(DAY);
  await story.poll();
  const rows = await story.rows('users-1-day', NEWEST);
  const revised = story.logged('Known days revised', 'dataset=users', NEWEST).at(-1);
  const sum = Number(/2026-11-17: [\d.]+ -> ([\d.]+)/.exec(revised ?? '')?.[1]);
  expect(sum).toBeCloseTo(
    rows.reduce((all, row) => all + count(row, 'ai_credits_used'), 0),
    6,
  );
});

async function loginsOf(): Promise<readonly string[]> {
  const sandbox = createCopilotSandbox({ now: () => NOON, users: 40 });
  return (sandbox.orgs[0]?.people ?? []).map(({ login }) => login);
}
