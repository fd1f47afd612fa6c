import { describe, expect, test } from 'vitest';
import { addDays, daysFrom, startOf } from '../../../src/catalog/day.ts';
import { ANONYMOUS, type CreditPrice, type PeopleSettings } from '../../../src/catalog/settings.ts';
import type { View } from '../../../src/catalog/view.ts';
import { boundsOf, probabilityAbove } from '../../../src/collectors/month-range.ts';
import { usersCollector } from '../../../src/collectors/users/collector.ts';
import { type UsersRow, usersDataset } from '../../../src/collectors/users/dataset.ts';
import { withoutShortSums } from '../../../src/collectors/users/reduce.ts';
import { teamBudgetFamilies } from '../../../src/collectors/users/team-budgets.ts';
import { firstExpensiveDay } from '../../../src/pipeline/days-to-fetch.ts';
import { spoiledBy } from '../../../src/platforms/agent-platform/users.ts';
import { dayNamed } from '../../support/day.ts';
import { definitionOf } from '../../support/definitions.ts';
import { createFakeView } from '../fakes.ts';
import { type Person, person, reduced, teamsById } from './people.ts';

const BUDGETED = teamsById({ teamBudgets: new Map([['web', 900]]) });

const MANY_DAYS = (() => {
  const amounts = Array.from({ length: 200 }, (_, index) => (index % 7 < 5 ? 10 + (index % 3) : 1));
  const first = addDays(dayNamed('2026-06-28'), -199);
  return { first, days: Object.fromEntries(amounts.map((amount, index) => [addDays(first, index), amount])) };
})();

/** A stored day on which the team used these credits; undefined if they are unknown. */
function dayWith(credits: number | undefined): UsersRow {
  return { identity: 'none', teamRules: 'none', budgetedTeams: [{ team: 'web', credits }] };
}

type KnownDay = number | 'idle' | UsersRow;

function viewOf(
  days: Readonly<Record<string, KnownDay>>,
  { people = BUDGETED, prices = [] }: { people?: PeopleSettings; prices?: readonly CreditPrice[] } = {},
): View {
  const rowOf = (known: KnownDay) => (known === 'idle' ? usersDataset.idle : known);
  const rows = Object.entries(days).map(
    ([day, known]) => [dayNamed(day), typeof known === 'number' ? dayWith(known) : rowOf(known)] as const,
  );
  const view = createFakeView({ rows: new Map(rows), asOf: startOf(dayNamed('2030-01-01')), people });
  return { ...view, settings: { ...view.settings, contract: { prices } } };
}

/** The figures of the team on the newest day: `month_to_date`, `month_forecast`, `month_budget` and `cost`. */
function figuresOf(view: View, team = 'web'): Readonly<Record<string, number>> {
  const day = view.newestDay(usersDataset) ?? dayNamed('2026-06-01');
  const found: Record<string, number> = {};
  for (const family of Object.values(teamBudgetFamilies)) {
    const samples = family.scope === 'day' ? family.samplesOf(view, day) : family.samplesOf(view);
    const own = [...(samples ?? [])].find(({ labels }) => labels.team === team);
    if (own !== undefined) found[family.name.replace(/agent_platform_team_(credits_)?/, '')] = own.value;
  }
  return found;
}

function weeksBefore(day: string, millions: readonly number[]): Readonly<Record<string, number>> {
  const at = (index: number) => addDays(dayNamed(day), -7 * (index + 1));
  return Object.fromEntries(millions.map((amount, index) => [at(index), Math.round(amount * 1e6)]));
}

describe('the worked examples of docs/METRICS.md', () => {
  test('every figure has one, and says when it is absent', () => {
    for (const { name } of Object.values(teamBudgetFamilies)) {
      const definition = definitionOf(name);
      expect(definition, name).toContain('\n\nExample: ');
      expect(definition, name).toMatch(/[aA]bsent/);
    }
  });

  test('month to date', () => {
    const days = { '2026-06-01': 400_000, '2026-06-02': 'idle', '2026-06-03': 100_000 } as const;
    expect(figuresOf(viewOf(days))['month_to_date']).toBe(500_000);
    const { '2026-06-02': _, ...gap } = days;
    expect(figuresOf(viewOf(gap))).toEqual({ month_budget: 900 });
    expect(definitionOf('team_credits_month_to_date')).toContain('500 000');
  });

  test('month forecast', () => {
    const idle = daysFrom(dayNamed('2026-06-01'), dayNamed('2026-06-27')).map(
      (day) => [day, 'idle'] as const,
    );
    const figures = figuresOf(
      viewOf({
        ...Object.fromEntries(idle),
        ...weeksBefore('2026-06-29', [0.4, 0.3, 0.3, 0.2]),
        ...weeksBefore('2026-06-30', [0.4, 0.2, 0.1, 0.1]),
        '2026-06-28': 4_000_000,
      }),
    );
    expect(figures).toMatchObject({ month_to_date: 6_000_000, month_forecast: 6_500_000 });
    expect(definitionOf('team_credits_month_forecast')).toContain('6 500 000');
  });

  test('range of the month, and the probability of exceeding the budget', () => {
    const { days, first } = MANY_DAYS;
    const figures = (budget: number) =>
      figuresOf(viewOf(days, { people: teamsById({ teamBudgets: new Map([['web', budget]]) }) }));
    const {
      month_forecast: forecast = 0,
      month_forecast_lower: lower,
      month_forecast_upper: upper,
    } = figures(900);
    expect(lower).toBeLessThan(forecast);
    expect(upper).toBeGreaterThan(forecast);
    expect(figures(forecast)['month_budget_exceeded_probability']).toBeCloseTo(0.5, 9);
    expect(figures(1)['month_budget_exceeded_probability']).toBe(1);
    // Before the team had a budget, nothing is known of it.
    const { [addDays(first, 150)]: _, ...gap } = days;
    const unknown = figuresOf(viewOf(gap));
    expect(unknown).toHaveProperty('month_forecast');
    expect(unknown).not.toHaveProperty('month_forecast_lower');
    expect(unknown).not.toHaveProperty('month_budget_exceeded_probability');
  });

  test('range and forecast, for which more days are read than people are kept', () => {
    expect(usersDataset.usedDays).toBeGreaterThan(156);
  });

  test('bounds and probability', () => {
    const range = { toDate: 6e6, rest: 4e6, error: 0.1 };
    const { lower, upper } = boundsOf(range);
    const shown = [lower, upper].map((bound) => Math.round(bound).toLocaleString('en').replaceAll(',', ' '));
    expect(definitionOf('team_credits_month_forecast_lower')).toContain(`= ${shown[0]}.`);
    expect(definitionOf('team_credits_month_forecast_upper')).toContain(`= ${shown[1]}.`);
    expect(probabilityAbove(range, 10.5e6)).toBeCloseTo(0.132, 3);
  });

  test('budget', () => {
    const people = teamsById({ teamBudgets: new Map([['platform', 40_000_000]]) });
    const row = { ...dayWith(0), budgetedTeams: [{ team: 'platform', credits: 1 }] };
    expect(figuresOf(viewOf({ '2026-06-05': row }, { people }), 'platform')).toEqual({
      month_budget: 40_000_000,
    });
    expect(definitionOf('team_credits_month_budget')).toContain('40 000 000');
  });

  test('cost', () => {
    const price = (from: string, perMillionCredits: number) => ({
      ...{ from: dayNamed(from), currency: 'USD', perMillionCredits },
    });
    const days = { '2026-06-01': 500_000, '2026-06-02': 500_000, '2026-06-03': 500_000 };
    const prices = [price('2026-01-14', 2.7), price('2026-06-03', 3)];
    expect(figuresOf(viewOf(days, { prices }))['cost_month_to_date']).toBeCloseTo(4.2, 9);
    expect(figuresOf(viewOf(days, { prices: prices.slice(1) }))).not.toHaveProperty('cost_month_to_date');
    expect(definitionOf('team_cost_month_to_date')).toContain('4.20 USD');
  });

  test('cost forecast', () => {
    const idle = daysFrom(dayNamed('2026-06-01'), dayNamed('2026-06-27')).map(
      (day) => [day, 'idle'] as const,
    );
    const days = {
      ...Object.fromEntries(idle),
      ...weeksBefore('2026-06-29', [0.4, 0.3, 0.3, 0.2]),
      ...weeksBefore('2026-06-30', [0.4, 0.2, 0.1, 0.1]),
      '2026-06-28': 4_000_000,
    };
    const prices = [{ from: dayNamed('2026-01-14'), currency: 'USD', perMillionCredits: 2.7 }];
    expect(figuresOf(viewOf(days, { prices }))['cost_month_forecast']).toBeCloseTo(17.55, 9);
    const changed = [...prices, { from: dayNamed('2026-06-30'), currency: 'USD', perMillionCredits: 5.4 }];
    expect(figuresOf(viewOf(days, { prices: changed }))['cost_month_forecast']).toBeCloseTo(18.09, 9);
    expect(definitionOf('team_cost_month_forecast')).toContain('17.55 USD');
  });

  test('range of the cost, and the probability of exceeding a budget in money', () => {
    const prices = [{ from: dayNamed('2020-01-01'), currency: 'USD', perMillionCredits: 2e6 }];
    const figures = (amount: number, currency = 'USD') => {
      const people = teamsById({ teamBudgets: new Map([['web', { amount, currency }]]) });
      return figuresOf(viewOf(MANY_DAYS.days, { people, prices }));
    };
    const found = figures(900);
    // Two dollars for each credit, on every day.
    for (const name of ['month_forecast', 'month_forecast_lower', 'month_forecast_upper'])
      expect(found[`cost_${name}`]).toBeCloseTo(2 * (found[name] ?? 0), 9);
    const { cost_month_forecast: forecast = 0 } = found;
    expect(figures(forecast)['cost_month_budget_exceeded_probability']).toBeCloseTo(0.5, 9);
    expect(figures(1)['cost_month_budget_exceeded_probability']).toBe(1);
    expect(figures(1)).not.toHaveProperty('month_budget_exceeded_probability');
    expect(figures(1, 'EUR')).not.toHaveProperty('cost_month_budget_exceeded_probability');
    const range = { toDate: 16.2, rest: 10.8, error: 0.1 };
    expect(definitionOf('team_cost_month_forecast_lower')).toContain(
      `= ${boundsOf(range).lower.toFixed(2)} USD`,
    );
    expect(definitionOf('team_cost_month_forecast_upper')).toContain(
      `= ${boundsOf(range).upper.toFixed(2)} USD`,
    );
    expect(probabilityAbove({ toDate: 600, rest: 400, error: 0.1 }, 1050)).toBeCloseTo(0.132, 3);
  });

  test('budget in money', () => {
    const money = { amount: 1500, currency: 'USD' };
    const people = teamsById({ teamBudgets: new Map([['web', money]]) });
    expect(figuresOf(viewOf({ '2026-06-05': 3 }, { people }))).toEqual({ cost_month_budget: 1500 });
    expect(definitionOf('team_cost_month_budget')).toContain('1 500');
  });
});

describe('the month of a team', () => {
  test('begins with the first UTC day of the calendar month, and is whole on the last', () => {
    const days = { '2026-06-28': 5, '2026-06-29': 6, '2026-06-30': 7, '2026-07-01': 8 };
    expect(figuresOf(viewOf(days))['month_to_date']).toBe(8);
    const june = daysFrom(dayNamed('2026-06-01'), dayNamed('2026-06-30')).map((day) => [day, 10] as const);
    expect(figuresOf(viewOf(Object.fromEntries(june)))).toMatchObject({
      ...{ month_to_date: 300, month_forecast: 300 },
    });
  });

  test.each<[string, UsersRow]>([
    ['whose credits were unusable', dayWith(undefined)],
    ['that was fetched before the team had a budget', { identity: 'none', teamRules: 'none' }],
  ])('is absent, never short, with a day %s', (_, row) => {
    expect(figuresOf(viewOf({ '2026-06-01': 10, '2026-06-02': row, '2026-06-03': 10 }))).toEqual({
      month_budget: 900,
    });
  });

  test('is not shown in an organization in which the team has used nothing lately, but 0 in a quiet month', () => {
    expect(figuresOf(viewOf({ '2026-06-01': 0, '2026-06-02': 0 }))).toEqual({});
    expect(figuresOf(viewOf({ '2026-05-04': 3, '2026-06-01': 0 }))).toEqual({
      ...{ month_to_date: 0, month_budget: 900 },
    });
    expect(figuresOf(viewOf({ '2026-05-03': 3, '2026-06-01': 0 }))).toEqual({});
  });

  test('ends with its budget, and other teams have none', () => {
    const days = { '2026-06-01': 10 };
    expect(figuresOf(viewOf(days, { people: teamsById() }))).toEqual({});
    const other = teamsById({ teamBudgets: new Map([['ops', 5]]) });
    expect(figuresOf(viewOf(days, { people: other }))).toEqual({});
  });
});

/** People of a team, each with ten credits. */
function team(name: string, active: number): readonly Person[] {
  return Array.from({ length: active }, (_, index) => person(`${name}-${index}`, { billable_tokens: 10 }));
}

describe('a day of a team with a budget', () => {
  test('is kept whole where the team is folded, where no team is shown, and where nobody worked', () => {
    const budgets = (people: readonly Person[]) => reduced(people, BUDGETED).budgetedTeams;
    expect(budgets([...team('ops', 9), ...team('web', 2), ...team('none', 5)])).toEqual([
      { team: 'web', credits: 20 },
    ]);
    expect(budgets(team('web', 1))).toEqual([{ team: 'web', credits: 10 }]);
    expect(budgets(team('ops', 7))).toEqual([{ team: 'web', credits: 0 }]);
    expect(budgets([person('web-1')])).toEqual([{ team: 'web', credits: undefined }]);
    expect(reduced(team('web', 9), teamsById()).budgetedTeams).toBeUndefined();
  });

  test.each([
    ['billable_tokens', undefined],
    ['user_email', undefined],
    ['sessions', 20],
    ['git_commits', 20],
  ])('with an unusable %s has %s credits', (field, credits) => {
    const row = withoutShortSums(reduced(team('web', 2), BUDGETED), [spoiledBy(field)]);
    expect(row.budgetedTeams).toEqual([{ team: 'web', credits }]);
  });

  test('counts a person by the team of that day, so that nobody counts twice in a month', () => {
    const days = (of: (id: string) => string) =>
      reduced(team('web', 6), { ...BUDGETED, teamOf: ({ id }) => of(id) });
    const before = days(() => 'web');
    const after = days((id) => (id === 'web-0' ? 'ops' : 'web'));
    const view = viewOf({ '2026-06-01': before, '2026-06-02': after });
    expect(figuresOf(view)['month_to_date']).toBe(60 + 50);
  });

  test('keeps its people for 35 days, and only as long as people are identified in that way', () => {
    const { stripOldIdentities } = usersDataset;
    const byId = teamsById({ identity: 'id', labelOf: ({ id }) => id });
    const row = reduced(team('web', 9), byId);
    const strip = (age: number, people: PeopleSettings, given = row) =>
      stripOldIdentities?.(given, age, { ...viewOf({}).settings, people });
    expect(strip(35, byId)).toBe(row);
    const stripped = { ...row, people: undefined, identity: ANONYMOUS.identity };
    expect(strip(36, byId)).toEqual(stripped);
    expect(strip(1, ANONYMOUS)).toEqual(stripped);
    expect(strip(36, byId, stripped)).toBe(stripped);
  });

  test('is forgotten with the budget, and its row otherwise stays', () => {
    const { stripOldIdentities } = usersDataset;
    const row = reduced([...team('web', 9), ...team('ops', 8)], BUDGETED);
    const settings = (people: PeopleSettings) => ({ ...viewOf({}).settings, people });
    expect(stripOldIdentities?.(row, 200, settings(BUDGETED))).toBe(row);
    const { budgetedTeams, ...rest } = stripOldIdentities?.(row, 1, settings(teamsById())) ?? row;
    expect(budgetedTeams).toBeUndefined();
    expect({ ...rest, budgetedTeams: row.budgetedTeams }).toEqual(row);
  });

  test('is asked for again where it was fetched without the budget; with teams, a whole month is', () => {
    const { isSufficient } = usersDataset;
    const settings = { ...viewOf({}).settings };
    expect(isSufficient?.(dayWith(1), settings)).toBe(true);
    expect(isSufficient?.(dayWith(undefined), settings)).toBe(true);
    expect(isSufficient?.({ identity: 'none', teamRules: 'none' }, settings)).toBe(false);
    expect(isSufficient?.(dayWith(1), { ...settings, people: ANONYMOUS })).toBe(true);
    const newest = dayNamed('2026-07-31');
    const { expensive } = usersCollector;
    if (expensive === undefined) throw new Error('people are not expensive');
    const firstWith = (people: PeopleSettings) =>
      firstExpensiveDay(expensive, newest, new Map(), { ...settings, people });
    expect(firstWith({ ...ANONYMOUS, teamRules: 'with teams' })).toBe('2026-07-01');
    expect(firstWith(ANONYMOUS)).toBe('2026-07-29');
  });
});
