import { describe, expect, test } from 'vitest';
import type { Day } from '../../src/catalog/day.ts';
import type { Source } from '../../src/catalog/source.ts';
import { activity, productivity, promptsOf } from '../../src/platforms/copilot/organization.ts';
import { reader as bills } from '../../src/platforms/copilot/tokens.ts';
import { reader as users } from '../../src/platforms/copilot/users.ts';
import { runInSlices } from '../../src/work/slices.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const DAY = '2026-11-18' as Day;
const WINDOW = { from: DAY, to: DAY };

type Json = Readonly<Record<string, unknown>>;

/** A platform whose reports have these rows in each of some files; returns how many rows were taken, too. */
function sourceOf(rows: () => Iterable<Json>, files = 1, day: string = DAY) {
  const clock = createFakeClock(Date.UTC(2026, 10, 20, 12), { autoAdvance: true });
  const read = { rows: 0 };
  const source: Source = {
    place: { baseUrl: 'https://api.github.com', account: 'octo', shared: new Map(), elapsed: clock.elapsed },
    get: async () => ({ body: { seat_breakdown: { total: 12 } }, bytes: 10 }),
    async lines({ linksOf, start, add }) {
      linksOf?.({ download_links: Array.from({ length: files }, () => 'https://x'), report_day: day });
      const sums = Array.from({ length: files }, () => {
        const sum = start();
        for (const row of rows()) {
          read.rows += 1;
          add(sum, row);
        }
        return sum;
      });
      return { sums, bytes: 100 };
    },
    pages: () => Promise.reject(new Error('not used')),
    inSlices: (work) => runInSlices(work, clock, 1),
  };
  return { source, read };
}

function* endless(rowOf: (index: number) => Json): Generator<Json> {
  for (let index = 0; index < 1_000_000; index += 1) yield rowOf(index);
}

describe('the report of an organization', () => {
  const row = { day: DAY, daily_active_users: 7, loc_added_sum: 5 };

  test('is one row, which several files may repeat', async () => {
    const { source } = sourceOf(() => [row, row], 3);
    const { rows, lost } = await activity.fetchDays(source, WINDOW);
    expect([rows.get(DAY)?.dailyUsers, lost]).toEqual([7, 0]);
  });

  test('with several rows is that of none of them', async () => {
    const { source } = sourceOf(() => [row, { ...row, daily_active_users: 8 }]);
    expect(await activity.fetchDays(source, WINDOW)).toMatchObject({ rows: new Map(), lost: 1 });
  });

  test('of another day is none, also without rows', async () => {
    const { source } = sourceOf(() => [], 1, '2026-11-17');
    await expect(activity.fetchDays(source, WINDOW)).rejects.toThrow('links to the report of the day');
  });

  test('with any number of rows is not kept in memory', async () => {
    const { source, read } = sourceOf(() =>
      endless((index) => ({ ...row, padding: `${index}`.repeat(100) })),
    );
    await expect(activity.fetchDays(source, WINDOW)).rejects.toThrow('one row of an organization');
    expect(read.rows).toBeLessThan(100);
  });

  test('of any depth is one failure', async () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`) as unknown;
    const { source } = sourceOf(() => [{ ...row, deep }]);
    await expect(activity.fetchDays(source, WINDOW)).rejects.toThrow('a row of fewer levels');
  });

  test('has an unusable field where a number is none, also in the second dataset that is made from it', async () => {
    const { source } = sourceOf(() => [
      { ...row, daily_active_users: Number.POSITIVE_INFINITY, loc_added_sum: Infinity },
    ]);
    expect((await activity.fetchDays(source, WINDOW)).rows.get(DAY)?.rejected).toEqual({ day: 1 });
    expect((await productivity.fetchDays(source, WINDOW)).rows.get(DAY)?.rejected).toEqual({ linesAdded: 1 });
  });

  test('has no sessions where those of other agents are unusable', async () => {
    const cli = { session_count: 3, prompt_count: 4 };
    const sent = { ...row, totals_by_cli: cli, totals_by_3rd_party_agent: 'many' };
    const { rows } = await activity.fetchDays(sourceOf(() => [sent]).source, WINDOW);
    expect(rows.get(DAY)).toMatchObject({ sessions: undefined, rejected: { sessions: 1 } });
  });

  test.each([
    ['2026-04-09', 9],
    ['2026-04-10', 5],
  ] as const)('of %s has %i prompts: those of the command line are apart until then', (day, prompts) => {
    const cli = { session_count: 1, prompt_count: 4 };
    const sent = {
      user_initiated_interaction_count: 5,
      totals_by_cli: cli,
      totals_by_copilot_app: undefined,
    };
    expect(promptsOf({ day: day as Day, ...sent })).toBe(prompts);
  });
});

test.each([
  ['octo', { organization: 'Octo-2' }, 'octo-2'],
  ['enterprises/octo', { enterprise: 'Octo-2', organization: 'other' }, 'enterprises/octo-2'],
])('the bill of %s is that of the account that it names', async (account, named, expected) => {
  const { source } = sourceOf(() => []);
  const timePeriod = { year: 2026, month: 11, day: 18 };
  const place = { shared: new Map(), elapsed: () => 0, baseUrl: 'https://api.github.com', account };
  const get = async () => ({ body: { timePeriod, usageItems: [], ...named }, bytes: 10 });
  const { orgId } = await bills.fetchDays({ ...source, place, get }, WINDOW);
  expect(orgId).toBe(`copilot:api.github.com:${expected}`);
});

test.each([{ day: 17 }, { day: undefined }])('a bill of another time is refused: %j', async (other) => {
  const body = { timePeriod: { year: 2026, month: 11, ...other }, usageItems: [{ grossQuantity: 1 }] };
  const { source } = sourceOf(() => []);
  const get = async () => ({ body, bytes: 10 });
  await expect(bills.fetchDays({ ...source, get }, WINDOW)).rejects.toThrow('the day that was asked for');
});

test('a person is one, however the login is spelled', async () => {
  const spelled = ['Octo', 'octo', 'OCTO'].map((user_login) => ({
    day: DAY,
    user_login,
    ai_credits_used: 1,
  }));
  const { source } = sourceOf(() => spelled);
  const logins: string[] = [];
  const { people } = await users.readPeople(source, DAY, ({ person }) => void logins.push(person.id));
  expect([people, logins]).toEqual([1, ['OCTO']]);
});

test('the people of a report are as many as an organization can have, over all of its files', async () => {
  const rows = () =>
    endless((index) => ({ day: DAY, user_login: `octo-${index % 200_000}`, ai_credits_used: 1 }));
  const { source, read } = sourceOf(rows, 9);
  await expect(users.fetchDays(source, WINDOW)).rejects.toThrow('at most 250000 people');
  expect(read.rows).toBe(250_001);
});
