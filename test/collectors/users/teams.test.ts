import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays, daysFrom, firstOfMonth } from '../../../src/catalog/day.ts';
import type { Family } from '../../../src/catalog/family.ts';
import { type CreditPrice, OTHER_TEAMS, type PeopleSettings } from '../../../src/catalog/settings.ts';
import type { View } from '../../../src/catalog/view.ts';
import { accountedFamilies, usersCollector } from '../../../src/collectors/users/collector.ts';
import { usersDataset } from '../../../src/collectors/users/dataset.ts';
import { withoutShortSums } from '../../../src/collectors/users/reduce.ts';
import { createJsonlFormat, createTidyFormat, createWideFormat } from '../../../src/export/tables.ts';
import { spoiledBy } from '../../../src/platforms/agent-platform/users.ts';
import { hasAllRuns, propertyRuns } from '../../support/thoroughness.ts';
import { createFakeView, DAY, expositionOf } from '../fakes.ts';
import { type Person, person, reduced, teamsById } from './people.ts';

/** A team with this many active people, with figures that identify it. */
function team(name: string, active: number, idle = 0): readonly Person[] {
  const figures = { tool_calls: 7, git_commits: 2, git_prs_created: 1, billable_tokens: 10 };
  return [
    ...Array.from({ length: active }, (_, index) => person(`${name}-${index}`, figures)),
    ...Array.from({ length: idle }, (_, index) => person(`${name}-idle${index}`, { sessions: 0 })),
  ];
}

function groupsOf(...people: readonly (readonly Person[])[]): Readonly<Record<string, number>> | undefined {
  const { byTeam } = reduced(people.flat(), teamsById());
  return byTeam && Object.fromEntries(byTeam.map((group) => [group.team, group.active]));
}

describe('teams', () => {
  test('are shown from five active people on', () => {
    expect(groupsOf(team('a', 5), team('b', 9, 3))).toEqual({ a: 5, b: 9 });
  });

  test('that are smaller are folded, smallest first, until what they are folded into is large enough', () => {
    expect(groupsOf(team('a', 9), team('b', 4), team('c', 1))).toEqual({ a: 9, other: 5 });
    expect(groupsOf(team('a', 9), team('b', 8), team('c', 3))).toEqual({ a: 9, other: 11 });
    expect(groupsOf(team('a', 9), team('b', 6), team('c', 6), team('d', 4))).toEqual({
      a: 9,
      c: 6,
      other: 10,
    });
  });

  test('are not shown where even all of them together are too few, and are all other where only that is enough', () => {
    expect(groupsOf(team('a', 3), team('b', 1))).toBeUndefined();
    expect(groupsOf(team('a', 4))).toBeUndefined();
    expect(groupsOf()).toBeUndefined();
    expect(groupsOf(team('a', 3), team('b', 2))).toEqual({ other: 5 });
  });

  test('none and other are teams like any, but what is folded is always in other', () => {
    expect(groupsOf(team('none', 5), team('other', 6))).toEqual({ none: 5, other: 6 });
    expect(groupsOf(team('none', 2), team('other', 6), team('a', 7))).toEqual({ a: 7, other: 8 });
    expect(groupsOf(team('other', 2), team('a', 7), team('b', 8))).toEqual({ b: 8, other: 9 });
  });

  test('beside a folded one whose credits are known from its budget are enough people without it', () => {
    const known = teamsById({ teamBudgets: new Map([['a', 1]]) });
    const groups = (...people: readonly (readonly Person[])[]) =>
      Object.fromEntries(
        reduced(people.flat(), known).byTeam?.map((group) => [group.team, group.active]) ?? [],
      );
    // The two of b would be what other has beyond a.
    expect(groups(team('a', 3), team('b', 2), team('c', 6), team('d', 7))).toEqual({ d: 7, other: 11 });
    expect(groups(team('a', 9), team('b', 2), team('c', 6), team('d', 7))).toEqual({ a: 9, d: 7, other: 8 });
    // A team whose credits are known hides nobody.
    expect(groups(team('a', 9), team('b', 2))).toEqual({});
    expect(groups(team('a', 3), team('c', 6), team('d', 7))).toEqual({ d: 7, other: 9 });
  });

  test('with figures but no active people are folded, too; without any they add nothing', () => {
    expect(groupsOf(team('a', 7), team('b', 6), [person('c-1', { sessions: 0, git_commits: 3 })])).toEqual({
      a: 7,
      other: 6,
    });
    expect(groupsOf(team('a', 7), team('b', 6), team('c', 0, 2))).toEqual({ a: 7, b: 6 });
  });

  test('have the same groups in each family, and no zeros for what is not shown', () => {
    const row = reduced([...team('a', 9), ...team('b', 4), ...team('c', 1)], teamsById());
    const view = createFakeView({ rows: new Map([[DAY, row]]) });
    expect(expositionOf(usersCollector.families, view).filter((line) => line.includes('team='))).toEqual([
      'daily_credits_by_team{team="a"} 90',
      'daily_credits_by_team{team="other"} 50',
      'daily_active_users_by_team{team="a"} 9',
      'daily_active_users_by_team{team="other"} 5',
      'daily_tool_calls_by_team{team="a"} 63',
      'daily_tool_calls_by_team{team="other"} 35',
      'daily_git_commits_by_team{team="a"} 18',
      'daily_git_commits_by_team{team="other"} 10',
      'daily_git_pull_requests_created_by_team{team="a"} 9',
      'daily_git_pull_requests_created_by_team{team="other"} 5',
    ]);
  });
});

/** People of up to seven teams; so few that most teams are too small. */
const organization = fc
  .array(
    fc.record({
      team: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'other', 'none'),
      credits: fc.integer({ min: 0, max: 2 ** 40 }),
      commits: fc.integer({ min: 0, max: 2 ** 30 }),
      active: fc.boolean(),
      model: fc.constantFrom('m', 'n'),
    }),
    { minLength: 1, maxLength: 40 },
  )
  .map((people) =>
    people.map(({ team: name, credits, commits, active, model }, index) => ({
      id: `${index}`,
      team: name,
      active: active || credits > 0,
      row: person(`${index}`, {
        sessions: active ? 1 : 0,
        billable_tokens: credits,
        git_commits: commits,
        tool_calls: active ? commits % 97 : 0,
        primary_model: model,
      }),
    })),
  );

/** The view of an organization whose day has these credits, by people or not. */
function withTotal(view: View, credits: number | undefined, prices: readonly CreditPrice[] = []): View {
  const row: View['row'] = (dataset, day) =>
    dataset.name === 'tokens' ? ({ credits } as never) : view.row(dataset, day);
  return { ...view, row, settings: { ...view.settings, contract: { prices } } };
}

type Organization = readonly { readonly id: string; team: string; active: boolean; row: Person }[];

/** Everything that a page and the exported files would show of the collector. */
function pageOf(people: Organization, shown: Partial<PeopleSettings>): readonly string[] {
  const teams = new Map(people.map(({ id, team: name }) => [id, name]));
  const settings = teamsById({ ...shown, teamOf: ({ id }) => teams.get(id) ?? 'none' });
  const row = reduced(
    people.map(({ row: own }) => own),
    settings,
  );
  // The month to date of a team with a budget is its credits of the day: the other days of the month are idle.
  const rest = daysFrom(firstOfMonth(DAY), addDays(DAY, -1)).map((day) => [day, usersDataset.idle] as const);
  const credits = people.reduce((sum, { row: own }) => sum + Number(own['billable_tokens']), 0);
  const rows = new Map([...rest, [DAY, row]]);
  // The day's total is on the same page.
  const view = withTotal(createFakeView({ rows, people: settings }), credits + 7);
  return [...expositionOf(usersCollector.families, view), ...filesOf(view)];
}

/** The rows of the day in every format that has people's figures. */
function filesOf(view: View): readonly string[] {
  const families = usersCollector.families.map((family) => {
    const samples = [
      ...((family.scope === 'day' ? family.samplesOf(view, DAY) : family.samplesOf(view)) ?? []),
    ];
    return { family, stamps: [], recorded: false, samples: () => samples };
  });
  const of = { org: 'acme', orgId: undefined, platform: 'agent-platform', revisedUntil: undefined };
  const exported = { ...of, first: DAY, day: DAY, period: DAY, families };
  return [
    createTidyFormat('day'),
    createJsonlFormat('day'),
    createWideFormat('day', usersCollector.families),
  ].flatMap((format) => {
    const rows = format.rowsOf(exported);
    return 'lacks' in rows ? [] : [...rows];
  });
}

/** The figures by team in the exposition and in the files. */
function creditsByTeam(page: readonly string[], family = 'daily_credits_by_team'): readonly number[] {
  return page.flatMap((line) => {
    if (!new RegExp(`${family}\\b`).test(line)) return [];
    const [, value] = /(?: |,|"value":)(\d+)(?:$|,)/.exec(line.replace(/.*(team=|team"+:)/, '')) ?? [];
    return value === undefined ? [] : [Number(value)];
  });
}

function shownTeams(page: readonly string[]): ReadonlyMap<string, number> {
  const lines = page.flatMap((line) => /^daily_active_users_by_team\{team="(.*)"\} (.*)$/.exec(line) ?? []);
  const pairs = Array.from({ length: lines.length / 3 }, (_, index) =>
    lines.slice(index * 3 + 1, index * 3 + 3),
  );
  return new Map(pairs.map(([name = '', active]) => [name, Number(active)]));
}

const ways: readonly Partial<PeopleSettings>[] = [
  {},
  { identity: 'hash', labelOf: ({ id }) => `h${id}` },
  { teamBudgets: new Map([['a', 1e9]]) },
  {
    teamBudgets: new Map([
      ['a', 1e9],
      ['c', 2e9],
      ['none', 3e9],
    ]),
  },
];

describe('the rest of the day', () => {
  const people = [...team('a', 9), ...team('b', 5), ...team('c', 1)];
  const prices = [{ from: DAY, currency: 'USD', perMillionCredits: 100_000 }];
  const linesOf = (credits: number | undefined, row = reduced(people, teamsById())) => {
    const view = createFakeView({ rows: new Map([[DAY, row]]) });
    const lines = expositionOf(usersCollector.families, withTotal(view, credits, prices));
    // What is unknown is not published.
    return lines.filter((line) => /^daily_(credits|cost)_by_team.*(?<! NaN)$/.test(line));
  };

  test('is unassigned, in credits and in money, so that the teams add up to the day', () => {
    expect(linesOf(160)).toEqual([
      'daily_credits_by_team{team="a"} 90',
      'daily_credits_by_team{team="other"} 60',
      'daily_credits_by_team{team="unassigned"} 10',
      'daily_cost_by_team{team="a",currency="USD"} 9',
      'daily_cost_by_team{team="other",currency="USD"} 6',
      'daily_cost_by_team{team="unassigned",currency="USD"} 1',
    ]);
  });

  test('is all of it where no team is shown', () => {
    expect(linesOf(40, reduced(team('a', 4), teamsById()))).toEqual([
      'daily_credits_by_team{team="unassigned"} 40',
      'daily_cost_by_team{team="unassigned",currency="USD"} 4',
    ]);
  });

  test('is negative if people have more than the total, so that the teams still add up to the day', () => {
    expect(linesOf(149).filter((line) => line.includes('unassigned'))).toEqual([
      'daily_credits_by_team{team="unassigned"} -1',
      'daily_cost_by_team{team="unassigned",currency="USD"} -0.1',
    ]);
  });

  test('is absent if there is none, and if it is unknown', () => {
    for (const credits of [150, undefined]) {
      expect(linesOf(credits).filter((line) => line.includes('unassigned'))).toEqual([]);
    }
    const row = reduced(people, teamsById());
    const byTeam = row.byTeam?.map((one) => (one.team === 'a' ? { ...one, credits: undefined } : one));
    expect(linesOf(1_000, { ...row, byTeam }).filter((line) => line.includes('unassigned'))).toEqual([]);
  });

  test('is absent if a field of a person was unusable, so that it is unknown which teams have it', () => {
    const row = withoutShortSums(reduced(people, teamsById()), [spoiledBy('tool_calls')]);
    expect(row.byTeam).toBeUndefined();
    expect(linesOf(160, row)).toEqual([]);
  });
});

describe('the month of teams without a budget', () => {
  const first = firstOfMonth(DAY);
  const prices = [{ from: first, currency: 'USD', perMillionCredits: 1_000_000 }];
  const of = (...teams: readonly (readonly Person[])[]) => reduced(teams.flat(), teamsById());

  /** The month to date of each team by the metric's name, from the stored people and the totals of its days. */
  function monthOf(
    days: readonly (readonly [row: unknown, total: number | undefined])[],
    people: PeopleSettings = teamsById(),
    families: readonly Family[] = usersCollector.families,
  ) {
    const rows = new Map(days.map(([row], index) => [addDays(first, index), row] as const));
    const totals = new Map(days.map(([, total], index) => [addDays(first, index), total]));
    const view = createFakeView({ rows, people });
    const row: View['row'] = (dataset, day) =>
      dataset.name === 'tokens' ? ({ credits: totals.get(day) } as never) : view.row(dataset, day);
    const seen = { ...view, row, settings: { ...view.settings, contract: { prices } } };
    const last = addDays(first, days.length - 1);
    return (name: string): Readonly<Record<string, number>> => {
      const family = families.find((one) => one.name === `agent_platform_${name}`);
      if (family?.scope !== 'day') throw new Error(`no family ${name}`);
      const samples = [...(family.samplesOf({ ...seen, newestDay: () => last }, last) ?? [])];
      return Object.fromEntries(samples.map(({ labels, value }) => [labels['team'], value]));
    };
  }

  test('is the sum of the days on which each was shown, and adds up to that of the organization', () => {
    const month = monthOf([
      [of(team('a', 9), team('b', 5)), 150],
      [of(team('a', 9), team('c', 4), team('d', 2)), 160],
      [of(team('a', 3)), 40],
      [usersDataset.idle, 0],
    ]);
    const expected = { a: 90 + 90, b: 50, other: 60, unassigned: 10 + 10 + 40 };
    expect(month('team_credits_month_to_date')).toEqual(expected);
    expect(month('team_cost_month_to_date')).toEqual(expected);
    expect(month('team_credits_month_forecast')).toEqual({});
  });

  test('is absent while a day is unknown, and the rest of it while a total is', () => {
    const shown = of(team('a', 9));
    expect(
      monthOf([
        [shown, 90],
        [undefined, 90],
        [shown, 90],
      ])('team_credits_month_to_date'),
    ).toEqual({});
    expect(
      monthOf([
        [shown, 95],
        [shown, undefined],
      ])('team_credits_month_to_date'),
    ).toEqual({ a: 180 });
    expect(
      monthOf([
        [shown, 90],
        [withoutShortSums(shown, [spoiledBy('tool_calls')]), 90],
      ])('team_credits_month_to_date'),
    ).toEqual({});
  });

  test('and their weeks have no sum that lacks a day', () => {
    const shown = of(team('a', 9));
    const days = [95, 95, 95, 95, 95, 95, undefined].map((total) => [shown, total] as const);
    expect(monthOf(days)('credits_by_team_sum_7d')).toEqual({ a: 630, unassigned: Number.NaN });
    const byTeam = shown.byTeam?.map((one) => ({ ...one, credits: undefined }));
    const week = [...days.slice(0, 6), [{ ...shown, byTeam }, 95] as const];
    expect(monthOf(week)('credits_by_team_sum_7d')).toEqual({ a: Number.NaN, unassigned: Number.NaN });
  });

  test('and count 0 for a team on a day without it, whatever is unknown of that day', () => {
    const days = Array.from({ length: 6 }, () => [of(team('a', 9), team('b', 5)), 140] as const);
    const sums = monthOf([...days, [of(team('a', 9)), undefined]])('credits_by_team_sum_7d');
    expect(sums).toEqual({ a: 630, b: 300, unassigned: Number.NaN });
  });

  test('and their weeks count 0 on a day whose people are listed with nothing', () => {
    const nothing = of(['a', 'b'].map((id) => person(id, { sessions: 0, billable_tokens: 0 })));
    const weekday = [of(team('a', 9), team('b', 5)), 140] as const;
    const weekend = [nothing, 0] as const;
    const week = [...Array.from({ length: 5 }, () => weekday), weekend, weekend];
    const month = monthOf([...week, ...week.slice(2), weekday, weekday]);
    expect(month('credits_by_team_sum_7d')).toEqual({ a: 450, b: 250 });
    expect(month('credits_by_team_sum_7d_baseline')).toEqual({ a: 450, b: 250 });
    expect(monthOf(week.with(5, [nothing, undefined] as never))('credits_by_team_sum_7d')).toEqual({
      a: 450,
      b: 250,
      unassigned: Number.NaN,
    });
    expect(monthOf(week.with(5, [undefined, 0] as never))('credits_by_team_sum_7d')).toEqual({});
  });

  test('beside budgets, is in files whole, and what is left of the organization is unassigned', () => {
    const people = teamsById({ teamBudgets: new Map([['a', 900]]) });
    const on = (a: number) => reduced([...team('a', a), ...team('b', 5), ...team('c', 6)], people);
    const month = monthOf([[on(9), 205] as const, [on(2), 135] as const], people);
    expect(month('daily_credits_by_team')).toEqual({ c: 60, other: 70, unassigned: 5 });
    const files = monthOf([[on(9), 205] as const, [on(2), 135] as const], people, accountedFamilies);
    expect(files('daily_credits_by_team')).toEqual({ a: 20, c: 60, unassigned: 55 });
    expect(files('daily_cost_by_team')).toEqual({ a: 20, c: 60, unassigned: 55 });
    expect(month('team_credits_month_to_date')).toMatchObject({ a: 110 });
  });

  test('beside budgets, has nothing that would count a budgeted team twice', () => {
    const people = teamsById({ teamBudgets: new Map([['a', 900]]) });
    const rows = [[reduced([...team('a', 9), ...team('b', 5), ...team('none', 7)], people), 230]] as const;
    expect(monthOf(rows, people)('team_credits_month_to_date')).toEqual({ a: 90, b: 50 });
  });

  test('is forecast once a team was shown on seven days, and never for what is no team', () => {
    const day = [of(team('a', 9), team('none', 5)), 150] as const;
    const idle = [usersDataset.idle, 0] as const;
    expect(monthOf(Array(6).fill(day))('team_credits_month_forecast')).toEqual({});
    expect(Object.keys(monthOf(Array(7).fill(day))('team_credits_month_forecast'))).toEqual(['a']);
    expect(monthOf([...Array(7).fill(day), ...Array(7).fill(idle)])('team_cost_month_forecast')).toEqual({
      a: expect.closeTo(630 + (17 * 90) / 2, 6),
    });
  });

  test('is what was published of its days, for any organization', () => {
    fc.assert(
      fc.property(fc.array(organization, { minLength: 1, maxLength: 5 }), (days) => {
        const rows = days.map((people) => {
          const row = reduced(
            people.map(({ row: own, team: name, id }) => ({ ...own, user_id: `${name}-${id}` })),
            teamsById(),
          );
          return [
            row,
            7 + people.reduce((sum, { row: own }) => sum + Number(own['billable_tokens']), 0),
          ] as const;
        });
        const published = rows.map((_, index) => {
          const until = monthOf(rows.slice(0, index + 1));
          return until('daily_credits_by_team');
        });
        const sums: Record<string, number> = {};
        for (const one of published)
          for (const [name, value] of Object.entries(one)) sums[name] = (sums[name] ?? 0) + value;
        const month = monthOf(rows)('team_credits_month_to_date');
        expect(Object.keys(month).sort()).toEqual(Object.keys(sums).sort());
        for (const [name, sum] of Object.entries(sums)) expect(month[name]).toBeCloseTo(sum, 3);
        const total = rows.reduce((sum, [, credits]) => sum + credits, 0);
        const added = Object.values(month).reduce((sum, value) => sum + value, 0);
        // Less than a thousand-millionth of a day's total is no rest.
        expect(Math.abs(added - total)).toBeLessThanOrEqual(1e-8 * total);
      }),
      { numRuns: propertyRuns(100) },
    );
  });
});

test('the month of a team of ten on its hidden days can give two people away (docs/adr/0010)', () => {
  const day = reduced([...team('a', 10), ...team('b', 2), ...team('c', 12)], teamsById());
  const other = day.byTeam?.find((group) => group.team === OTHER_TEAMS)?.credits ?? 0;
  // What ten people of a used on the only day on which they were hidden.
  const hiddenOfA = 100;
  expect(day.byTeam?.map((group) => group.team)).toEqual(['c', OTHER_TEAMS]);
  expect(other - hiddenOfA).toBe(20);
});

describe('for any organization', () => {
  test('every group that is shown has five active people', () => {
    fc.assert(
      fc.property(organization, (people) => {
        for (const way of ways) {
          for (const active of shownTeams(pageOf(people, way)).values())
            expect(active).toBeGreaterThanOrEqual(5);
        }
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  test('the groups add up to everybody, in every figure', () => {
    fc.assert(
      fc.property(organization, (people) => {
        const { byTeam } = reduced(
          people.map(({ row, team: name, id }) => ({ ...row, user_id: `${name}-${id}` })),
          teamsById(),
        );
        if (byTeam === undefined) return;
        const sum = (values: readonly unknown[]) => values.reduce<number>((all, one) => all + Number(one), 0);
        const rows = people.map(({ row }) => row);
        expect(sum(byTeam.map(({ credits }) => credits))).toBe(
          sum(rows.map((row) => row['billable_tokens'])),
        );
        expect(sum(byTeam.map(({ commits }) => commits))).toBe(sum(rows.map((row) => row['git_commits'])));
        expect(sum(byTeam.map(({ active }) => active))).toBe(people.filter(({ active }) => active).length);
      }),
    );
  });

  // For anyone who computes with a page: if another figure of the team gives the same page, it cannot be derived.
  test.each(ways)('another figure of a small team gives the very same page (%o)', (shown) => {
    let tried = 0;
    fc.assert(
      fc.property(organization, (people) => {
        const page = pageOf(people, shown);
        const visible = shownTeams(page);
        // The credits of a team with a budget are known, whatever its size.
        const hidden = people.filter(
          ({ team: name, active }) =>
            active && (name === OTHER_TEAMS || !visible.has(name)) && shown.teamBudgets?.has(name) !== true,
        );
        const small = new Set(hidden.map(({ team: name }) => name));
        small.delete(OTHER_TEAMS);
        for (const name of small) {
          if (visible.size === 0) continue;
          const one = hidden.find((somebody) => somebody.team === name);
          const other = hidden.find(
            (somebody) =>
              somebody.team !== name && somebody.row['billable_tokens'] !== one?.row['billable_tokens'],
          );
          // A folded team is never alone, or as large as one that is shown.
          const isAlone = hidden.every((somebody) => somebody.team === name);
          expect(isAlone && (shown.teamBudgets === undefined || hidden.length < 5)).toBe(false);
          if (one === undefined || other === undefined) continue;
          const swapped = people.map((somebody) => {
            if (somebody === one) return { ...somebody, team: other.team };
            return somebody === other ? { ...somebody, team: one.team } : somebody;
          });
          expect(pageOf(swapped, shown)).toEqual(page);
          tried++;
        }
      }),
      { numRuns: propertyRuns(shown.teamBudgets === undefined ? 300 : 150) },
    );
    expect(tried).toBeGreaterThan(hasAllRuns ? 50 : 0);
  });

  test.each(ways)('no sum or difference of what is shown is the figure of a small team (%o)', (way) => {
    fc.assert(
      fc.property(organization.map(unmistakable), (people) => {
        const page = pageOf(people, way);
        const visible = shownTeams(page);
        if (visible.size === 0) return;
        const shown = creditsByTeam(page);
        // On the page and in two files.
        expect(shown).toHaveLength(3 * visible.size);
        const weeks = creditsByTeam(page, 'credits_by_team_sum_7d');
        const months = new Set([...weeks, ...creditsByTeam(page, 'team_credits_month_to_date')]);
        // The organization's own total, which is known from another endpoint.
        const figures = [...new Set([...shown, ...months]), creditsOf(people)];
        const reachable = new Set([0]);
        for (const figure of figures) {
          for (const sum of [...reachable]) reachable.add(sum + figure).add(sum - figure);
        }
        for (const name of new Set(people.map((somebody) => somebody.team))) {
          if (visible.has(name) || way.teamBudgets?.has(name)) continue;
          const members = people.filter((somebody) => somebody.team === name);
          // Beside a team with a budget, one that could be shown by itself need not be hidden.
          if (way.teamBudgets !== undefined && members.length >= 5) continue;
          const credits = creditsOf(members);
          expect(reachable.has(credits)).toBe(false);
        }
      }),
      { numRuns: propertyRuns(300) },
    );
  });
});

/** The same people, with credits such that no two small groups have the same sum by chance. */
function unmistakable(people: Organization): Organization {
  return people.map((somebody, index) => {
    const credits = Math.floor((Math.sin(index + 1) + 2) * 1e13);
    return { ...somebody, active: true, row: { ...somebody.row, billable_tokens: credits } };
  });
}

function creditsOf(people: Organization): number {
  return people.reduce((sum, { row }) => sum + Number(row['billable_tokens']), 0);
}
