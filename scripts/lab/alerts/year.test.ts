import { describe, expect, test } from 'vitest';
import { thresholds } from '../../../alerts/src/index.ts';
import { pooledForecasts } from '../../../test/collectors/spend/backtest/forecasts.ts';
import { createBudgetedYear } from './budget-world.ts';
import { createYearApart } from './budget-world-apart.ts';
import { expectDocumented } from './document.ts';
import { pooledDrops } from './drops.ts';
import { foreseenByOracle } from './oracle.ts';
import { pooledForesight, pooledRanges } from './ranges.ts';
import {
  budgetTable,
  doubleTable,
  dropTable,
  forecastTable,
  oracleTable,
  rangeTable,
  shareWithin,
  spikeTable,
} from './report.ts';
import { pooledDoubles, pooledSpikes, precisionOf, recallOf } from './spikes.ts';

/** Seeds that no definition was chosen with. */
const seeds = Array.from({ length: 20 }, (_, index) => 100 + index);
const sizes = [
  { people: 5, precision: 0.7 },
  { people: 120, precision: 0.9 },
  { people: 2000, precision: 0.9 },
].map(({ people, precision }) => ({ precision, pooled: pooledSpikes(people, seeds, precision) }));

describe('credit spikes of twenty years', () => {
  test.each(sizes)('are told precisely in an organization of $pooled.people', ({ precision, pooled }) => {
    expect(precisionOf(pooled.rule)).toBeGreaterThanOrEqual(precision);
  });

  test.each(sizes.slice(1))('are found from 100 people up: $pooled.people', ({ pooled }) => {
    expect(recallOf(pooled.rule)).toBeGreaterThanOrEqual(0.9);
  });

  test('are as documented; UPDATE=1 writes the table anew', () => {
    expectDocumented('spikes', spikeTable(sizes.map(({ pooled }) => pooled)));
  });
});

describe('days of twice the usual credits', () => {
  const pooled = [200, 2000].flatMap((people) =>
    [0, 0.03, 0.1].map((growth) => pooledDoubles(people, seeds, growth)),
  );

  test.each(pooled)('are found in most cases: $people people, growth $growthAMonth', ({ days, found }) => {
    expect(found / days).toBeGreaterThanOrEqual(0.75);
  });

  test('are as documented; UPDATE=1 writes the table anew', () => {
    expectDocumented('doubles', doubleTable(pooled));
  });
});

describe('month forecasts of twenty years', () => {
  const pooled = [5, 30, 120, 2000].map((people) => pooledForecasts(people, seeds));

  test('are as documented; UPDATE=1 writes the table anew', () => {
    expectDocumented('forecasts', forecastTable(pooled));
  });
});

describe.each([
  ['ranges', createBudgetedYear],
  ['ranges-apart', createYearApart],
])('%s of month forecasts of twenty years', (part, create) => {
  const pooled = [5, 120, 2000].flatMap((people) => {
    const years = seeds.map((seed) => create(seed, people));
    return [pooledRanges(years, false), pooledRanges(years, true)];
  });

  test.each(pooled)(
    'contain about four of five months: $people people, days off $withDaysOff',
    ({ covered }) => {
      expect(shareWithin(covered)).toBeGreaterThan(0.75);
      expect(shareWithin(covered)).toBeLessThan(0.85);
    },
  );

  test.each(pooled)('tell budgets in time: $people people, days off $withDaysOff', (one) => {
    const isFew = one.people < 100;
    expect(precisionOf(one)).toBeGreaterThan(one.withDaysOff && !isFew ? 0.95 : isFew ? 0.83 : 0.88);
    expect(recallOf(one)).toBeGreaterThan(isFew ? 0.9 : 0.96);
    expect(one.early / one.found).toBeGreaterThan(isFew ? 0.7 : 0.87);
  });

  test('are as documented; UPDATE=1 writes the tables anew', () => {
    expectDocumented(part, `${rangeTable(pooled)}\n${budgetTable(pooled)}`);
  });
});

describe('months of five people that an oracle foresees', () => {
  const ofYears = (create: typeof createBudgetedYear) =>
    pooledForesight(
      seeds.map((seed) => create(seed, 5)),
      foreseenByOracle,
    );
  const kinds = { First: ofYears(createBudgetedYear), Second: ofYears(createYearApart) };

  test('are as documented; UPDATE=1 writes the table anew', () => {
    expectDocumented('oracle', oracleTable(kinds));
  });
});

describe('readiness drops of twenty years', () => {
  // Not those of the year with which the threshold was chosen.
  const others = seeds.map((seed) => seed + 1);
  const pooled = [2, thresholds.readinessDropPoints.default, 7].map((points) => pooledDrops(others, points));

  test('are told precisely', () => {
    const [, { found = 0, falsely = 0 } = {}] = pooled;
    expect(found / (found + falsely)).toBeGreaterThanOrEqual(0.9);
  });

  test('are as documented; UPDATE=1 writes the table anew', () => {
    expectDocumented('drops', dropTable(pooled));
  });
});
