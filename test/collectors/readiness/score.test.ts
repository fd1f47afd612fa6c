import { expect, test } from 'vitest';
import type { Criterion, ReadinessReport } from '../../../src/collectors/readiness/dataset.ts';
import { lowerBound, regressedBetween, scoreOf } from '../../../src/collectors/readiness/score.ts';

function report(criteria: ReadinessReport['criteria']): ReadinessReport {
  return { id: 'r', createdAt: 1, repo: 'host/app', criteria };
}

function criterion(id: string, passed: number, evaluated = 4): Criterion {
  return { id, skipped: false, passed, evaluated };
}

const unusable: Criterion = { id: 'z', skipped: null };
const skipped: Criterion = { id: 's', skipped: true };

test('regressed criteria are those that both reports evaluated, with a lower ratio in the newer one', () => {
  const older = report([
    criterion('a', 4),
    criterion('b', 2),
    criterion('c', 2),
    criterion('gone', 4),
    skipped,
  ]);
  const newer = report([criterion('a', 3), criterion('b', 1, 2), criterion('c', 4), criterion('s', 0)]);
  expect(regressedBetween(newer, older)).toBe(1);
  expect(regressedBetween(older, newer)).toBe(1);
  expect(regressedBetween(older, older)).toBe(0);
});

test('their number is unusable where a result of either report is, and unknown without results of both', () => {
  const [whole, partial] = [report([criterion('a', 4)]), report([criterion('a', 4), unusable])];
  for (const broken of [partial, report(null)]) {
    expect(regressedBetween(whole, broken)).toBeNull();
    expect(regressedBetween(broken, whole)).toBeNull();
    expect(scoreOf(broken)).toBeUndefined();
  }
  expect(regressedBetween(whole, report(undefined))).toBeUndefined();
  expect(regressedBetween(report(undefined), whole)).toBeUndefined();
  expect(regressedBetween(report(undefined), partial)).toBeUndefined();
});

test('the noise comes from the newest ten differences, and reports without a ratio do not count', () => {
  const scored = (...percents: readonly number[]) =>
    percents.map((one) => report([criterion('a', one, 100)]));
  const bound = (earlier: readonly ReadinessReport[]) => lowerBound(earlier[0], earlier);
  const calm = scored(...Array<number>(11).fill(80));
  // Ten quiet differences; whatever lies before them is forgotten.
  const restless = scored(...Array.from({ length: 30 }, (_, index) => (index % 2) * 50));
  expect(bound([...calm, ...restless])).toBeCloseTo(0.78, 12);
  expect(bound([...calm.slice(0, 5), ...restless])).toBeLessThan(0.1);
  const between = calm.slice(0, 4).flatMap((one) => [one, report([skipped]), report(null)]);
  expect(bound(between)).toBeCloseTo(0.78, 12);
  expect(bound(between.slice(0, 9))).toBeCloseTo(0.7, 12);
});
