import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { alertQuality } from './report.ts';
import { pooledSpikes, precisionOf, recallOf } from './spikes.ts';

const DOCUMENT = new URL('../../docs/alert-quality.md', import.meta.url);
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
    const text = alertQuality(sizes.map(({ pooled }) => pooled));
    if (process.env['UPDATE'] === '1') writeFileSync(DOCUMENT, text);
    expect(readFileSync(DOCUMENT, 'utf8')).toBe(text);
  });
});
