import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addDays, type Day, daysFrom, lastOfMonth } from '../../src/catalog/day.ts';
import type { Contract } from '../../src/catalog/settings.ts';
import { monthForecast } from '../../src/collectors/month.ts';
import { boundsOf, DAYS_OF_RANGE, monthRange, probabilityAbove } from '../../src/collectors/month-range.ts';
import { type Amounts, amountsOf } from '../../src/collectors/weekdays.ts';
import { dayNamed } from '../support/day.ts';
import { definitionOf } from '../support/definitions.ts';
import { propertyRuns } from '../support/thoroughness.ts';
import { createFakeView } from './fakes.ts';
import { daysSince, dollars, MILLION, spendOn, spendView } from './spend/view.ts';

const LAST = dayNamed('2026-06-28');

/** Credits of the days that end with `LAST`; undefined makes a day unknown. */
function endingWith(amounts: readonly (number | undefined)[]): Amounts {
  const first = addDays(LAST, 1 - amounts.length);
  const known = new Map(amounts.map((amount, index) => [addDays(first, index), amount]));
  return amountsOf(createFakeView({}).settings, (day: Day) => known.get(day));
}

/** Two hundred days that each use the same. */
const steady = Array<number>(200).fill(10);

describe('the range of a month', () => {
  test('is as wide as the past forecasts of as many days were wrong', () => {
    const range = { toDate: 60, rest: 40, error: 0.1 * Math.sqrt(13 / 12) };
    const { lower, upper } = boundsOf(range);
    expect([lower, upper].map((bound) => Math.round(1000 * bound))).toEqual([94_576, 106_275]);
  });

  test('is empty where every past forecast was right, and on the last day of the month', () => {
    expect(monthRange(endingWith(steady), LAST)).toEqual({ toDate: 280, rest: 20, error: 0 });
    const noisy = steady.map((amount, index) => amount + (index % 5));
    const last = lastOfMonth(dayNamed('2026-05-01'));
    expect(monthRange(endingWith(noisy), last)).toMatchObject({ rest: 0, error: 0 });
  });

  test('counts what twelve past forecasts missed, each by the same factor', () => {
    // Two days remain. The two days after each of the twelve origins, Saturdays and Sundays, use e times the mean before.
    const credits = (index: number) => (index % 7 >= 5 ? 1.2 ** Math.floor(index / 7) : 10);
    const amounts = Array.from({ length: 196 }, (_, index) => credits(index));
    const mean = (1 + 1.2 ** -1 + 1.2 ** -2 + 1.2 ** -3) / 4;
    const { error = 0 } = monthRange(endingWith(amounts), LAST) ?? {};
    expect(error).toBeCloseTo(Math.log(1.2 / mean) * Math.sqrt(13 / 12), 9);
  });

  test('counts an error of more than a factor of three as that, and none where nothing was expected or used', () => {
    const quietWeekends = (weekend: number) =>
      Array.from({ length: 196 }, (_, index) => (index % 7 < 5 ? 10 : index > 182 ? weekend : 0));
    expect(monthRange(endingWith(quietWeekends(0)), LAST)?.error).toBe(0);
    // The newest two weekends: one of twelve forecasts expected nothing, the newest one too little.
    expect(monthRange(endingWith(quietWeekends(5)), LAST)?.error).toBeCloseTo(
      Math.log(3) * Math.sqrt((2 / 12) * (13 / 12)),
      9,
    );
  });

  test('is known with the days that it needs on each day of a month, and on the first with no day less', () => {
    const knownFor = (kept: number) => (day: Day) => {
      const first = addDays(day, 1 - kept);
      const amounts = { ...endingWith([]), on: (of: Day) => (of >= first && of <= day ? 10 : undefined) };
      return monthRange(amounts, day) !== undefined;
    };
    const october = daysFrom(dayNamed('2026-10-01'), dayNamed('2026-10-31'));
    expect(october.filter(knownFor(DAYS_OF_RANGE))).toEqual(october);
    expect(october.filter(knownFor(DAYS_OF_RANGE - 1))).toEqual(october.slice(1));
  });

  test('is absent while one of twelve forecasts is unknown, or a day after one', () => {
    const needed = 2 + 77 + 7;
    expect(monthRange(endingWith(steady.slice(-needed)), LAST)).toBeDefined();
    expect(monthRange(endingWith(steady.slice(1 - needed)), LAST)).toBeUndefined();
    const hole = (back: number) => steady.map((amount, index) => (index === 199 - back ? undefined : amount));
    expect(monthRange(endingWith(hole(29)), LAST)).toBeUndefined();
    expect(monthRange(endingWith(hole(31)), LAST)).toBeDefined();
  });

  test('contains the forecast, in the order of its bounds', () => {
    const amounts = fc.array(fc.integer({ min: 0, max: 1e9 }), { minLength: 240, maxLength: 240 });
    fc.assert(
      fc.property(amounts, fc.integer({ min: 0, max: 60 }), (known, back) => {
        const credits = endingWith(known);
        const day = addDays(LAST, -back);
        const range = monthRange(credits, day);
        if (range === undefined) throw new Error('there is no range');
        const { lower, upper } = boundsOf(range);
        const forecast = monthForecast(credits, day) ?? Number.NaN;
        expect(lower).toBeLessThanOrEqual(forecast * (1 + 1e-12));
        expect(upper).toBeGreaterThanOrEqual(forecast * (1 - 1e-12));
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  test('depends on no day after its own', () => {
    const upTo = (day: Day) => amountsOf(createFakeView({}).settings, (of) => (of <= day ? 7 : undefined));
    for (const day of daysFrom(dayNamed('2026-01-01'), dayNamed('2026-03-01')))
      expect(monthRange(upTo(day), day), day).toEqual(monthRange(upTo(LAST), day));
  });
});

describe('the probability of exceeding an amount', () => {
  test.each([
    [0, 0.5],
    [0.69745, 0.25],
    [1.36343, 0.1],
    [1.796, 0.05],
    [2.201, 0.025],
    [3.106, 0.005],
    [-1.796, 0.95],
  ])('is that of Student with 11 degrees of freedom: above %f, %f', (distance, expected) => {
    const amount = 60 + 40 * Math.exp(0.1 * distance);
    expect(probabilityAbove({ toDate: 60, rest: 40, error: 0.1 }, amount)).toBeCloseTo(expected, 4);
  });

  test('is 1 once the amount is exceeded, however little is expected', () => {
    expect(probabilityAbove({ toDate: 61, rest: 0, error: 0.1 }, 60)).toBe(1);
  });

  test('is 1 or 0 where nothing is uncertain', () => {
    expect(probabilityAbove({ toDate: 60, rest: 40, error: 0 }, 99)).toBe(1);
    expect(probabilityAbove({ toDate: 60, rest: 40, error: 0 }, 101)).toBe(0);
    expect(probabilityAbove({ toDate: 60, rest: 0, error: 0.1 }, 61)).toBe(0);
    expect(probabilityAbove({ toDate: 60, rest: 40, error: 0.1 }, 60)).toBe(1);
  });
});

describe('the figures of a range', () => {
  const amounts = Array.from({ length: 200 }, (_, index) => (index % 7 < 5 ? 10 + (index % 3) : 1));
  const days = daysSince(addDays(LAST, -199), amounts);
  const figures = (contract: Contract) => spendOn(spendView(days, contract), LAST);
  const prices = [dollars('2025-01-01', 2 * MILLION)];

  test('are those of the credits, and of money at the price', () => {
    const { lower, upper } = boundsOf(
      monthRange(endingWith(amounts), LAST) ?? { toDate: 0, rest: 0, error: 0 },
    );
    expect(lower).toBeLessThan(upper);
    const shown = figures({ prices, creditsPerMonth: 270 });
    expect(shown['credits_month_forecast_lower']).toBe(lower);
    expect(shown['credits_month_forecast_upper']).toBe(upper);
    expect(shown['cost_month_forecast_lower{USD}']).toBeCloseTo(2 * lower, 9);
    expect(shown['cost_month_forecast_upper{USD}']).toBeCloseTo(2 * upper, 9);
  });

  test('say how likely a budget is exceeded, if there is one', () => {
    const probability = (creditsPerMonth: number) =>
      figures({ prices: [], creditsPerMonth })['credits_month_budget_exceeded_probability'];
    const forecast = figures({ prices: [] })['credits_month_forecast'] ?? 0;
    expect(probability(forecast)).toBeCloseTo(0.5, 9);
    expect(probability(forecast * 2)).toBeLessThan(0.001);
    expect(probability(1)).toBe(1);
    expect(figures({ prices: [] })).not.toHaveProperty('credits_month_budget_exceeded_probability');
  });

  test('say so of a budget in money, each day at its own price', () => {
    const shown = (amount: number, of = prices, currency = 'USD') =>
      figures({ prices: of, costPerMonth: { amount, currency } });
    const probability = 'cost_month_budget_exceeded_probability{USD}';
    const forecast = figures({ prices })['cost_month_forecast{USD}'] ?? 0;
    expect(shown(forecast)[probability]).toBeCloseTo(0.5, 9);
    expect(shown(1)[probability]).toBe(1);
    expect(shown(forecast)).not.toHaveProperty('credits_month_budget_exceeded_probability');
    // The rest of the month is dearer than before.
    const dearer = [...prices, dollars(addDays(LAST, 1), 20 * MILLION)];
    expect(shown(forecast, dearer)[probability]).toBeGreaterThan(0.99);
    expect(shown(forecast, prices, 'EUR')).not.toHaveProperty(probability);
  });

  test('are those of the worked example', () => {
    const rounded = (bounds: ReturnType<typeof boundsOf>) =>
      [bounds.lower, bounds.upper].map((bound) => bound.toFixed(2));
    expect(rounded(boundsOf({ toDate: 162, rest: 108, error: 0.1 }))).toEqual(['255.89', '286.23']);
    expect(definitionOf('cost_month_forecast_lower')).toContain(
      '255.89 USD, and with exp(0.14) it is 286.23 USD',
    );
    expect(probabilityAbove({ toDate: 60, rest: 40, error: 0.1 }, 105)).toBeCloseTo(0.132, 3);
    expect(definitionOf('credits_month_budget_exceeded_probability')).toContain('probability of 0.132');
  });
});
