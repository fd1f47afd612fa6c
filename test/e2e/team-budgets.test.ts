import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Contract } from '../../src/catalog/settings.ts';
import { LOOK_MS } from '../../src/config/followed.ts';
import { dayNamed } from '../support/day.ts';
import { waitFor } from '../support/wait-for.ts';
import { DAY, firstRuns, type Story, YESTERDAY } from './harness.ts';
import { isActive, peopleOf, startWithPeople, sumOf } from './people.ts';
import type { Row } from './recount.ts';

const TO_DATE = 'agent_platform_team_credits_month_to_date';
const FORECAST = 'agent_platform_team_credits_month_forecast';
const BUDGET = 'agent_platform_team_credits_month_budget';
const COST = 'agent_platform_team_cost_month_to_date';

const PRICES: Contract['prices'] = [
  { from: dayNamed('2026-01-14'), currency: 'USD', perMillionCredits: 3 },
  { from: dayNamed('2026-11-10'), currency: 'USD', perMillionCredits: 2.5 },
];
const SANDBOX = { users: 60 };
/** More days than a month has. */
const LONG = 'history.start=2026-10-12';

const oneDay = (day: string, by: number) => new Date(Date.parse(day) + by * DAY).toISOString().slice(0, 10);
const daysBetween = (from: string, to: string): readonly string[] =>
  from > to ? [] : [from, ...daysBetween(oneDay(from, 1), to)];

/** Two teams of the platform's people: a large one, and one that is too small to be shown by itself. */
async function chooseTeams() {
  const people = (await peopleOf(await startWithPeople({ sandbox: SANDBOX }))).filter(isActive);
  const ids = people.map((row) => String(row['user_id']));
  // The last three of the small team are nobody on the platform.
  const members = { web: ids.slice(0, 12), tiny: [...ids.slice(12, 14), 'left-1', 'left-2', 'left-3'] };
  const rules = Object.entries(members).flatMap(([team, all]) => all.map((id) => `${id},${team}\n`));
  return { members, rules: rules.join('') };
}

/** The credits of some people on each day, from the API's own rows. */
async function creditsOf(story: Story, members: readonly string[], days: readonly string[]) {
  const rows: (readonly [string, readonly Row[]])[] = [];
  for (const day of days) rows.push([day, await peopleOf(story, day)]);
  const own = (all: readonly Row[]) => all.filter((row) => members.includes(String(row['user_id'])));
  return new Map(rows.map(([day, all]) => [day, sumOf(own(all), 'billable_tokens')]));
}

function usersAsked(story: Story): readonly (string | undefined)[] {
  const asked = story.platform.requests.filter(({ path }) => path.endsWith('/users'));
  return [...new Set(asked.map(({ query }) => query['startDate']))].toSorted();
}

test('the month of a team with a budget is whole, forecast and priced, however small the team is', async () => {
  const { members, rules } = await chooseTeams();
  const story = await startWithPeople({
    files: new Map([['t.csv', `${rules},web,60000000\n,tiny,9000000\n`]]),
    flags: ['teams.file=t.csv', LONG],
    contract: { prices: PRICES },
    sandbox: SANDBOX,
  });
  // As many days as a month can have, so that the month is whole from the start.
  expect(usersAsked(story)).toEqual(daysBetween('2026-10-20', YESTERDAY));
  const page = await story.page();
  expect(Object.keys(page.by('team', 'agent_platform_daily_credits_by_team'))).not.toContain('tiny');
  expect(page.by('team', BUDGET)).toEqual({ web: 60_000_000, tiny: 9_000_000 });
  for (const [team, ids] of Object.entries(members)) {
    const credits = await creditsOf(story, ids, daysBetween('2026-10-20', YESTERDAY));
    const on = (days: readonly string[]) => days.reduce((sum, day) => sum + (credits.get(day) ?? 0), 0);
    const month = on(daysBetween('2026-11-01', YESTERDAY));
    expect(month).toBeGreaterThan(0);
    expect(page.value(TO_DATE, { team })).toBe(month);
    const expected = daysBetween('2026-11-20', '2026-11-30').map((ahead) => {
      const same = [1, 2, 3, 4, 5, 6].map((weeks) => oneDay(ahead, -7 * weeks));
      const known = same.filter((day) => credits.has(day)).slice(0, 4);
      return on(known) / known.length;
    });
    expect(page.value(FORECAST, { team })).toBeCloseTo(month + expected.reduce((a, b) => a + b, 0), 3);
    const cost =
      (on(daysBetween('2026-11-01', '2026-11-09')) * 3 + on(daysBetween('2026-11-10', YESTERDAY)) * 2.5) /
      1e6;
    expect(page.value(COST, { team, currency: 'USD' })).toBeCloseTo(cost, 6);
  }

  // Another revision of a day of the month counts, as far back as people are revised.
  story.platform.reviseDay(YESTERDAY);
  story.clock.advance(DAY);
  story.platform.setFaults(['late@users']);
  await story.poll();
  const days = daysBetween('2026-11-01', YESTERDAY);
  const revised = [...(await creditsOf(story, members.web, days)).values()].reduce((a, b) => a + b, 0);
  const late = await story.page();
  expect(revised).not.toBe(page.value(TO_DATE, { team: 'web' }));
  // The newest day is late, so the month is that of the day before.
  expect(late.value(TO_DATE, { team: 'web' })).toBe(revised);

  // On the first of the next month the month begins anew.
  story.platform.setFaults([]);
  story.clock.advance(11 * DAY);
  await story.poll();
  const first = await creditsOf(story, members.web, ['2026-12-01']);
  expect((await story.page()).value(TO_DATE, { team: 'web' })).toBe(first.get('2026-12-01'));
});

test('a budget that is added, changed or removed takes effect with the file, and leaves nothing of a small team behind', async () => {
  const { members, rules } = await chooseTeams();
  const directory = mkdtempSync(join(tmpdir(), 'budgets-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const written = () =>
    readdirSync(directory)
      .map((file) => readFileSync(join(directory, file), 'latin1'))
      .join('\n');
  const files = new Map<string, string | Error>([['t.csv', rules]]);
  const story = await startWithPeople({
    ...{ files, flags: ['teams.file=t.csv', LONG, `storage.path=${join(directory, 'history.db')}`] },
    sandbox: SANDBOX,
  });
  const budgets = async () => (await story.page()).by('team', BUDGET);
  const change = (text: string) => {
    files.set('t.csv', rules + text);
    story.clock.advance(LOOK_MS);
  };
  // A whole month, also of teams without a budget.
  expect(usersAsked(story)).toHaveLength(31);
  expect(await budgets()).toEqual({});

  change(',web,60000000\n');
  const days = daysBetween('2026-11-01', YESTERDAY);
  const month = [...(await creditsOf(story, members.web, days)).values()].reduce((a, b) => a + b, 0);
  await waitFor(async () => expect((await story.page()).value(TO_DATE, { team: 'web' })).toBe(month));
  expect((await story.page()).find(FORECAST)).toHaveLength(1);
  expect(written()).toContain('budgetedTeams');
  // The days before this month, which its forecast needs, are fetched again after it.
  const [oldest] = usersAsked(story);
  const ofOldest = ({ path, query }: (typeof story.platform.requests)[number]) =>
    path.endsWith('/users') && query['startDate'] === oldest;
  await waitFor(() => expect(story.platform.requests.filter(ofOldest)).toHaveLength(2));
  // A reload would begin a run again that has not stored its last answer yet.
  await firstRuns(story.service);
  expect(story.logged('Known days revised')).toEqual([]);

  const asked = story.platform.requests.length;
  change(',web,70000000\n');
  await waitFor(async () => expect(await budgets()).toEqual({ web: 70_000_000 }));
  expect(story.platform.requests).toHaveLength(asked);

  change(',web,80000000\n,none,5\n');
  // It is a problem once two looks have found it.
  await waitFor(() => {
    story.clock.advance(LOOK_MS);
    expect(story.logged('level=error', 't.csv:19: credits_per_month: names a team')).toHaveLength(1);
  });
  expect(await budgets()).toEqual({ web: 70_000_000 });

  // There are no prices.
  expect(story.logged('level=warn', 'limit nothing')).toEqual([]);
  change(',web,5 EUR\n');
  await waitFor(() => expect(story.logged('level=warn', 'limit nothing', 'teams=web')).toHaveLength(1));

  change('');
  await waitFor(async () => expect(await budgets()).toEqual({}));
  await waitFor(() => expect(written()).not.toContain('budgetedTeams'));
  // What was published of the days is added up.
  const page = await story.page();
  expect(Object.keys(page.by('team', TO_DATE)).toSorted()).toEqual(['none', 'other', 'unassigned', 'web']);
  expect(Object.keys(page.by('team', FORECAST))).toEqual(['web']);
  expect(page.find(COST)).toEqual([]);
});
