import { describe, expect, test } from 'vitest';
import { pooledForecasts } from './backtest/forecasts.ts';

const seeds = Array.from({ length: 8 }, (_, index) => 300 + index);
const sizes = [5, 30, 120].map((people) => pooledForecasts(people, seeds));

describe('the month forecast over simulated years', () => {
  test.each(sizes.slice(1))('is nearer to the month than with quiet days: $people people', (pooled) => {
    expect(pooled.published.size).toBeLessThan(0.85 * pooled.ofAllDays.size);
  });

  test('is nearer to it for five people, too, who are often away', () => {
    const [{ published, ofAllDays } = pooledForecasts(5, seeds)] = sizes;
    expect(published.size).toBeLessThan(0.93 * ofAllDays.size);
    expect(Math.abs(published.bias)).toBeLessThan(0.015);
  });

  test.each(sizes)('knows January after a quiet Christmas: $people people', (pooled) => {
    expect(pooled.ofAllDays.january).toBeLessThan(-0.15);
    expect(Math.abs(pooled.published.january)).toBeLessThan(0.06);
  });
});
