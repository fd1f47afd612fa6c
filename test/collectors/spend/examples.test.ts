import { describe, expect, test } from 'vitest';
import { addDays } from '../../../src/catalog/day.ts';
import { spendCollector } from '../../../src/collectors/spend/collector.ts';
import { dayNamed } from '../../support/day.ts';
import { definitionOf } from '../../support/definitions.ts';
import { daysSince, dollars, type KnownDay, MILLION, spendOn, spendView } from './view.ts';

const juneDays = { '2026-06-01': 2 * MILLION, '2026-06-02': 1.5 * MILLION, '2026-06-03': 'idle' } as const;
const sinceJanuary = [dollars('2026-01-14', 2.7)];

/** Earlier days of the same weekday, by the number of weeks. */
function weeksBefore(day: string, millions: readonly number[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    millions.map((amount, index) => [addDays(dayNamed(day), -7 * (index + 1)), amount * MILLION]),
  );
}

/** Sixty million credits by Sunday, 28 June 2026, with the Mondays and Tuesdays of the worked example. */
function untilSunday(): Readonly<Record<string, KnownDay>> {
  const mondays = weeksBefore('2026-06-29', [4, 3, 3, 2]);
  const tuesdays = weeksBefore('2026-06-30', [4, 2, 1, 1]);
  // June has four Mondays and four Tuesdays before the 28th, with 20 million of the 60.
  const rest = daysSince('2026-06-01', [...Array<KnownDay>(27).fill('idle'), 40 * MILLION]);
  return { ...rest, ...mondays, ...tuesdays };
}

describe('the worked examples of docs/METRICS.md', () => {
  test('every figure has one, and says when it is absent', () => {
    for (const { name } of spendCollector.families) {
      const definition = definitionOf(name);
      expect(definition, name).toContain('\n\nExample: ');
      expect(definition, name).toMatch(/[aA]bsent/);
    }
  });

  test('month to date', () => {
    expect(spendOn(spendView(juneDays), '2026-06-03')['credits_month_to_date']).toBe(3_500_000);
    const { '2026-06-02': _, ...gap } = juneDays;
    expect(spendOn(spendView(gap), '2026-06-03')).not.toHaveProperty('credits_month_to_date');
    expect(definitionOf('credits_month_to_date')).toContain('3 500 000');
  });

  test('month forecast', () => {
    const figures = spendOn(spendView(untilSunday()), '2026-06-28');
    expect(figures['credits_month_to_date']).toBe(60_000_000);
    expect(figures['credits_month_forecast']).toBe(65_000_000);
    expect(definitionOf('credits_month_forecast')).toContain('65 000 000');
  });

  test('quiet days of the month forecast', () => {
    /** The forecast for a Monday, where the last one had so many credits. */
    const forecast = (deviation: number, last: number) => {
      const eachMillions = (week: number) => 3 * (1 + (week % 2 === 0 ? deviation : -deviation)) * MILLION;
      const weeks = Array.from({ length: 8 }, (_, week) => [...Array(5).fill(eachMillions(week)), 0, 0]);
      const view = spendView({ ...daysSince('2026-05-04', weeks.flat()), '2026-06-22': last });
      const figures = spendOn(view, '2026-06-28');
      return (figures['credits_month_forecast'] ?? 0) - (figures['credits_month_to_date'] ?? 0);
    };
    for (const [deviation, limit] of [
      [0.1, MILLION],
      [0.2, 331_320],
    ] as const) {
      const without = forecast(deviation, limit - 1);
      expect(without).toBeCloseTo(6 * MILLION, 3);
      expect(forecast(deviation, limit + 1)).toBeLessThan(without - 0.4 * MILLION);
    }
    expect(forecast(0.225, 0)).toBeLessThan(5.5 * MILLION);
    expect(definitionOf('credits_month_forecast')).toContain('331 320');
  });

  test('quiet weeks of the month forecast', () => {
    /** The forecast for a Monday and a Tuesday after a week in which only a Wednesday and a Thursday had credits. */
    const forecast = (deviation: number, midweek: number) => {
      const working = [1, 1, -1, -1, 0, 0, 1, 1].map((sign) => 3 * (1 + sign * deviation) * MILLION);
      const weeks = working.flatMap((amount) => [...Array<number>(5).fill(amount), 0, 0]);
      const days = daysSince('2026-04-27', [...weeks, 0, 0, midweek / 2, midweek / 2, 0, 0, 0]);
      const figures = spendOn(spendView(days), '2026-06-28');
      return (figures['credits_month_forecast'] ?? 0) - (figures['credits_month_to_date'] ?? 0);
    };
    for (const [deviation, limit] of [
      [0.3, 5 * MILLION],
      [0.4, 3_065_300],
    ] as const) {
      const without = forecast(deviation, limit - 1);
      expect(without).toBeCloseTo(2 * 3 * (1 + deviation / 2) * MILLION, 3);
      expect(forecast(deviation, limit + 1)).toBeLessThan(without - MILLION);
    }
    expect(forecast(0.51, 0)).toBeCloseTo(2 * 3 * ((1 + 2 * 1.51) / 4) * MILLION, 3);
    expect(definitionOf('credits_month_forecast')).toContain('3 065 300');
  });

  test('budget and seats, which need no day', () => {
    const view = spendView({}, { seats: 120, creditsPerMonth: 500_000_000, prices: sinceJanuary });
    for (const family of spendCollector.families.filter(({ scope }) => scope === 'current')) {
      const [sample] = (family.scope === 'current' ? family.samplesOf(view) : undefined) ?? [];
      const value = sample?.value ?? 0;
      expect(definitionOf(family.name)).toContain(value.toLocaleString('en-US').replaceAll(',', ' '));
    }
    expect(spendOn(view, '2026-06-28')).toEqual({
      credits_month_budget: 500_000_000,
      seats: 120,
      'credit_price{USD}': 0.0000027,
    });
  });

  test('the start of a billing month', () => {
    const view = spendView(juneDays, { prices: [], periodStarts: 9 });
    const start = spendOn(view, '2026-06-03')['billing_period_start_timestamp_seconds'];
    expect(start).toBe(Date.UTC(2026, 4, 9) / 1000);
    expect(definitionOf('billing_period_start_timestamp_seconds')).toContain('1 778 284 800');
  });

  test('a budget in money, and no other one', () => {
    const costPerMonth = { amount: 1500, currency: 'USD' };
    const view = spendView({}, { costPerMonth, prices: sinceJanuary });
    expect(spendOn(view, '2026-06-28')).toEqual({
      'cost_month_budget{USD}': 1500,
      'credit_price{USD}': 0.0000027,
    });
    expect(definitionOf('cost_month_budget')).toContain('1 500');
  });

  test('trailing 7 and 28 days', () => {
    const week = daysSince('2026-06-01', [...Array<number>(6).fill(MILLION), 3 * MILLION]);
    expect(spendOn(spendView(week), '2026-06-07')['credits_trailing_7d']).toBe(9_000_000);
    expect(definitionOf('credits_trailing_7d')).toContain('9 000 000');
    const weeks = Array.from({ length: 28 }, (_, index) => (index % 7 < 5 ? MILLION : ('idle' as const)));
    const month = spendView(daysSince('2026-06-01', weeks));
    expect(spendOn(month, '2026-06-28')['credits_trailing_28d']).toBe(20_000_000);
    expect(spendOn(month, '2026-06-27')).not.toHaveProperty('credits_trailing_28d');
    expect(definitionOf('credits_trailing_28d')).toContain('20 000 000');
  });

  test('the week before, and the month to the same day of the month before', () => {
    const june = spendView(daysSince('2026-06-01', Array<number>(14).fill(MILLION)));
    expect(spendOn(june, '2026-06-14')['credits_trailing_7d_baseline']).toBe(7_000_000);
    expect(definitionOf('credits_trailing_7d_baseline')).toContain('7 000 000');
    const spring = spendView(daysSince('2026-02-01', Array<number>(59).fill(MILLION)));
    const monthBefore = (day: string) => spendOn(spring, day)['credits_month_to_date_baseline'];
    expect(monthBefore('2026-03-15')).toBe(15 * MILLION);
    expect(monthBefore('2026-03-31')).toBe(28 * MILLION);
    expect(monthBefore('2026-02-10')).toBeUndefined();
    expect(definitionOf('credits_month_to_date_baseline')).toContain('1 to 28 February');
  });

  test('the days that the budget lasts', () => {
    const days = { ...daysSince('2026-03-01', Array<number>(20).fill(100_000)) };
    const left = (creditsPerMonth: number, day = '2026-03-20') =>
      spendOn(spendView(days, { creditsPerMonth, prices: [] }), day)['credits_month_budget_lasts'];
    expect(left(3 * MILLION)).toBeCloseTo(10, 9);
    expect(left(2 * MILLION)).toBe(0);
    expect(left(6 * MILLION)).toBeCloseTo(40, 9);
    const april = spendView(daysSince('2026-04-01', Array<number>(30).fill(100_000)), {
      creditsPerMonth: 4 * MILLION,
      prices: [],
    });
    expect(spendOn(april, '2026-04-30')['credits_month_budget_lasts']).toBeCloseTo(10, 9);
    expect(definitionOf('credits_month_budget_lasts')).toContain('lasts 10 days');
  });

  test('an unusual day', () => {
    const usual = daysSince('2026-05-01', Array<number>(55).fill(10 * MILLION));
    const on = (credits: number) =>
      spendOn(spendView({ ...usual, '2026-06-24': credits }), '2026-06-24')['daily_credits_unusual'];
    expect(on(30 * MILLION)).toBe(30 * MILLION);
    expect(on(17 * MILLION)).toBe(0);
    expect(spendOn(spendView(usual), '2026-05-10')).not.toHaveProperty('daily_credits_unusual');
  });

  test('expected, and the upper bound that is one and three quarters of it', () => {
    const view = spendView(weeksBefore('2026-06-24', [12, 11, 10, 0, 13, 12, 11, 10]));
    expect(spendOn(view, '2026-06-24')).toEqual({
      daily_credits_expected: 11_000_000,
      daily_credits_expected_upper: 19_250_000,
    });
    expect(definitionOf('daily_credits_expected')).toContain('11 000 000');
    expect(definitionOf('daily_credits_expected_upper')).toContain('19 250 000');
  });

  test('the upper bound of weekdays that differ much', () => {
    const figures = spendOn(spendView(weeksBefore('2026-06-24', [4, 18, 2, 16, 10])), '2026-06-24');
    expect(figures['daily_credits_expected']).toBe(10_000_000);
    expect(figures['daily_credits_expected_upper']).toBeCloseTo(45_582_400, 6);
    expect(definitionOf('daily_credits_expected_upper')).toContain('45 582 400');
  });

  test('the upper bound of a weekday below the other working days', () => {
    const wednesdays = weeksBefore('2026-06-24', [12, 11, 10, 0, 13, 12, 11, 10]);
    const view = spendView({ ...wednesdays, ...weeksBefore('2026-06-25', [16, 17, 16]) });
    expect(spendOn(view, '2026-06-24')).toMatchObject({
      daily_credits_expected: 11_000_000,
      daily_credits_expected_upper: 21_000_000,
    });
    expect(definitionOf('daily_credits_expected_upper')).toContain('21 000 000');
  });

  test('daily cost, in total and by model', () => {
    const row = {
      credits: 2 * MILLION,
      byModel: [
        { model: 'a', tier: 'standard', credits: 1.5 * MILLION },
        { model: 'b', tier: 'standard', credits: 0.4 * MILLION },
      ],
    };
    const figures = spendOn(spendView({ '2026-06-24': row }, { prices: sinceJanuary }), '2026-06-24');
    expect(figures['daily_cost{USD}']).toBeCloseTo(5.4, 12);
    expect(figures['daily_cost_by_model{a,standard,USD}']).toBeCloseTo(4.05, 12);
    expect(figures['daily_cost_by_model{b,standard,USD}']).toBeCloseTo(1.08, 12);
    for (const amount of ['5.40', '4.05', '1.08', '0.27']) {
      expect(definitionOf('daily_cost_by_model')).toContain(amount);
    }
    expect(definitionOf('daily_cost')).toContain('5.40');
  });

  test('shares by model, of the day and of the 14 days before', () => {
    const row = (credits: number, byModel: Readonly<Record<string, number>>) => ({
      credits,
      byModel: Object.entries(byModel).map(([model, own]) => ({ model, tier: 'standard', credits: own })),
    });
    const days = Array.from({ length: 14 }, () => row(MILLION, { a: 0.9 * MILLION, b: 0.1 * MILLION }));
    const of = (known: readonly (KnownDay | undefined)[]) =>
      spendOn(spendView(daysSince('2026-06-10', known)), '2026-06-24');
    const figures = of([...days, row(2 * MILLION, { a: 1.5 * MILLION, b: 0.4 * MILLION, c: 0 })]);
    expect(figures['credits_share_by_model{a,standard}']).toBe(0.75);
    expect(figures['credits_share_by_model{b,standard}']).toBe(0.2);
    expect(figures['credits_share_by_model_baseline{a,standard}']).toBeCloseTo(0.9, 12);
    expect(figures['credits_share_by_model_baseline{b,standard}']).toBeCloseTo(0.1, 12);
    expect(figures['credits_share_by_model_baseline{c,standard}']).toBe(0);
    expect(definitionOf('credits_share_by_model')).toContain('0.75 and 0.2');
    expect(definitionOf('credits_share_by_model_baseline')).toContain('0.9, 0.1 and 0');
    // Models used only earlier, days without credits, and days without information.
    expect(of([...days, row(MILLION, { a: MILLION })])['credits_share_by_model{b,standard}']).toBe(0);
    expect(
      Object.keys(of([...days, 0])).filter((name) => name.startsWith('credits_share_by_model{')),
    ).toEqual([]);
    const few = of([...days.slice(0, 6), ...Array<undefined>(8), row(MILLION, { a: MILLION })]);
    expect(few).not.toHaveProperty('credits_share_by_model_baseline{a,standard}');
    const idle = of([...days.slice(0, 6), ...Array<KnownDay>(8).fill('idle'), row(MILLION, { a: MILLION })]);
    expect(idle['credits_share_by_model_baseline{a,standard}']).toBeCloseTo(0.9, 12);
  });

  test('cost of the month to date, over a change of the price', () => {
    const prices = [dollars('2026-01-14', 2.7), dollars('2026-06-03', 3)];
    const view = spendView(daysSince('2026-06-01', [MILLION, MILLION, MILLION]), { prices });
    expect(spendOn(view, '2026-06-03')['cost_month_to_date{USD}']).toBeCloseTo(8.4, 12);
    expect(definitionOf('cost_month_to_date')).toContain('8.40');
  });

  test('cost forecast, over a change of the price that is still to come', () => {
    const prices = [dollars('2026-01-14', 2.7), dollars('2026-06-30', 3)];
    const figures = spendOn(spendView(untilSunday(), { prices }), '2026-06-28');
    expect(figures['cost_month_to_date{USD}']).toBeCloseTo(162, 10);
    expect(figures['cost_month_forecast{USD}']).toBeCloseTo(176.1, 10);
    expect(definitionOf('cost_month_forecast')).toContain('176.10');
  });
});
