import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { LOOK_MS } from '../../src/config/followed.ts';
import type { Identity } from '../../src/config/people/people.ts';
import { createPeople, type People } from '../../src/config/people/people.ts';
import { createFakeFiles } from '../support/fake-files.ts';
import { waitFor } from '../support/wait-for.ts';
import { DAY, type StoryOptions, YESTERDAY } from './harness.ts';
import { expectAllCounted, isActive, peopleOf, startWithPeople, sumOf } from './people.ts';
import type { Row } from './recount.ts';

const KEY = 'a key for the tests';

function peopleWith(identity: Identity): Promise<People> {
  return createPeople({
    identity,
    teamsFile: undefined,
    environment: {},
    files: createFakeFiles(new Map()),
  });
}

/** A teams file of the first people, and the resulting members of each team. */
function teamsOf(people: readonly Row[], sizes: Readonly<Record<string, number>>) {
  const team = new Map<unknown, string>();
  const active = people.filter(isActive);
  for (const [name, size] of Object.entries(sizes)) {
    for (const row of active.splice(0, size)) team.set(row['user_id'], name);
  }
  return {
    text: [...team].map(([id, name]) => `${id},${name}\n`).join(''),
    of: (row: Row) => team.get(row['user_id']) ?? 'none',
  };
}

test('every figure of people and teams is what the API’s own rows add up to', async () => {
  const files = new Map<string, string | Error>([['teams.csv', '']]);
  // Only its platform is asked, for who is in it.
  const people = await peopleOf(await startWithPeople({ collectors: ['wiki'] }));
  const teams = teamsOf(people, { web: 20, platform: 9, tiny: 3 });
  files.set('teams.csv', teams.text);
  const page = await (
    await startWithPeople({ files, flags: ['teams.file=teams.csv', 'users.identity=id'] })
  ).page();

  const active = people.filter(isActive);
  expect(active.length).toBeGreaterThan(50);
  const counted = (field: string) =>
    Object.fromEntries(
      [...Map.groupBy(active, (row) => String(row[field]))].map(([name, rows]) => [name, rows.length]),
    );
  expect(page.by('level', 'agent_platform_daily_users_by_delegation_level')).toEqual(
    counted('delegation_level'),
  );
  const byTeam = (field: string) => {
    const groups = Map.groupBy(people, (row) =>
      ['tiny', 'platform'].includes(teams.of(row)) ? 'other' : teams.of(row),
    );
    return Object.fromEntries([...groups].map(([name, rows]) => [name, sumOf(rows, field)]));
  };
  expect(page.by('team', 'agent_platform_daily_credits_by_team')).toEqual(byTeam('billable_tokens'));
  expect(page.by('team', 'agent_platform_daily_tool_calls_by_team')).toEqual(byTeam('tool_calls'));
  expect(page.by('team', 'agent_platform_daily_git_commits_by_team')).toEqual(byTeam('git_commits'));
  const families = {
    credits: 'billable_tokens',
    tool_calls: 'tool_calls',
    sessions: 'sessions',
    git_commits: 'git_commits',
    git_pull_requests_created: 'git_prs_created',
    mcp_calls: 'mcp_calls',
    skill_invocations: 'skill_calls',
    slash_command_invocations: 'slash_commands',
    hook_invocations: 'hooks',
    autonomy_ratio: 'autonomy_ratio',
  };
  const today = new Set(people.map((row) => String(row['user_id'])));
  for (const [name, field] of Object.entries(families)) {
    const shown = page.by('user', `agent_platform_daily_${name}_by_user`);
    expect(Object.fromEntries(Object.entries(shown).filter(([user]) => today.has(user))), name).toEqual(
      Object.fromEntries(people.map((row) => [String(row['user_id']), row[field]])),
    );
    // People active on the preceding days who are missing now did nothing.
    const missing = Object.entries(shown).filter(([user]) => !today.has(user));
    expect(missing.every(([, value]) => value === 0)).toBe(true);
  }
  // The organization's own total, which is known from another endpoint.
  const credits = Object.values(page.by('team', 'agent_platform_daily_credits_by_team'));
  expect(credits.reduce((sum, one) => sum + one, 0)).toBe(page.value('agent_platform_daily_credits'));
  expect(page.value('agent_platform_daily_credits_unattributed', { breakdown: 'user' })).toBe(0);
});

test('only the revision window is requested at first, a day at a time, and missed days are fetched later', async () => {
  const story = await startWithPeople({ sandbox: { users: 20 } });
  const daysAsked = () => {
    const asked = story.platform.requests.filter(({ path }) => path.endsWith('/users'));
    expect(asked.every(({ query }) => query['startDate'] === query['endDate'])).toBe(true);
    return [...new Set(asked.map(({ query }) => query['startDate']))].toSorted();
  };
  expect(daysAsked()).toEqual(['2026-11-17', '2026-11-18', '2026-11-19']);
  expect((await story.page()).value('agent_platform_history_uncovered', { dataset: 'users' })).toBe(0);
  story.clock.advance(9 * DAY);
  await story.poll();
  expect(daysAsked()).toHaveLength(12);
  expect((await story.page()).value('agent_platform_history_uncovered', { dataset: 'users' })).toBe(0);
});

test.each([
  [['repeated-cursor'], 'schema', 'a repeated cursor'],
  [['cut-off@users'], 'network', ''],
  [['500=1@users'], 'server', ''],
  [['malformed@users'], 'schema', ''],
])(
  'with %j the people of the previous day stay, and the reason is reported',
  async (faults, reason, words) => {
    const story = await startWithPeople({ flags: ['api.retries=0'] });
    const name = 'agent_platform_daily_credits_by_team';
    const before = (await story.page()).value(name, { team: 'none' });
    story.platform.setFaults(faults);
    story.clock.advance(DAY);
    expect(await story.poll()).toContain('acme/users');
    const page = await story.page();
    expect(page.value(name, { team: 'none' })).toBe(before);
    expect(page.value('agent_platform_data_day_timestamp_seconds', { dataset: 'users' })).toBe(
      Date.parse(YESTERDAY) / 1000,
    );
    expect(page.value('agent_platform_exporter_collector_failing', { collector: 'users', reason })).toBe(1);
    expect(story.logged('level=warn', 'collector=users', words)).toHaveLength(1);
    story.platform.setFaults([]);
    expect(await story.poll()).toEqual([]);
    expect((await story.page()).value(name, { team: 'none' })).not.toBe(before);
  },
);

/** Everything that the process has written except for its database, as one text. */
function written(directory: string): string {
  return readdirSync(directory)
    .map((file) => readFileSync(join(directory, file), 'latin1'))
    .join('\n');
}

function folder(): string {
  const directory = mkdtempSync(join(tmpdir(), 'users-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  return directory;
}

test('no one is named anywhere, not even in the store, unless people are identified', async () => {
  const directory = folder();
  const story = await startWithPeople({
    collectors: ['tokens', 'spend', 'tools', 'activity', 'productivity', 'users', 'readiness', 'wiki'],
    sandbox: { users: 60 },
    flags: [`storage.path=${join(directory, 'history.db')}`, 'history.start=2026-11-12'],
  });
  const people = await peopleOf(story);
  const shown: string[] = [];
  for (const faults of [
    [],
    ['bad-rows=0.5'],
    ['repeated-cursor'],
    ['500=0.5', 'error-body'],
    ['html=1:200'],
  ]) {
    story.platform.setFaults(faults);
    story.clock.advance(DAY);
    await story.poll();
    for (const path of ['/metrics', '/', '/status', '/-/ready', '/nothing?user=x']) {
      shown.push(await (await story.get(path)).text());
    }
  }
  const everything = [...shown, story.log(), written(directory)].join('\n');
  expect(everything).toContain('agent_platform_daily_users_by_language');
  expect(written(directory)).toContain('byDelegationLevel');
  const names = people
    .flatMap((row) => [row['user_id'], row['user_email']])
    .filter((name) => typeof name === 'string');
  expect(names.length).toBeGreaterThan(50);
  expect(names.filter((name) => everything.includes(name))).toEqual([]);
});

test('a change of the identification leaves nothing of the former one, on the page or in the store', async () => {
  const directory = folder();
  const options = (identity: string): StoryOptions => ({
    sandbox: { users: 40 },
    environment: { AGENT_PLATFORM_USERS_HASH_KEY: KEY },
    flags: [`storage.path=${join(directory, 'history.db')}`, `users.identity=${identity}`],
  });
  const story = await startWithPeople(options('email'));
  const people = await peopleOf(story);
  const emails = people.flatMap((row) => (typeof row['user_email'] === 'string' ? [row['user_email']] : []));
  const ids = people.map((row) => String(row['user_id']));
  expect((await story.page()).text).toContain(emails[0]);
  expect(written(directory)).toContain(emails[0]);
  await story.stop();

  // Stored days are published before anything is requested.
  const refused = { ...options('hash'), keys: { acme: 'no-key' } };
  const waiting = await startWithPeople(refused);
  const before = await waiting.page();
  expect(before.find('agent_platform_user_info')).toEqual([]);
  expect(before.find('agent_platform_daily_credits_by_team')).not.toEqual([]);
  expect(emails.filter((email) => before.text.includes(email) || written(directory).includes(email))).toEqual(
    [],
  );
  await waiting.stop();

  const hashed = await startWithPeople(options('hash'));
  const page = await hashed.page();
  expect(page.find('agent_platform_user_info').length).toBeGreaterThan(10);
  expect(
    Object.keys(page.by('user', 'agent_platform_daily_credits_by_user')).every((user) =>
      /^[0-9a-f]{16}$/.test(user),
    ),
  ).toBe(true);
  expect(
    [...emails, ...ids].filter((name) => page.text.includes(name) || written(directory).includes(name)),
  ).toEqual([]);
  await hashed.stop();

  const none = await startWithPeople(options('none'));
  expect((await none.page()).text).not.toContain('user="');
  expect(written(directory)).not.toContain('"user":');
});

test('a change of the identification also takes effect on a reload', async () => {
  const story = await startWithPeople({ sandbox: { users: 40 }, flags: ['users.identity=id'] });
  const ids = Object.keys((await story.page()).by('user', 'agent_platform_daily_credits_by_user'));
  expect(ids.length).toBeGreaterThan(10);
  async function reload(identity: 'none' | 'email') {
    const people = await peopleWith(identity);
    expect(await story.reload((config) => ({ ...config, people }))).toEqual({ ok: true });
  }
  await reload('email');
  expect(ids.filter((id) => story.log().includes(id))).toEqual([]);
  const shown = await waitFor(async () => {
    const page = await story.page();
    expect(page.find('agent_platform_user_info').length).toBeGreaterThan(10);
    return page;
  });
  // People without an address are shown by id.
  const people = await peopleOf(story);
  const nameless = new Set(people.filter((row) => row['user_email'] === null).map((row) => row['user_id']));
  const today = new Set(people.map((row) => row['user_id']));
  expect(ids.filter((id) => today.has(id) && !nameless.has(id) && shown.text.includes(id))).toEqual([]);
  expect(story.logged('Known days revised')).toEqual([]);
  await reload('none');
  const page = await story.page();
  expect(page.text).not.toContain('user="');
  expect(page.find('agent_platform_daily_users_by_language')).not.toEqual([]);
});

test('many people are counted like few', () => expectAllCounted(2_000));

test('a changed teams file takes effect at the next look, and an invalid one changes nothing', async () => {
  const files = new Map<string, string | Error>([['t.csv', '*@acme.example,first\n']]);
  const story = await startWithPeople({ files, flags: ['teams.file=t.csv'], sandbox: { users: 120 } });
  const teams = async () =>
    Object.keys((await story.page()).by('team', 'agent_platform_daily_credits_by_team'));
  expect(await teams()).toContain('first');
  files.set('t.csv', '*@acme.example\n');
  // It is a problem once two looks have found it.
  await waitFor(() => {
    story.clock.advance(LOOK_MS);
    expect(story.logged('level=error', 't.csv:1: has no team')).toHaveLength(1);
  });
  expect(await teams()).toContain('first');
  files.set('t.csv', '*@acme.example,second\n');
  story.clock.advance(LOOK_MS);
  await waitFor(async () => expect(await teams()).toContain('second'));
  expect(await teams()).not.toContain('first');
  expect(story.log()).not.toContain('acme.example');
});

test('an answer to a request with the former identification is discarded', async () => {
  const directory = folder();
  const story = await startWithPeople({
    flags: [`storage.path=${join(directory, 'history.db')}`, 'users.identity=id'],
  });
  const pagesRead = () => story.platform.requests.filter(({ path }) => path.endsWith('/users')).length;
  const ids = (await peopleOf(story)).map((row) => String(row['user_id']));
  story.platform.setFaults(['slow=1:100@users']);
  story.clock.advance(DAY);
  const before = pagesRead();
  const run = story.poll();
  await waitFor(() => expect(pagesRead()).toBeGreaterThan(before));
  const people = await peopleWith('none');
  await story.reload((config) => ({ ...config, people }));
  await run;
  story.platform.setFaults([]);
  await story.poll();
  expect((await story.page()).find('agent_platform_daily_users_by_language')).not.toEqual([]);
  expect((await story.page()).text).not.toContain('user="');
  expect(ids.filter((id) => written(directory).includes(id))).toEqual([]);
});
