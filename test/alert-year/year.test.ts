import { describe, expect, test } from 'vitest';
import { thresholds } from '../../alerts/src/index.ts';
import { expectDocumented } from './document.ts';
import { pooledDrops } from './drops.ts';
import { pooledForecasts } from './forecasts.ts';
import { doubleTable, dropTable, forecastTable, spikeTable } from './report.ts';
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
