import { expect, test } from 'vitest';
import { addDays, type Day, daysFrom } from '../../../src/catalog/day.ts';
import type { Family } from '../../../src/catalog/family.ts';
import { userFamilies as people } from '../../../src/collectors/users/collector.ts';
import { breakdownsOf, reasonOf } from '../../../src/page/data/breakdowns.ts';
import { createFakeView, DAY, inSlices } from '../../collectors/fakes.ts';
import { COST, under } from '../../support/money.ts';

type ByTeam = Readonly<Record<string, number>>;

const USUAL = { a: 60, b: 40, other: 20 };

/** The team that is named where the day's teams, of 200 credits in total, differ from the four weeks before, of 120. */
function teamNamed(byTeam: ByTeam, limit = 100, isServed: (family: Family) => boolean = () => true) {
  const rowOf = (credits: number, teams: ByTeam) => ({
    credits,
    byTeam: Object.entries(teams).map(([team, own]) => ({ team, active: 5, credits: own })),
  });
  const before = [7, 14, 21, 28].map((days) => [addDays(DAY, -days), rowOf(120, USUAL)] as const);
  const view = createFakeView({ rows: new Map([...before, [DAY, rowOf(200, byTeam)]]) });
  const figure = { name: 'credits', family: 'f', isPublished: true, day: DAY, value: 200 } as const;
  const parts = { view, isServed, labelLimit: () => limit };
  return reasonOf(parts, { ...figure, weekBefore: 120, trend: [] })?.team;
}

test('the team with more than half of a change is named, with its share', () => {
  expect(teamNamed({ a: 120, b: 60, other: 20 })).toEqual({ name: 'a', share: 0.75 });
  expect(teamNamed({ a: 180, b: 0, other: 20 })).toEqual({ name: 'a', share: 1.5 });
});

test('no team is named with half of a change, against it, or where small teams have most', () => {
  expect(teamNamed({ a: 100, b: 80, other: 20 })).toBeUndefined();
  expect(teamNamed({ a: 0, b: 100, other: 100 })).toBeUndefined();
  expect(teamNamed({ a: 60, b: 40, other: 100 })).toBeUndefined();
});

test('a team is not named that is shown on one side only, or not in the metrics', () => {
  expect(teamNamed({ a: 60, b: 40, c: 80, other: 20 })).toBeUndefined();
  expect(teamNamed({ a: 110, b: 50, c: 20, other: 20 }, 2)).toMatchObject({ name: 'a' });
  expect(teamNamed({ a: 110, b: 0, c: 115, other: 0 }, 1)).toBeUndefined();
  expect(
    teamNamed({ a: 120, b: 60, other: 20 }, 100, (family) => family !== people.dailyCreditsByTeam),
  ).toBeUndefined();
});

test('the sums of a week lack no day, whatever is unknown of it', () => {
  const entry = (model: string, credits: number | null) => ({ model, tier: 'standard', credits });
  const usual = { byModel: [entry('a', 10), entry('b', 5)] };
  const weeks = daysFrom(addDays(DAY, -13), DAY);
  const sumsWith = (day: (typeof weeks)[number], row: unknown) => {
    const view = createFakeView({ rows: new Map(weeks.map((one) => [one, one === day ? row : usual])) });
    const work = breakdownsOf({
      view,
      labelLimit: () => 10,
      isServed: (family) => family.labels[0] === 'model',
    });
    let step = work.next();
    while (step.done !== true) step = work.next();
    return step.value.find(({ name }) => name === 'models')?.rows;
  };
  const both = [
    { label: 'a', value: 70, before: 70 },
    { label: 'b', value: 35, before: 35 },
  ];
  expect(sumsWith(DAY, usual)).toEqual(both);
  expect(sumsWith(DAY, { byModel: [entry('a', null), entry('b', 5)] })).toEqual(both.slice(1));
  // A model without a usable name can be one that is not listed.
  expect(sumsWith(addDays(DAY, -3), { byModel: [entry('b', 5), entry('other', null)] })).toEqual(
    both.slice(1),
  );
  expect(sumsWith(addDays(DAY, -9), { byModel: [entry('b', 5), entry('other', null)] })).toEqual([
    { label: 'a', value: 70, before: undefined },
    { label: 'b', value: 35, before: 35 },
  ]);
});

test('a team of this week that was not shown in the one before had nothing then, as in the metrics', async () => {
  const rowOf = (byTeam: ByTeam, credits: number) => ({
    credits,
    byTeam: Object.entries(byTeam).map(([team, own]) => ({ team, active: 5, credits: own })),
  });
  const rows = daysFrom(addDays(DAY, -13), DAY).map((day, index) => {
    const isBefore = index < 7;
    return [day, isBefore ? rowOf({ a: 10 }, 10) : rowOf({ a: 10, b: 5 }, 15)] as const;
  });
  const teamsOf = async (changed: ReadonlyMap<Day, unknown> = new Map()) => {
    const view = createFakeView({ rows: new Map<Day, unknown>([...rows, ...changed]) });
    const isServed = (family: Family) => family.labels[0] === 'team';
    return (await inSlices(breakdownsOf({ view, labelLimit: () => 10, isServed }))).find(
      ({ name }) => name === 'teams',
    )?.rows;
  };
  const both = [
    { label: 'a', value: 70, before: 70 },
    { label: 'b', value: 35, before: 0 },
  ];
  expect(await teamsOf()).toEqual(both);
  // A week of which a day is not known has no teams.
  const unknown = new Map([[addDays(DAY, -9), undefined]]);
  expect(await teamsOf(unknown)).toEqual(both.map((row) => ({ ...row, before: undefined })));
});

test('where there are no credits, models and the reason are those of the cost', async () => {
  const rowOf = (cost: number) => ({
    cost,
    byModel: [{ model: 'a', tier: 'standard', cost, input: 1, output: 1 }],
  });
  const rows = new Map(daysFrom(addDays(DAY, -28), DAY).map((day) => [day, rowOf(day === DAY ? 12.5 : 5)]));
  const parts = {
    view: under(createFakeView({ rows }), { money: COST }),
    labelLimit: () => 10,
    isServed: ({ name }: Family) => name === 'agent_platform_daily_cost_by_model',
  };
  expect(await inSlices(breakdownsOf(parts))).toMatchObject([
    { name: 'models', currency: 'USD', rows: [{ label: 'a', value: 42.5, before: 35 }] },
  ]);
  const figure = { name: 'credits', family: 'f', isPublished: true, day: DAY, value: 12.5 } as const;
  expect(reasonOf(parts, { ...figure, weekBefore: 5, trend: [] })).toMatchObject({
    usual: 5,
    largest: { name: 'a', share: 1 },
  });
});
