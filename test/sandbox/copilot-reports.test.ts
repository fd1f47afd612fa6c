import { describe, expect, test } from 'vitest';
import { type Json, rowsOf, sum } from './asking.ts';
import { createAsked, linksOf, newest, noon, reportsPath } from './copilot-face.ts';

const HOUR = 3_600_000;
const asked = createAsked();

const counters = [
  'user_initiated_interaction_count',
  'code_generation_activity_count',
  'code_acceptance_activity_count',
  'loc_suggested_to_add_sum',
  'loc_added_sum',
  'loc_deleted_sum',
];

async function organization(day: string): Promise<Json> {
  const [row, ...more] = await asked.rows('organization-1-day', day);
  expect(more).toEqual([]);
  return row ?? {};
}

describe('a day has a report', () => {
  test.each([
    ['today', '2026-11-20', 204],
    ['yesterday', '2026-11-19', 204],
    ['48 hours after its end', newest, 200],
    ['not on an idle Sunday', '2026-11-08', 204],
    ['not before the first day', '2026-01-13', 204],
  ])('%s', async (_, day, status) => {
    for (const report of ['organization-1-day', 'users-1-day', 'user-teams-1-day']) {
      const { status: answered, text } = await asked.get(`${reportsPath}/${report}`, { day });
      expect([report, answered]).toEqual([report, status]);
      if (status === 204) expect(text).toBe('');
    }
  });

  test('as soon as 48 hours have passed since its end', async () => {
    const { clock, get } = createAsked();
    const status = async () => (await get(`${reportsPath}/users-1-day`, { day: '2026-11-18' })).status;
    clock.now = noon + 12 * HOUR - 1;
    expect(await status()).toBe(204);
    clock.now += 1;
    expect(await status()).toBe(200);
  });

  test('and its rows grow until three days after its end', async () => {
    const { clock, rows } = createAsked();
    const prompts = async () =>
      sum(await rows('organization-1-day', newest), 'user_initiated_interaction_count');
    const first = await prompts();
    clock.now = noon + 12 * HOUR;
    const final = await prompts();
    expect(final).toBeGreaterThan(first);
    clock.now = noon + 500 * HOUR;
    expect(await prompts()).toBe(final);
  });

  test('in the form of enterprises, a day without one is not found', async () => {
    const base = '/enterprises/acme-inc/copilot/metrics/reports';
    const classic = { authorization: 'Bearer sandbox-acme-classic' };
    expect((await asked.get(`${base}/enterprise-1-day`, { day: '2026-11-20' }, classic)).status).toBe(404);
    const [row] = await asked.rows('enterprise-1-day', newest, base, 'classic');
    const { organization_id, ...own } = await organization(newest);
    expect(organization_id).toBe('9000000');
    expect(row).toEqual(own);
  });

  test.each([undefined, '2026-02-30', '17.11.2026'])('which must be a date, not %s', async (day) => {
    expect((await asked.get(`${reportsPath}/users-1-day`, { day })).status).toBe(422);
  });
});

describe('the row of an organization', () => {
  test('is the sum of its people', async () => {
    const people = await asked.rows('users-1-day', newest);
    const whole = await organization(newest);
    for (const counter of counters) expect(sum(people, counter)).toBe(whole[counter]);
    const inTerminal = people
      .map((row) => row['totals_by_cli'] as Json | undefined)
      .filter((use) => use !== undefined);
    expect(whole['totals_by_cli']).toMatchObject({
      session_count: sum(inTerminal, 'session_count'),
      prompt_count: sum(inTerminal, 'prompt_count'),
    });
    expect(inTerminal).toHaveLength(Number(whole['daily_active_cli_users']));
    expect(people.filter((row) => row['used_chat'])).toHaveLength(Number(whole['daily_active_users']));
  });

  test('adds up by feature and by language, but not by editor and by model', async () => {
    const whole = await organization(newest);
    const sums = (name: string, counter: string) => sum(rowsOf(whole, name), counter);
    for (const counter of counters.slice(1)) {
      const total = Number(whole[counter]);
      expect(sums('totals_by_feature', counter)).toBe(total);
      expect(sums('totals_by_language_feature', counter)).toBe(total);
    }
    for (const name of ['totals_by_ide', 'totals_by_model_feature'])
      expect(sums(name, 'loc_added_sum')).toBeLessThan(Number(whole['loc_added_sum']));
  });

  test('counts prompts in the terminal among its own, and those in the app apart', async () => {
    const whole = await organization(newest);
    const chats = rowsOf(whole, 'totals_by_feature').filter((row) => row['user_initiated_interaction_count']);
    expect(chats.map(({ feature }) => feature)).toEqual(['chat_panel_agent_mode', 'copilot_cli']);
    expect(sum(chats, 'user_initiated_interaction_count')).toBe(whole['user_initiated_interaction_count']);
    const { prompt_count: inTerminal } = whole['totals_by_cli'] as Json;
    expect(chats[1]).toMatchObject({ user_initiated_interaction_count: inTerminal });
    expect(whole['totals_by_copilot_app']).toMatchObject({ prompt_count: expect.any(Number) });
  });

  test('has fields only from the day on that introduced them', async () => {
    const fields = [
      'totals_by_cli',
      'daily_active_copilot_cloud_agent_users',
      'totals_by_copilot_app',
      'totals_by_3rd_party_agent',
    ];
    const there = async (day: string) => {
      const row = await organization(day);
      return fields.filter((field) => field in row);
    };
    expect(await there('2026-03-04')).toEqual([]);
    expect(await there('2026-03-05')).toEqual(fields.slice(0, 1));
    expect(await there('2026-04-10')).toEqual(fields.slice(0, 2));
    expect(await there('2026-07-28')).toEqual(fields.slice(0, 3));
    expect(await there('2026-08-07')).toEqual(fields);
    const features = rowsOf(await organization('2026-04-09'), 'totals_by_feature');
    expect(features.map(({ feature }) => feature)).not.toContain('copilot_cli');
    const [before] = await asked.rows('users-1-day', '2026-06-18');
    expect(before).not.toHaveProperty('ai_credits_used');
    const [since] = await asked.rows('users-1-day', '2026-06-19');
    expect(since).toHaveProperty('ai_credits_used');
  });

  test('is in the report of 28 days with those of the other days that are not idle', async () => {
    const [month = {}, ...more] = await asked.rows('organization-28-day/latest');
    expect(more).toEqual([]);
    expect(month).toMatchObject({ report_start_day: '2026-10-21', report_end_day: newest });
    const days = rowsOf(month, 'day_totals');
    expect(days.at(-1)).toEqual(await organization(newest));
    expect(days.map(({ day }) => day)).not.toContain('2026-11-08');
    const people = await asked.rows('users-28-day/latest');
    const last = people.filter(({ day }) => day === newest);
    expect(last).toHaveLength((await asked.rows('users-1-day', newest)).length);
  });
});

describe('people', () => {
  test('have logins, and no e-mail address', async () => {
    const people = await asked.rows('users-1-day', newest);
    expect(people.length).toBeGreaterThan(10);
    for (const row of people) {
      expect(row['user_login']).toMatch(/^[a-z]+-\d+_acme$/);
      expect(JSON.stringify(row)).not.toContain('@');
    }
  });

  test('may have credits and no activity', async () => {
    const people = await asked.rows('users-1-day', newest);
    const passive = people.filter((row) => row['used_copilot_code_review_passive']);
    expect(passive.length).toBeGreaterThan(0);
    for (const row of passive) {
      expect(row).toMatchObject({ used_chat: false, used_cli: false, totals_by_feature: [] });
      expect(counters.map((counter) => row[counter])).toEqual(counters.map(() => 0));
      expect(row['ai_credits_used']).toBeGreaterThan(0);
      expect(row).not.toHaveProperty('totals_by_cli');
    }
  });

  test('are of teams, of which that of four people is left out', async () => {
    const rows = await asked.rows('user-teams-1-day', newest);
    const slugs = new Set(rows.map(({ slug }) => slug));
    expect(slugs).toEqual(new Set(['platform', 'product', 'data']));
    const logins = rows.map((row) => row['user_login']);
    expect(new Set(logins).size).toBeLessThan(logins.length);
    const [org] = asked.sandbox.orgs;
    const inDesign = org?.people.filter(({ teams }) => teams.includes('design'));
    expect(inDesign).toHaveLength(4);
    expect(logins).not.toContain(inDesign?.[0]?.login);
  });
});

describe('a report comes in parts', () => {
  test('of one to three files, not in order', async () => {
    const counts = new Set<number>();
    const orders = new Set<string>();
    for (const day of ['2026-11-17', '2026-11-16', '2026-11-13', '2026-11-12', '2026-11-11', '2026-11-10']) {
      const { body } = await asked.get(`${reportsPath}/users-1-day`, { day });
      const links = linksOf(body);
      counts.add(links.length);
      orders.add(links.map((link) => new URL(link).pathname.split('/').at(-2)).join());
      const parts = await Promise.all(links.map(async (link) => String((await asked.file(link)).body)));
      for (const part of parts) expect(part.endsWith('}\n')).toBe(true);
    }
    expect([...counts].sort()).toEqual([1, 2, 3]);
    expect(orders).toContain('1,2,0');
  });

  test.each([
    ['with a token', 0, { authorization: 'Bearer sandbox-acme-full' }, '', 403],
    ['with any other credential', 0, { authorization: 'Basic YTpi' }, '', 403],
    ['with another signature', 0, {}, 'a', 403],
    ['within 15 minutes', 15 * 60_000 - 1, {}, '', 200],
    ['after 15 minutes', 15 * 60_000, {}, '', 403],
  ])('whose links answer %s', async (_, wait, headers, damage, status) => {
    const { clock, get, file } = createAsked();
    const [link = ''] = linksOf((await get(`${reportsPath}/organization-1-day`, { day: newest })).body);
    clock.now += wait;
    expect((await file(`${link}${damage}`, headers)).status).toBe(status);
  });
});

test('the same seed and clock give the same answers', async () => {
  const other = createAsked();
  for (const report of ['organization-1-day', 'users-1-day']) {
    expect(await other.rows(report, newest)).toEqual(await asked.rows(report, newest));
  }
  const [first] = await createAsked({ seed: 2 }).rows('organization-1-day', newest);
  expect(first).not.toEqual(await organization(newest));
});
