import { describe, expect, test } from 'vitest';
import { type Json, rowsOf } from './asking.ts';
import { amounts, analytics, at, createAsked, days, hour, noon, yesterday } from './claude-face.ts';

const asked = createAsked();
const codePath = 'usage_report/claude_code';
const key = { 'x-api-key': analytics };

async function code(day: string, from = asked): Promise<Json[]> {
  return await from.rows(codePath, { starting_at: day, limit: 1000 });
}

function addressOf(row: Json): string | undefined {
  return at(row, 'actor', 'email_address') as string | undefined;
}

describe('the report on Claude Code', () => {
  test('has a row per actor, terminal, customer type and place, and some people have two', async () => {
    const rows = await code('2026-11-18');
    const who = (row: Json, ...more: unknown[]) =>
      JSON.stringify([row['actor'], row['terminal_type'], ...more]);
    const keys = rows.map((row) => who(row, row['customer_type'], row['is_remote']));
    expect(new Set(keys).size).toBe(rows.length);
    expect(new Set(rows.map((row) => who(row))).size).toBeLessThan(rows.length);
    expect(new Set(rows.map((row) => row['customer_type']))).toEqual(new Set(['api', 'subscription']));
    const [account] = asked.sandbox.orgs;
    for (const row of rows) {
      expect(row).toMatchObject({ date: '2026-11-18T00:00:00Z', organization_id: account?.orgId });
      expect(row['subscription_type']).toBe(row['customer_type'] === 'api' ? null : 'team');
      expect(at(row, 'core_metrics', 'num_sessions')).toBeGreaterThan(0);
      expect(at(row, 'tool_actions', 'edit_tool')).toEqual({
        accepted: expect.any(Number),
        rejected: expect.any(Number),
      });
    }
  });

  test('has keys beside people, whose addresses are not always in lower case', async () => {
    const rows = [...(await code('2026-11-17')), ...(await code('2026-11-18'))];
    const addresses = new Set(rows.map(addressOf).filter((address) => address !== undefined));
    const people = new Set([...addresses].map((address) => address.toLowerCase()));
    expect(people.size).toBeLessThan(addresses.size);
    const programs = rows.filter((row) => addressOf(row) === undefined);
    expect(programs.length).toBeGreaterThan(0);
    for (const { actor } of programs)
      expect(actor).toEqual({ type: 'api_actor', api_key_name: expect.stringMatching(/^ci-\d+$/) });
  });

  test('has somebody on old days only, who has no account any more', async () => {
    const gone = (rows: readonly Json[]) => rows.filter((row) => /-4_|[.]4@/.test(addressOf(row) ?? ''));
    const weeks = ['2026-09-15', '2026-09-16', '2026-09-17', '2026-09-22', '2026-09-23', '2026-09-24'];
    const [before, after] = [weeks, weeks.map((day) => day.replace('-09-', '-10-'))];
    expect(gone((await Promise.all(before.map((day) => code(day)))).flat())).not.toEqual([]);
    expect(gone((await Promise.all(after.map((day) => code(day)))).flat())).toEqual([]);
  });

  test('estimates, as numbers of cents, what differs from the cost', async () => {
    const rows = await code('2026-11-12');
    const models = rows.flatMap((row) => row['model_breakdown'] as Json[]);
    const estimates = models.map(({ estimated_cost: estimate }) => estimate as Json);
    for (const { amount, currency } of estimates)
      expect([Number.isInteger(amount), currency]).toEqual([true, 'USD']);
    const estimated = estimates.reduce((sum, { amount }) => sum + Number(amount), 0);
    const cost = Number(amounts(await asked.rows('analytics/cost', days('2026-11-12', '2026-11-13')))) / 1e6;
    expect(Math.abs(estimated - cost)).toBeGreaterThan(1);
    expect(estimated / cost).toBeLessThan(2);
  });

  test('is partial about today, of which the last hour is missing, and empty about the future', async () => {
    const today = await code('2026-11-20');
    expect(today.length).toBeGreaterThan(0);
    const later = createAsked();
    later.clock.now = noon + 6 * hour;
    const sessions = (rows: readonly Json[]) =>
      rows.reduce((sum, row) => sum + Number(at(row, 'core_metrics', 'num_sessions')), 0);
    expect(sessions(await code('2026-11-20', later))).toBeGreaterThan(sessions(today));
    later.clock.now = noon - 11 * hour;
    expect(await code('2026-11-20', later)).toEqual([]);
    expect(await code('2026-11-21')).toEqual([]);
  });

  test.each([undefined, '2026-02-30', '18.11.2026'])('needs a date, not %s', async (day) => {
    expect((await asked.get(codePath, { starting_at: day })).status).toBe(400);
  });
});

describe('summaries', () => {
  const range = { starting_date: '2026-11-10', ending_date: '2026-11-18' };

  test('count the active people of the world, and the seats', async () => {
    const rows = await asked.rows('analytics/summaries', range, analytics);
    expect(rows).toHaveLength(8);
    const org = asked.sandbox.orgs[1]?.org;
    for (const row of rows) {
      const day = Date.parse(String(row['starting_at'])) / (24 * hour);
      expect(Date.parse(String(row['ending_at']))).toBe((day + 1) * 24 * hour);
      for (const [span, length] of Object.entries({ daily: 1, weekly: 7, monthly: 30 })) {
        expect(row[`claude_code_${span}_active_user_count`]).toBe(org?.activeWithin(day, length));
        expect(Number(row[`${span}_active_user_count`])).toBeLessThanOrEqual(
          Number(row['assigned_seat_count']),
        );
        expect(Number(row[`${span}_adoption_rate`])).toBeLessThanOrEqual(100);
      }
    }
    expect(rows.at(-1)).toMatchObject({ assigned_seat_count: 40 });
  });

  test('end with the newest day by default, and are never paged', async () => {
    const query = { starting_date: '2026-01-14' };
    const { body } = await asked.get('analytics/summaries', query, key);
    expect(body.next_page).toBeNull();
    const rows = rowsOf(body, 'data');
    expect(rows.length).toBeGreaterThan(300);
    expect(rows.at(-1)).toMatchObject({ starting_at: `${yesterday}T00:00:00Z` });
  });

  test.each<[string, Json]>([
    ['of no day', { ending_date: '2026-11-10' }],
    ['of more than 366 days', { starting_date: '2025-11-09' }],
    ['without a start', { starting_date: undefined }],
    ['of today', { ending_date: '2026-11-21' }],
  ])('%s are refused', async (_, change) => {
    expect((await asked.get('analytics/summaries', { ...range, ...change }, key)).status).toBe(400);
  });
});

describe('users', () => {
  test('are as many as the summary counts, ordered by address, and among them people who did nothing', async () => {
    const rows = await asked.rows('analytics/users', { date: yesterday, limit: 1000 }, analytics);
    const addresses = rows.map((row) => String(at(row, 'user', 'email_address')));
    expect(addresses).toEqual([...addresses].sort());
    const sessions = ['claude_code_metrics', 'core_metrics', 'distinct_session_count'];
    const active = rows.filter((row) => Number(at(row, ...sessions)) > 0);
    const query = { starting_date: yesterday };
    const [summary] = await asked.rows('analytics/summaries', query, analytics);
    expect(active).toHaveLength(Number(summary?.['claude_code_daily_active_user_count']));
    for (const row of rows) {
      expect(at(row, 'claude_code_metrics', 'tool_actions', 'write_tool')).toEqual({
        accepted_count: expect.any(Number),
        rejected_count: expect.any(Number),
      });
    }
    const idle = await Promise.all(
      ['2026-11-11', '2026-11-12', '2026-11-13', '2026-11-16', '2026-11-17'].map((date) =>
        asked.rows('analytics/users', { date }, analytics),
      ),
    );
    expect(idle.flat().some((row) => at(row, ...sessions) === 0)).toBe(true);
  });

  test('did a little more as their day is revised, until two days after it', async () => {
    const { clock, rows } = createAsked();
    const messages = async () => {
      const found = await rows('analytics/users', { date: yesterday }, analytics);
      return found.reduce((sum, row) => sum + Number(at(row, 'chat_metrics', 'message_count')), 0);
    };
    const first = await messages();
    clock.now += 36 * hour;
    const final = await messages();
    expect(final).toBeGreaterThan(first);
    clock.now += 36 * hour;
    expect(await messages()).toBe(final);
  });
});

describe('skills and connectors', () => {
  test('are invoked, each under one name', async () => {
    for (const [path, name] of [
      ['skills', 'skill_name'],
      ['connectors', 'connector_name'],
    ]) {
      const rows = await asked.rows(`analytics/${path}`, { date: yesterday }, analytics);
      const names = rows.map((row) => String(row[name ?? '']));
      expect(names.length).toBeGreaterThan(3);
      expect(new Set(names.map((one) => one.toLowerCase())).size).toBe(names.length);
      for (const row of rows) expect(row['distinct_user_count']).toBeGreaterThan(0);
    }
    const org = asked.sandbox.orgs[1]?.org;
    const skills = await asked.rows('analytics/skills', { date: yesterday }, analytics);
    const invocations = skills.reduce((sum, row) => sum + Number(row['invocation_count']), 0);
    expect(invocations).toBe(org?.totals(Date.parse(yesterday) / (24 * hour)).sum.skillCalls);
  });

  test('have no calls of connectors before these were counted', async () => {
    const calls = async (date: string) =>
      (await asked.rows('analytics/connectors', { date }, analytics)).map((row) => row['read_call_count']);
    expect(new Set(await calls('2026-05-28'))).toEqual(new Set([null]));
    expect(await calls('2026-05-29')).not.toContain(null);
  });
});

describe('a day', () => {
  test.each(['users', 'skills', 'connectors'])(
    'of %s is there from 10:00 UTC of the next day on; until then, the newest one is named',
    async (path) => {
      const { clock, get } = createAsked();
      const query = { date: yesterday };
      clock.now = noon - 2 * hour;
      expect((await get(`analytics/${path}`, query, key)).status).toBe(200);
      clock.now -= 1;
      const { status, body } = await get(`analytics/${path}`, query, key);
      expect([status, body.error.type]).toEqual([400, 'invalid_request_error']);
      expect(body.error.message).toMatch(/\b2026-11-18\b/);
    },
  );

  test.each([{ date: '2025-12-31' }, { date: 'yesterday' }, {}])('is not %o', async (query) => {
    expect((await asked.get('analytics/users', query, key)).status).toBe(400);
  });

  test('without usage has no people who did anything', async () => {
    const rows = await asked.rows('analytics/users', { date: '2026-11-08' }, analytics);
    expect(rows).toEqual([]);
    expect(await code('2026-11-08')).toEqual([]);
  });
});
