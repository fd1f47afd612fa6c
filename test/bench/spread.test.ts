import { describe, expect, test } from 'vitest';
import { ratiosOf, spreadOf } from '../../bench/statistics.ts';

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
