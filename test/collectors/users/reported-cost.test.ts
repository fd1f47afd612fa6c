import { describe, expect, test } from 'vitest';
import { addDays, daysFrom, firstOfMonth } from '../../../src/catalog/day.ts';
import type { PlatformMoney } from '../../../src/catalog/money.ts';
import type { Budget } from '../../../src/catalog/settings.ts';
import { accountedFamilies, usersCollector } from '../../../src/collectors/users/collector.ts';
import type { UsersRow } from '../../../src/collectors/users/dataset.ts';
import { DayReducer, withoutShortSums } from '../../../src/collectors/users/reduce.ts';
import { personRow } from '../../../src/platforms/agent-platform/users.ts';
import { BOTH, COST, under } from '../../support/money.ts';
import { createFakeView, DAY } from '../fakes.ts';
import { person, teamsById } from './people.ts';

/** A day of two teams of five, of which each person cost 2 and 3, in an organization that cost 30. */
function rowOf(
  budgets: Readonly<Record<string, Budget>>,
  credits?: number,
  working: readonly string[] = ['a', 'b'],
): UsersRow {
  const reducer = new DayReducer(teamsById({ teamBudgets: new Map(Object.entries(budgets)) }));
  for (const [team, cost] of [['a', 2] as const, ['b', 3] as const]) {
    if (!working.includes(team)) continue;
    for (let index = 0; index < 5; index++) {
      const row = person(`${team}-${index}`, { billable_tokens: credits });
      reducer.add({ ...personRow.parse(row).person, cost });
    }
  }
  const work = reducer.finish();
  let step = work.next();
  while (step.done !== true) step = work.next();
  return step.value;
}

function figuresOf(
  money: PlatformMoney,
  budgets: Readonly<Record<string, Budget>> = {},
  credits?: number,
  ofMonth = rowOf(budgets, credits),
) {
  const people = teamsById({ teamBudgets: new Map(Object.entries(budgets)) });
  const total = credits === undefined ? {} : { credits: credits * 12 };
  const month = firstOfMonth(DAY);
  const before = rowOf(budgets, credits);
  const rows = daysFrom(addDays(month, -150), DAY).map(
    (day) => [day, { ...(day < month ? before : ofMonth), ...total, cost: 30 }] as const,
  );
  const view = under(createFakeView({ rows: new Map(rows), people }), { money });
  const samplesOf = (families: typeof accountedFamilies | typeof usersCollector.families) =>
    Object.fromEntries(
      families.flatMap((family) =>
        Array.from(
          (family.scope === 'day' ? family.samplesOf(view, DAY) : family.samplesOf(view)) ?? [],
          ({ labels, value }) => [
            `${family.name.replace('agent_platform_', '')}{${family.labels.map((label) => labels[label])}}`,
            value,
          ],
        ).filter(([, value]) => !Number.isNaN(value)),
      ),
    );
  return { ...samplesOf(usersCollector.families), accounted: samplesOf(accountedFamilies) };
}

describe('the reported cost of teams', () => {
  test('adds up to that of the day, without any figure in credits', () => {
    const figures = figuresOf(COST);
    expect(figures).toMatchObject({
      'daily_cost_by_team{a,USD}': 10,
      'daily_cost_by_team{b,USD}': 15,
      'daily_cost_by_team{unassigned,USD}': 5,
      'cost_by_team_sum_7d{a,USD}': 70,
      'cost_by_team_sum_7d{unassigned,USD}': 35,
      'cost_by_team_sum_7d_baseline{b,USD}': 105,
      'team_cost_month_to_date{a,USD}': 100,
      'team_cost_month_forecast{b,USD}': 15 * 31,
    });
    expect(Object.keys(figures).filter((name) => /credits/.test(name))).toEqual([]);
  });

  test('is compared with a budget in its currency, by the series of the cost itself', () => {
    const figures = figuresOf(COST, {
      a: { currency: 'USD', amount: 300 },
      b: { currency: 'EUR', amount: 1 },
    });
    expect(figures).toMatchObject({
      'team_cost_month_to_date{a,USD}': 100,
      'team_cost_month_forecast_upper{a,USD}': 310,
      'team_cost_month_budget_exceeded_probability{a,USD}': 1,
      'team_cost_month_budget{b,EUR}': 1,
      accounted: { 'daily_cost_by_team{a,USD}': 10 },
    });
    expect(figures).not.toHaveProperty('team_cost_month_budget_exceeded_probability{b,USD}');
  });

  test('of a team that rests is 0, and its credits are absent', () => {
    const budgets: Record<string, Budget> = { a: { currency: 'USD', amount: 300 } };
    const figures = figuresOf(COST, budgets, undefined, rowOf(budgets, undefined, ['b']));
    expect(figures).toMatchObject({ 'team_cost_month_to_date{a,USD}': 0 });
    expect(Object.keys(figures).filter((name) => /credits/.test(name))).toEqual([]);
  });

  test('stands beside the credits where there are both', () => {
    const figures = figuresOf(BOTH, {}, 7);
    expect(figures).toMatchObject({
      'daily_credits_by_team{a}': 35,
      'daily_credits_by_team{unassigned}': 14,
      'daily_cost_by_team{a,USD}': 10,
      'cost_by_team_sum_7d{a,USD}': 70,
      'team_credits_month_to_date{a}': 350,
      'team_cost_month_to_date{a,USD}': 100,
    });
  });

  test('is unknown where that of a person was unusable', () => {
    const { byTeam = [], budgetedTeams = [] } = withoutShortSums(rowOf({ a: 5 }), [['cost']]);
    expect([...byTeam, ...budgetedTeams].map(({ cost }) => cost)).toEqual([undefined, undefined, undefined]);
  });

  test('of a team with a budget and nobody is 0 where others have one', () => {
    expect(rowOf({ none: 5 }).budgetedTeams).toEqual([{ team: 'none', credits: 0, cost: 0 }]);
  });
});
