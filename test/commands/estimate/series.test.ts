import { expect, test } from 'vitest';
import { addDays, type Day, startOf } from '../../../src/catalog/day.ts';
import { dayFamily, type Family } from '../../../src/catalog/family.ts';
import { seriesOf, seriesWithin, sizeOf } from '../../../src/commands/estimate/org.ts';
import { familiesOverBudget, seriesBudgetOf } from '../../../src/pipeline/budget.ts';
import { createView } from '../../../src/pipeline/view.ts';
import { creditsCollector } from '../../pipeline/credits-collector.ts';
import { dayNamed } from '../../support/day.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { storedOrg } from '../../support/store.ts';

const day = dayNamed('2026-03-02');
const meta = { help: 'h', unit: 'credits', source: 's' } as const;
const settings = {
  name: 'acme',
  readiness: { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: true },
} as const;

/** A family with a sample for each of these pairs of a model and a user. */
function pairs(
  name: `agent_platform_${string}`,
  all: readonly (readonly [model: string, user: string])[],
): Family {
  return dayFamily({
    ...{ ...meta, name, labels: ['model', 'user'], aggregation: 'additive', breakdown: true },
    samplesOf: () => all.map(([model, user]) => ({ labels: { model, user }, value: 1 })),
  });
}

const total = dayFamily({
  ...{ ...meta, name: 'agent_platform_total', labels: [], aggregation: 'additive' },
  samplesOf: () => [{ labels: {}, value: 1 }],
});

async function measure(families: readonly Family[], limit: number) {
  const collector = { ...creditsCollector, families };
  const history = storedOrg({ days: () => new Map<Day, unknown>([[day, { credits: 1 }]]) });
  const parts = { history, settings, datasets: [collector.dataset], historyStart: day };
  const view = createView(parts, startOf(addDays(day, 1)));
  return sizeOf(collector, view, () => limit, createFakeClock(0));
}

const cross = ['a', 'b', 'c'].flatMap((model) => ['x', 'y'].map((user) => [model, user] as const));

test('the size of a collector is the number of its series, and of the values and series of each label', async () => {
  const { families, labels } = await measure(
    [total, pairs('agent_platform_cross', cross), pairs('agent_platform_more', [['d', 'x']])],
    99,
  );
  expect(families.map(({ family, series }) => [family.name, family.labels.length, series])).toEqual([
    ['agent_platform_total', 0, 1],
    ['agent_platform_cross', 2, 6],
    ['agent_platform_more', 2, 1],
  ]);
  expect(Object.fromEntries(labels)).toEqual({
    model: { values: 4, series: 7 },
    user: { values: 2, series: 7 },
  });
  expect(seriesOf(families)).toBe(8);
});

test('values over the limit of a label are one', async () => {
  const { families, labels } = await measure([pairs('agent_platform_cross', cross)], 2);
  expect(labels.get('model')?.values).toBe(3);
  expect(seriesOf(families)).toBe(6);
  expect((await measure([pairs('agent_platform_cross', cross)], 1)).labels.get('model')?.values).toBe(2);
});

const family = (
  name: string,
  dropPriority: 'detail' | 'breakdown' | 'main',
  series: number,
  isLabelled = true,
) => ({ family: { name, dropPriority, labels: isLabelled ? ['model'] : [] }, series });

test('of families that share a budget, those of one collector keep what is not dropped of all', () => {
  const [own, others] = [[family('a', 'detail', 5), family('b', 'main', 3)], [family('c', 'detail', 4)]];
  const all = [...others, ...own];
  expect([12, 11, 8, 7, 3, 2].map((budget) => seriesWithin(own, all, budget))).toEqual([8, 8, 8, 3, 3, 0]);
});

test('details are dropped first, then breakdowns, in declared order; empty families and those without labels never', () => {
  const all = [
    ...[family('main', 'main', 3), family('b', 'breakdown', 3), family('empty', 'detail', 0)],
    ...[family('d1', 'detail', 3), family('d2', 'detail', 3), family('one', 'detail', 1, false)],
  ];
  const dropped = (budget: number) => [...familiesOverBudget(all, budget)].join(' ');
  expect([13, 12, 10, 9, 7, 6, 4, 3, 1, 0].map(dropped)).toEqual([
    ...['', 'd1', 'd1', 'd1 d2', 'd1 d2', 'd1 d2 b', 'd1 d2 b', 'd1 d2 b main'],
    ...['main b d1 d2', 'main b d1 d2'],
  ]);
});

test('organizations share the limit of series equally', () => {
  expect([seriesBudgetOf(100, 3), seriesBudgetOf(100, 1), seriesBudgetOf(100, 0)]).toEqual([33, 100, 100]);
});
