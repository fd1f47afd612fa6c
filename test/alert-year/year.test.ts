import { describe, expect, test } from 'vitest';
import { thresholds } from '../../alerts/src/index.ts';
import { expectDocumented } from './document.ts';
import { pooledDrops } from './drops.ts';
import { dropTable, spikeTable } from './report.ts';
import { pooledSpikes, precisionOf, recallOf } from './spikes.ts';

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
