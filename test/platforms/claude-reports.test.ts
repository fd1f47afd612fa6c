import { describe, expect, test } from 'vitest';
import type { DayReader } from '../../src/catalog/collector.ts';
import { addDays } from '../../src/catalog/day.ts';
import type { PersonDay } from '../../src/collectors/users/person-day.ts';
import { reports } from '../../src/platforms/claude/reports.ts';
import { reader as tools } from '../../src/platforms/claude/tools.ts';
import { claudeSource, costRow, DAY, endpointOf, pageOf } from './claude-source.ts';

type Json = Readonly<Record<string, unknown>>;

const { console: claudeCode, enterprise } = reports;

const EDIT = { accepted: 3, rejected: 1 };

const NOTHING = {
  num_sessions: 0,
  lines_of_code: { added: 0, removed: 0 },
  commits_by_claude_code: 0,
  pull_requests_by_claude_code: 0,
};

/** A row of the report on Claude Code. */
function codeRow(email: string | null, more: Json = {}, core: Json = {}): Json {
  return {
    date: `${DAY}T00:00:00Z`,
    actor: { type: 'user_actor', email_address: email },
    is_remote: false,
    terminal_type: 'vscode',
    core_metrics: {
      num_sessions: 2,
      lines_of_code: { added: 10, removed: 4 },
      commits_by_claude_code: 1,
      pull_requests_by_claude_code: 1,
      ...core,
    },
    tool_actions: { edit_tool: EDIT, a_new_tool: { accepted: 5, rejected: 0 } },
    model_breakdown: [],
    ...more,
  };
}

/** A row of an Enterprise member. */
function memberRow(email: string | null, more: Json = {}, core: Json = {}): Json {
  const none = { accepted_count: 0, rejected_count: 0 };
  return {
    user: { id: 'user_1', email_address: email, type: 'user' },
    claude_code_metrics: {
      core_metrics: {
        commit_count: 0,
        pull_request_count: 0,
        distinct_session_count: 0,
        lines_of_code: { added_count: 0, removed_count: 0 },
        ...core,
      },
      tool_actions: { edit_tool: none, multi_edit_tool: none, write_tool: none, notebook_edit_tool: none },
    },
    chat_metrics: { message_count: 0 },
    web_search_count: 0,
    ...more,
  };
}

/** Answers these rows by the last part of a path. */
function answering(rows: Readonly<Record<string, readonly Json[]>>) {
  return claudeSource((request) => pageOf(rows[endpointOf(request)] ?? []));
}

async function read<Row>(reader: DayReader<Row>, rows: Readonly<Record<string, readonly Json[]>>) {
  const { source, asked } = answering(rows);
  const fetched = await reader.fetchDays(source, { from: DAY, to: DAY });
  return { ...fetched, row: fetched.rows.get(DAY), asked };
}

async function people(users: typeof claudeCode.users, rows: Readonly<Record<string, readonly Json[]>>) {
  const found: PersonDay[] = [];
  const { source, asked } = answering(rows);
  const listing = await users.readPeople(source, DAY, (person) => found.push(person));
  return { found, asked, ...listing };
}

describe('the report on Claude Code', () => {
  const rows = {
    claude_code: [
      codeRow('Ann@example.com'),
      codeRow('ann@example.com ', { is_remote: true, terminal_type: null }),
      codeRow('bob@example.com', { terminal_type: null }),
      codeRow('bob@example.com', { tool_actions: {} }, NOTHING),
      codeRow(null, { actor: { type: 'api_actor', api_key_name: 'ci' } }, { num_sessions: 40 }),
      codeRow('eve@example.com', { tool_actions: {} }, NOTHING),
    ],
    cost: [
      costRow({ actor: { type: 'user_actor', user_id: 'u', email_address: 'ANN@example.com' } }, '50'),
      costRow({ actor: { type: 'user_actor', user_id: 'gone', email_address: null } }, '60'),
    ],
  };

  test('counts a person of two rows once, a key as nobody, and the figures of all', async () => {
    const { row } = await read(claudeCode.activity, rows);
    expect(row).toEqual({
      dailyUsers: 2,
      sessions: 46,
      byClient: [
        { name: 'remote', count: 1 },
        { name: 'unknown', count: 1 },
        { name: 'vscode', count: 1 },
      ],
    });
    expect((await read(claudeCode.productivity, rows)).row).toEqual({
      commits: 4,
      pullRequests: 4,
      linesAdded: 40,
      linesRemoved: 16,
      suggestionsShown: 36,
      suggestionsAccepted: 32,
    });
  });

  test('has the people with their cost, also those who did nothing', async () => {
    const { found, faults } = await people(claudeCode.users, rows);
    expect(found).toEqual([
      {
        ...{ person: { id: 'ann@example.com', email: 'ann@example.com' }, isActive: true, cost: 0.5 },
        ...{ sessions: 4, commits: 2, pullRequests: 2 },
      },
      {
        ...{ person: { id: 'bob@example.com', email: 'bob@example.com' }, isActive: true, cost: 0 },
        ...{ sessions: 2, commits: 1, pullRequests: 1 },
      },
      {
        ...{ person: { id: 'eve@example.com', email: 'eve@example.com' }, isActive: false, cost: 0 },
        ...{ sessions: 0, commits: 0, pullRequests: 0 },
      },
      { person: { id: 'gone', email: undefined }, isActive: false, cost: 0.6 },
    ]);
    expect(faults).toEqual([]);
  });

  test('of which somebody is unknown has no count of people, and no people', async () => {
    const unnamed = { ...rows, claude_code: [...rows.claude_code, codeRow(null)] };
    const { row } = await read(claudeCode.activity, unnamed);
    expect(row).toMatchObject({ sessions: 48, rejected: { day: 1, clients: 1 } });
    expect([row?.dailyUsers, row?.byClient]).toEqual([undefined, undefined]);
    await expect(people(claudeCode.users, unnamed)).rejects.toThrow('incomplete listing of people');
  });

  test('with an unusable figure lacks its sum, and it may be unclear who was active', async () => {
    const odd = { claude_code: [codeRow('ann@example.com', {}, { num_sessions: 'many' })] };
    expect((await read(claudeCode.activity, odd)).row).toMatchObject({
      dailyUsers: 1,
      rejected: { sessions: 1 },
    });
    const idle = { lines_of_code: { added: 0, removed: 0 }, commits_by_claude_code: 0 };
    const core = { ...idle, num_sessions: 'many', pull_requests_by_claude_code: 0 };
    const unclear = { claude_code: [codeRow('ann@example.com', { tool_actions: {} }, core)] };
    expect((await read(claudeCode.activity, unclear)).row).toMatchObject({
      dailyUsers: undefined,
      rejected: { day: 1, clients: 1, sessions: 1 },
    });
    expect((await people(claudeCode.users, unclear)).faults).toEqual([['sessions', 'isActive']]);
    const { row } = await read(claudeCode.productivity, {
      claude_code: [codeRow('ann@example.com', { tool_actions: { edit_tool: { accepted: 3 } } })],
    });
    expect(row).toMatchObject({ suggestionsAccepted: 3, commits: 1, rejected: { suggestionsShown: 1 } });
    expect(row).not.toHaveProperty('suggestionsShown');
  });

  test('is asked for once for activity and output, and its rows must be those of the day', async () => {
    const { source, asked } = answering(rows);
    await claudeCode.activity.fetchDays(source, { from: DAY, to: DAY });
    await claudeCode.productivity.fetchDays(source, { from: DAY, to: DAY });
    expect(asked.map(({ query }) => query)).toEqual([{ starting_at: DAY, limit: '1000' }]);
    const other = { claude_code: [codeRow('ann@example.com', { date: '2026-11-18T00:00:00Z' })] };
    await expect(read(claudeCode.activity, other)).rejects.toThrow('incomplete listing');
  });

  test('is read for several days newest first; one without rows has none', async () => {
    const { source, asked } = claudeSource(({ query }) =>
      pageOf(query['starting_at'] === DAY ? rows.claude_code : []),
    );
    const { rows: days } = await claudeCode.activity.fetchDays(source, { from: addDays(DAY, -1), to: DAY });
    expect([...days.keys()]).toEqual([DAY]);
    expect(asked.map(({ query }) => query['starting_at'])).toEqual([DAY, '2026-11-18']);
  });
});

describe('the report on Enterprise members', () => {
  test('shows who was active with any product', async () => {
    const users = [
      memberRow('a@example.com', {}, { distinct_session_count: 1, commit_count: 2 }),
      memberRow('b@example.com', { chat_metrics: { message_count: 3 } }),
      memberRow('c@example.com', { science_metrics: { nested: { run_count: 1 } } }),
      memberRow('d@example.com', { web_search_count: 2 }),
      memberRow('e@example.com'),
      memberRow(null, { user: null }, { distinct_session_count: 7 }),
    ];
    const { found } = await people(enterprise.users, { users, cost: [] });
    expect(found.map(({ person, isActive }) => [person.id.slice(0, 1), isActive])).toEqual([
      ['a', true],
      ['b', true],
      ['c', true],
      ['d', true],
      ['e', false],
    ]);
    const starting = { starting_at: `${DAY}T00:00:00Z`, ending_at: '2026-11-20T00:00:00Z' };
    const summaries = [
      {
        ...{ ...starting, daily_active_user_count: 4, weekly_active_user_count: 5 },
        ...{ monthly_active_user_count: 6, assigned_seat_count: 9, claude_code_daily_active_user_count: 1 },
        ...{ chat_daily_active_user_count: 2, cowork_daily_active_user_count: null },
      },
    ];
    const { row, asked } = await read(enterprise.activity, { users, summaries });
    expect(row).toEqual({
      ...{ dailyUsers: 4, weeklyUsers: 5, monthlyUsers: 6, seats: 9, sessions: 8 },
      byClient: [
        { name: 'chat', count: 2 },
        { name: 'claude_code', count: 1 },
      ],
    });
    expect(asked.map(({ query }) => query)).toEqual([
      { starting_date: DAY, ending_date: '2026-11-20', limit: '1000' },
      { date: DAY, limit: '1000' },
    ]);
  });

  test('and summaries lack what is unusable in them', async () => {
    const summary = {
      ...{ starting_at: `${DAY}T00:00:00Z`, daily_active_user_count: -1, weekly_active_user_count: 5 },
      ...{ monthly_active_user_count: 6, assigned_seat_count: 'all', chat_daily_active_user_count: {} },
    };
    const { row, rejected } = await read(enterprise.activity, { users: [], summaries: [summary] });
    expect([row?.rejected, rejected]).toEqual([{ day: 1, seats: 1, clients: 1 }, 3]);
    // The report on members says that nobody has used Claude Code.
    expect(row).toMatchObject({ weeklyUsers: 5, byClient: [{ name: 'chat', count: null }], sessions: 0 });
  });

  test('reads summaries of either envelope', async () => {
    const summary = { starting_at: `${DAY}T00:00:00Z`, daily_active_user_count: 3 };
    const { source } = claudeSource((request) =>
      endpointOf(request) === 'summaries' ? { summaries: [summary] } : { data: [], next_page: null },
    );
    const { rows } = await enterprise.activity.fetchDays(source, { from: DAY, to: DAY });
    expect(rows.get(DAY)?.dailyUsers).toBe(3);
  });
});

describe('skills and connectors', () => {
  const calls = (name: string, read: unknown, write: unknown, other: unknown) => ({
    ...{ connector_name: name, distinct_user_count: 1 },
    ...{ read_call_count: read, write_call_count: write, unclassified_call_count: other },
  });

  test('have their calls by name; connectors in lower case', async () => {
    const { row } = await read(tools, {
      skills: [
        { skill_name: 'Review', invocation_count: 3 },
        { skill_name: 'docs', invocation_count: 0 },
      ],
      connectors: [calls('GitHub', 1, 2, 3), calls('github', 10, 0, 0), calls('none', 0, 0, 0)],
    });
    expect(row).toEqual({
      skillInvocations: 3,
      bySkill: [
        { name: 'Review', count: 3 },
        { name: 'docs', count: 0 },
      ],
      mcpByServer: [
        { name: 'github', count: 16 },
        { name: 'none', count: 0 },
      ],
    });
  });

  test('whose calls are not counted are unknown, and not none', async () => {
    const { row, rejected } = await read(tools, {
      skills: [
        { skill_name: 'review', invocation_count: null },
        { skill_name: 'docs', invocation_count: 2 },
      ],
      connectors: [calls('github', 5, null, 0)],
    });
    expect([row, rejected]).toEqual([{}, 0]);
  });

  test('with an unusable count lack their sum', async () => {
    const { row } = await read(tools, {
      skills: [{ skill_name: 'review', invocation_count: -1 }],
      connectors: [calls('github', 5, 'x', 0), calls('jira', 1, 0, 0)],
    });
    expect(row?.rejected).toEqual({ skillCalls: 1, skills: 1, mcpServers: 1 });
    expect(row?.skillInvocations).toBeUndefined();
    expect(row?.mcpByServer).toEqual([
      { name: 'github', count: null },
      { name: 'jira', count: 1 },
    ]);
  });

  test('on a day without calls there is no row, and a row without a name makes the listing incomplete', async () => {
    expect((await read(tools, {})).rows.size).toBe(0);
    await expect(read(tools, { skills: [{ invocation_count: 1 }] })).rejects.toThrow('incomplete listing');
  });
});

test('people wait for the export of money', async () => {
  const found: PersonDay[] = [];
  const { source, asked } = claudeSource((request) =>
    endpointOf(request) === 'cost'
      ? pageOf([], { data_refreshed_at: `${DAY}T20:00:00Z` })
      : pageOf([codeRow('ann@example.com')]),
  );
  const { unready } = await claudeCode.users.readPeople(source, DAY, (person) => found.push(person));
  expect([found, [...(unready ?? [])], asked.map(endpointOf)]).toEqual([[], [DAY], ['cost']]);
});
