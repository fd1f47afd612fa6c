import { describe, expect, test } from 'vitest';
import { createAsked, type Json, rowsOf, sum, yesterday } from './asking.ts';

/** Three weeks with a spike, a day of zeros, a day without rows and revised totals. */
const [start, end] = ['2026-10-19', '2026-11-19'];
const asked = createAsked();

async function byDate(endpoint: string): Promise<Map<string, Json>> {
  return new Map((await asked.rows(endpoint, start, end)).map((row) => [String(row['date']), row]));
}

describe('the figures of a day are consistent', () => {
  test('the figures attributed to users are those of /users', async () => {
    const people = await asked.rows('users', start, end, { limit: 100 });
    for (const [date, row] of await byDate('tokens')) {
      const accounts = rowsOf(row, 'by_user');
      const there = people.filter((one) => one['date'] === date && Number(one['billable_tokens']) > 0);
      expect(
        accounts.map(({ user_id, user_email, billable_tokens }) => [user_id, user_email, billable_tokens]),
      ).toEqual(
        there.map(({ user_id, user_email, billable_tokens }) => [user_id, user_email, billable_tokens]),
      );
      for (const account of accounts) {
        expect(sum(rowsOf(account, 'by_model'), 'billable_tokens')).toBe(account['billable_tokens']);
      }
    }
  });

  test('credits by model and by user sum to the total, but for a small remainder on some days', async () => {
    const remainders = { model: new Set<number>(), user: new Set<number>() };
    for (const row of await asked.rows('tokens', '2026-01-14', end)) {
      const total = Number(row['billable_tokens']);
      for (const kind of ['model', 'user'] as const) {
        const remainder = total - sum(rowsOf(row, `by_${kind}`), 'billable_tokens');
        expect(Math.abs(remainder)).toBeLessThanOrEqual(Math.ceil(total * 0.005));
        remainders[kind].add(Math.sign(remainder));
      }
    }
    expect([...remainders.model].sort()).toEqual([0, 1]);
    expect([...remainders.user].sort()).toEqual([-1, 0, 1]);
  });

  test.each(['input_tokens', 'output_tokens'])(
    '%s by model sum to the total or a little less',
    async (field) => {
      for (const row of (await byDate('tokens')).values()) {
        const part = sum(rowsOf(row, 'by_model'), field);
        expect(part).toBeLessThanOrEqual(Number(row[field]));
        expect(part).toBeGreaterThanOrEqual(Math.floor(Number(row[field]) * 0.995));
      }
    },
  );

  test.each([
    ['tools', 'tool_calls', 'by_tool', 'invocations', 'tool_calls'],
    ['tools', undefined, 'mcp_by_server', 'invocations', 'mcp_calls'],
    ['tools', 'skills_invocations', 'skills_by_name', 'count', 'skill_calls'],
    ['tools', 'slash_commands_invocations', 'slash_commands_by_name', 'count', 'slash_commands'],
    ['tools', 'hooks_invocations', 'hooks_by_event', 'count', 'hooks'],
    ['productivity', 'git_commits', undefined, '', 'git_commits'],
    ['productivity', 'git_prs_created', undefined, '', 'git_prs_created'],
    ['productivity', 'files_created', undefined, '', 'files_created'],
    ['productivity', 'files_edited', undefined, '', 'files_edited'],
    ['activity', 'sessions', undefined, '', 'sessions'],
    ['activity', 'messages', undefined, '', 'messages'],
    ['activity', 'user_messages', undefined, '', 'user_messages'],
  ])('/%s: the total %s, the parts %s and the users agree', async (endpoint, total, list, count, perUser) => {
    const people = await asked.rows('users', start, end, { limit: 100 });
    for (const [date, row] of await byDate(endpoint)) {
      const expected = sum(
        people.filter((one) => one['date'] === date),
        perUser,
      );
      if (total !== undefined) expect(row[total]).toBe(expected);
      if (list !== undefined) expect(sum(rowsOf(row, list), count)).toBe(expected);
    }
  });

  test('file operations by extension and by language sum to files created and edited', async () => {
    for (const row of (await byDate('productivity')).values()) {
      const files = Number(row['files_created']) + Number(row['files_edited']);
      expect(sum(rowsOf(row, 'by_extension'), 'count')).toBe(files);
      expect(sum(rowsOf(row, 'by_language'), 'count')).toBe(files);
    }
  });

  test('active users are the users with activity, and days, weeks and months contain each other', async () => {
    const people = await asked.rows('users', start, end, { limit: 100 });
    const tools = await byDate('tools');
    for (const [date, row] of await byDate('activity')) {
      const [day, week, month] = ['daily', 'weekly', 'monthly'].map((span) =>
        Number(row[`${span}_active_users`]),
      );
      expect(day).toBe(people.filter((one) => one['date'] === date && Number(one['sessions']) > 0).length);
      expect(week).toBeGreaterThanOrEqual(day ?? 0);
      expect(month).toBeGreaterThanOrEqual(week ?? 0);
      const clients = row['daily_active_users_by_client'] as Record<string, number>;
      for (const users of Object.values(clients)) expect(users).toBeLessThanOrEqual(day ?? 0);
      expect(Object.values(clients).reduce((all, users) => all + users, 0)).toBeGreaterThanOrEqual(day ?? 0);
      expect(tools.get(date)?.['web_users']).toBe(clients['web'] ?? 0);
    }
  });

  test('weekly active users are the people with activity in seven days', async () => {
    const people = await asked.rows('users', '2026-11-13', yesterday, { limit: 100 });
    const active = new Set(people.filter((one) => Number(one['sessions']) > 0).map((one) => one['user_id']));
    const [row] = await asked.rows('activity', yesterday, yesterday);
    expect(row?.['weekly_active_users']).toBe(active.size);
  });

  test('messages of a user are those of the user and of the assistant', async () => {
    for (const row of await asked.rows('users', start, end, { limit: 100 })) {
      expect(row['messages']).toBe(Number(row['user_messages']) + Number(row['assistant_messages']));
      expect(row['primary_model_tier']).toMatch(/^(standard|thinking)$/);
      expect(row['delegation_level']).toMatch(/^(auto-high|auto-medium|auto-low|spec|manual)$/);
    }
  });

  test.each([
    ['tokens', 'model', 'by_model', 'model_id', 'billable_tokens', 'billable_tokens'],
    ['tools', 'tool_name', 'by_tool', 'tool', 'invocations', 'tool_calls'],
  ])('/%s grouped by %s says the same as the nested list', async (endpoint, groupBy, list, key, from, to) => {
    const [row = {}] = await asked.rows(endpoint, yesterday, yesterday);
    const nested = new Map<unknown, number>();
    for (const one of rowsOf(row, list))
      nested.set(one[key], (nested.get(one[key]) ?? 0) + Number(one[from]));
    const grouped = await asked.rows(endpoint, yesterday, yesterday, { group_by: groupBy });
    expect(new Map(grouped.map((one) => [one['group_key'], one[to]]))).toEqual(nested);
  });

  test('activity grouped by client says the same as the nested object', async () => {
    const [row] = await asked.rows('activity', yesterday, yesterday);
    const grouped = await asked.rows('activity', yesterday, yesterday, { group_by: 'client' });
    expect(Object.fromEntries(grouped.map((one) => [one['group_key'], one['daily_active_users']]))).toEqual(
      row?.['daily_active_users_by_client'],
    );
  });
});
