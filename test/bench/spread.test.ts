import { describe, expect, test } from 'vitest';
import { atLeast, below, renderAims } from '../../bench/report/aims.ts';
import { ratiosOf, spreadOf } from '../../bench/report/statistics.ts';

describe('the spread of rounds', () => {
  test('is from the lower to the upper quartile', () => {
    expect(spreadOf([9, 1, 8, 2, 7, 3, 6, 4, 5])).toEqual({ median: 5, lower: 3, upper: 7 });
  });

  test('is from the smallest to the largest value of fewer than five', () => {
    expect(spreadOf([3, 1, 2])).toEqual({ median: 2, lower: 1, upper: 3 });
    expect(spreadOf([4])).toEqual({ median: 4, lower: 4, upper: 4 });
  });

  test('of ratios compares each round with itself, so that a slow round changes nothing', () => {
    expect(ratiosOf([10, 100, 12], [20, 200, 24])).toEqual({ median: 0.5, lower: 0.5, upper: 0.5 });
  });
});

describe('a target', () => {
  const spread = { median: 0.85, lower: 0.79, upper: 0.9 };

  test('counts as reached only if the worse end of the spread reaches it', () => {
    expect(atLeast('speed', 0.8, spread)).toMatchObject({ reached: false });
    expect(atLeast('speed', 0.79, spread)).toMatchObject({ reached: true });
    expect(below('cost', 0.9, spread, '×')).toMatchObject({ reached: false });
    expect(below('cost', 0.91, spread, '×')).toMatchObject({ reached: true });
    expect(atLeast('speed', 0.8)).toMatchObject({ reached: false });
  });

  test('is shown with the spread', () => {
    const aims = [atLeast('speed', 0.8, spread), below('time', 100, 99.5, 'ms')];
    expect(renderAims(aims).split('\n').slice(2)).toEqual([
      '| speed | ≥ 0.8 × | 0.85 (0.79–0.90) × | **no** |',
      '| time | < 100 ms | 99.5 ms | yes |',
    ]);
  });
});
