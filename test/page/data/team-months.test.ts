import { expect, test } from 'vitest';
import { addDays, daysFrom, firstOfMonth } from '../../../src/catalog/day.ts';
import type { Family } from '../../../src/catalog/family.ts';
import type { Budget } from '../../../src/catalog/settings.ts';
import { usersCollector } from '../../../src/collectors/users/collector.ts';
import { teamBudgetFamilies as teamMonths } from '../../../src/collectors/users/team-budgets.ts';
import { teamMonthsOf } from '../../../src/page/data/breakdowns.ts';
import { createFakeView, DAY, inSlices } from '../../collectors/fakes.ts';
import { person, reduced, teamsById } from '../../collectors/users/people.ts';

const prices = [{ from: addDays(DAY, -400), currency: 'USD', perMillionCredits: 500_000 }];

interface Given {
  readonly budgets?: Readonly<Record<string, Budget>>;
  readonly limit?: number;
  isServed?(family: Family): boolean;
}

/** The months as of the tenth day. Each day, also in the weeks before, team a used 90 credits, b 60, c 50, and no team 10. */
function monthsOf({ budgets = {}, limit = 100, isServed = () => true }: Given = {}) {
  const people = teamsById({ teamBudgets: new Map(Object.entries(budgets)) });
  const sizes = { a: 9, b: 6, c: 5 };
  const row = reduced(
    Object.entries(sizes).flatMap(([team, size]) =>
      Array.from({ length: size }, (_, index) => person(`${team}-${index}`, { billable_tokens: 10 })),
    ),
    people,
  );
  const rows = new Map(
    daysFrom(addDays(firstOfMonth(DAY), -150), DAY).map((day) => [day, { ...row, credits: 210 }]),
  );
  const view = createFakeView({ rows, people });
  const labelLimit = (label: string) => (label === 'team' ? limit : Number.POSITIVE_INFINITY);
  return inSlices(
    teamMonthsOf({
      ...{ collectors: [usersCollector], labelLimit, isServed },
      view: { ...view, settings: { ...view.settings, contract: { prices } } },
    }),
  );
}

const credits = (amount: number) => ({ currency: undefined, amount });
const usd = (amount: number) => ({ currency: 'USD', amount });

test('the months of teams are listed by size, what no shown team has among them', async () => {
  const months = await monthsOf();
  expect(months).toEqual({
    day: DAY,
    rest: 0,
    teams: [
      { team: 'a', credits: credits(900), cost: usd(450), forecast: credits(2790), costForecast: usd(1395) },
      { team: 'b', credits: credits(600), cost: usd(300), forecast: credits(1860), costForecast: usd(930) },
      { team: 'c', credits: credits(500), cost: usd(250), forecast: credits(1550), costForecast: usd(775) },
      { team: 'unassigned', credits: credits(100), cost: usd(50) },
    ],
  });
});

test('a budget in credits or in money is there with a probability, except in another currency', async () => {
  const eur = { currency: 'EUR', amount: 1_000 };
  const months = await monthsOf({ budgets: { a: 3_000, b: usd(600), c: eur } });
  const [a, b, c] = months?.teams ?? [];
  expect(a).toMatchObject({ team: 'a', budget: credits(3_000), probability: credits(0) });
  expect(b).toMatchObject({ team: 'b', budget: usd(600), probability: usd(1) });
  expect(c).toMatchObject({ team: 'c', budget: eur });
  expect(c).not.toHaveProperty('probability');
});

test('they are as in the metrics: folded over the limit of teams, and without families that are not served', async () => {
  const folded = await monthsOf({ limit: 2 });
  expect(folded?.teams.map(({ team, credits: used }) => [team, used?.amount])).toEqual([
    ['a', 900],
    ['b', 600],
    ['other', 600],
  ]);
  // Not all of the folded teams have a budget.
  const half = await monthsOf({ limit: 1, budgets: { b: 3_000 } });
  const other = half?.teams.find(({ team }) => team === 'other');
  expect(other).toMatchObject({ credits: credits(1_100) });
  expect(other).not.toHaveProperty('budget');
  const unpriced = await monthsOf({ isServed: (family) => family !== teamMonths.teamCostMonthToDate });
  expect(unpriced?.teams[0]).toMatchObject({ team: 'a', credits: credits(900) });
  expect(unpriced?.teams[0]).not.toHaveProperty('cost');
  expect(await monthsOf({ isServed: () => false })).toBeUndefined();
});
