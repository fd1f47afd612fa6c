import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { idleRowWith } from '../../../src/catalog/dataset.ts';
import { addDays, type Day, daysFrom, startOf } from '../../../src/catalog/day.ts';
import type { PlatformMoney } from '../../../src/catalog/money.ts';
import type { Contract } from '../../../src/catalog/settings.ts';
import type { View } from '../../../src/catalog/view.ts';
import { spendCollector } from '../../../src/collectors/spend/collector.ts';
import { tokensCollector } from '../../../src/collectors/tokens/collector.ts';
import { type TokensRow, tokensDataset } from '../../../src/collectors/tokens/dataset.ts';
import { dayNamed } from '../../support/day.ts';
import { BOTH, COST, under } from '../../support/money.ts';
import { propertyRuns } from '../../support/thoroughness.ts';
import { createFakeView } from '../fakes.ts';
import { dollars } from './view.ts';

/** A Sunday; the days before it are those of twenty weeks and a half. */
const LAST = dayNamed('2026-06-28');
const DAYS = daysFrom(addDays(LAST, -150), LAST);

type RowOf = (day: Day, index: number) => TokensRow | undefined;

function viewOf(money: PlatformMoney | undefined, rowOf: RowOf, contract?: Contract): View {
  const rows = new Map(
    DAYS.flatMap((day, index) => {
      const row = rowOf(day, index);
      return row === undefined ? [] : [[day, row] as const];
    }),
  );
  const view = createFakeView({ rows, asOf: startOf(dayNamed('2030-01-01')) });
  return under(view, { money, contract });
}

/** All figures about tokens and spend of a day, by name and label values. */
function figuresOf(view: View, day: Day = LAST): Readonly<Record<string, number>> {
  const families = [...tokensCollector.families, ...spendCollector.families];
  return Object.fromEntries(
    families.flatMap((family) =>
      Array.from(
        (family.scope === 'day' ? family.samplesOf(view, day) : family.samplesOf(view)) ?? [],
        ({ labels, value }) => {
          const values = family.labels.map((label) => labels[label]);
          const name = family.name.replace('agent_platform_', '');
          return [values.length === 0 ? name : `${name}{${values.join(',')}}`, value] as const;
        },
      ),
    ),
  );
}

/** An amount that grows by weekday, and from week to week. */
const amountOf = (index: number) => 100 + (index % 7) * 10 + index / 8;

const costRow: RowOf = (_, index) => {
  const amount = amountOf(index);
  return {
    cost: amount,
    listCost: amount * 1.25,
    tokens: { input: 40 * amount, output: 2 * amount },
    byModel: [
      { model: 'a', tier: 'unknown', cost: amount / 2, input: 20 * amount, output: amount },
      { model: 'b', tier: 'unknown', cost: amount / 4, input: 20 * amount, output: amount },
    ],
  };
};

/** The same in credits. */
const creditsRow: RowOf = (day, index) => {
  const { cost, listCost: _, byModel, ...row } = costRow(day, index) ?? {};
  return {
    ...row,
    credits: cost,
    byModel: byModel?.map(({ cost: credits, ...one }) => ({ ...one, credits })),
  };
};

const budget: Contract = { costPerMonth: { currency: 'USD', amount: 4_000 }, prices: [] };

/** Figures in money, and what they would be in credits. */
const PAIRS = [
  ['daily_cost{USD}', 'daily_credits'],
  ['daily_cost_expected{USD}', 'daily_credits_expected'],
  ['daily_cost_expected_upper{USD}', 'daily_credits_expected_upper'],
  ['daily_cost_unusual{USD}', 'daily_credits_unusual'],
  ['cost_share_by_model{a,unknown,USD}', 'credits_share_by_model{a,unknown}'],
  ['cost_share_by_model_baseline{b,unknown,USD}', 'credits_share_by_model_baseline{b,unknown}'],
  ['daily_cost_by_model{a,unknown,USD}', 'daily_credits_by_model{a,unknown}'],
  ['cost_sum_7d{USD}', 'credits_trailing_7d'],
  ['cost_sum_7d_baseline{USD}', 'credits_trailing_7d_baseline'],
  ['cost_by_model_sum_7d{b,unknown,USD}', 'credits_by_model_sum_7d{b,unknown}'],
  ['cost_by_model_sum_7d_baseline{a,unknown,USD}', 'credits_by_model_sum_7d_baseline{a,unknown}'],
  ['cost_month_to_date{USD}', 'credits_month_to_date'],
  ['cost_month_forecast{USD}', 'credits_month_forecast'],
  ['cost_month_forecast_lower{USD}', 'credits_month_forecast_lower'],
  ['cost_month_forecast_upper{USD}', 'credits_month_forecast_upper'],
  ['cost_month_budget_exceeded_probability{USD}', 'credits_month_budget_exceeded_probability'],
  ['credits_month_budget_lasts', 'credits_month_budget_lasts'],
] as const;

describe('of a platform that reports the cost and counts no credits', () => {
  const figures = figuresOf(viewOf(COST, costRow, budget));
  const inCredits = figuresOf(viewOf(undefined, creditsRow, { creditsPerMonth: 4_000, prices: [] }));

  test.each(PAIRS)('%s is what %s would be', (cost, credits) => {
    expect(figures[cost]).toBeDefined();
    expect(figures[cost]).toBeCloseTo(inCredits[credits] ?? Number.NaN, 9);
  });

  test('any days have the same figures in money as in credits', () => {
    const amounts = fc.array(fc.option(fc.nat(5_000_000), { freq: 12, nil: undefined }), {
      minLength: DAYS.length,
      maxLength: DAYS.length,
    });
    fc.assert(
      fc.property(amounts, (cents) => {
        const rowOf = (index: number, measure: 'cost' | 'credits') => {
          const amount = cents[index];
          if (amount === undefined) return undefined;
          const models = ['a', 'b'].map((model, nth) => ({
            model,
            tier: 'unknown',
            [measure]: (amount / 100) * (nth === 0 ? 0.5 : 0.25),
            input: amount,
            output: 1,
          }));
          return { [measure]: amount / 100, byModel: models, tokens: { input: 2 * amount, output: 2 } };
        };
        const inMoney = figuresOf(viewOf(COST, (_, index) => rowOf(index, 'cost'), budget));
        const counted = figuresOf(
          viewOf(undefined, (_, index) => rowOf(index, 'credits'), { creditsPerMonth: 4_000, prices: [] }),
        );
        for (const [cost, credits] of PAIRS) {
          const [one = Number.NaN, other = Number.NaN] = [inMoney[cost], counted[credits]];
          const isSame = Object.is(one, other) || Math.abs(one - other) <= 1e-9 * Math.abs(other);
          expect([cost, one, isSame]).toEqual([cost, one, true]);
        }
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  test('the causes of a change have names of their own, and add up to it to the cent', () => {
    const causes = (of: typeof figures) =>
      Object.entries(of).filter(([name]) => /^(?:cost|credits)_change_by_cause/.test(name));
    const names = causes(inCredits).map(([name]) => name.replace('credits', 'cost').replace('}', ',USD}'));
    expect(
      causes(figures)
        .map(([name]) => name)
        .toSorted(),
    ).toEqual(names.toSorted());
    const whole = viewOf(COST, (day, index) => ({ ...costRow(day, index), byModel: undefined }));
    expect(figuresOf(whole)).toHaveProperty('cost_change_by_cause{cost_per_token,USD}');
    const before = [7, 14, 21, 28].reduce((sum, back) => sum + amountOf(150 - back) / 4, 0);
    const change = causes(figures).reduce((sum, [, value]) => sum + value, 0);
    expect(Math.abs(change - (amountOf(150) - before))).toBeLessThan(0.011);
  });

  test('no figure in credits is there, and no price', () => {
    const names = Object.keys(figures).filter((name) => /credit/.test(name));
    expect(names).toEqual(['credits_month_budget_lasts']);
  });

  test('a day without its cost is unknown and never priced', () => {
    const view = viewOf(COST, (day, index) => (day === LAST ? { credits: 5 } : costRow(day, index)), {
      prices: [dollars('2026-01-14', 2.7)],
    });
    expect(
      Object.keys(figuresOf(view)).filter((name) => /^(daily_cost|cost_month|credit_price)/.test(name)),
    ).toEqual([
      'daily_cost_expected{USD}',
      'daily_cost_expected_upper{USD}',
      'cost_month_to_date_baseline{USD}',
    ]);
    expect(figuresOf(view, addDays(LAST, -1))['cost_month_to_date{USD}']).toBeGreaterThan(0);
  });

  test('the month before is that of the cost', () => {
    const before = daysFrom(dayNamed('2026-05-01'), dayNamed('2026-05-28')).map((day) => DAYS.indexOf(day));
    expect(figures['cost_month_to_date_baseline{USD}']).toBeCloseTo(
      before.reduce((sum, index) => sum + amountOf(index), 0),
      9,
    );
    expect(figures).not.toHaveProperty('credits_month_to_date_baseline');
  });

  test('a budget in another currency is compared with nothing', () => {
    const euros = { ...budget, costPerMonth: { currency: 'EUR', amount: 4_000 } };
    const other = figuresOf(viewOf(COST, costRow, euros));
    expect(Object.keys(figures).filter((name) => !(name in other))).toEqual([
      'credits_month_budget_lasts',
      'cost_month_budget_exceeded_probability{USD}',
      'cost_month_budget{USD}',
    ]);
  });

  test('cost of no model leaves shares below 1, and of an unnamed one leaves the others unknown', () => {
    expect(figures['cost_share_by_model{a,unknown,USD}']).toBe(0.5);
    expect(figures['cost_share_by_model{b,unknown,USD}']).toBe(0.25);
    const unnamed = viewOf(COST, (day, index) => {
      const row = costRow(day, index) ?? {};
      const some = { model: 'other', tier: 'other', cost: null };
      return day === LAST ? { ...row, byModel: [...(row.byModel?.slice(0, 1) ?? []), some] } : row;
    });
    expect(figuresOf(unnamed)).toMatchObject({
      'cost_share_by_model{a,unknown,USD}': 0.5,
      'cost_share_by_model{b,unknown,USD}': Number.NaN,
    });
  });
});

describe('of a platform that counts credits and reports the cost, too', () => {
  const both: RowOf = (day, index) => ({
    ...creditsRow(day, index),
    cost: amountOf(index) / 50,
    billedCost: index % 2,
    byModel: creditsRow(day, index)?.byModel?.map((one) => ({ ...one, cost: (one.credits ?? 0) / 50 })),
  });
  const figures = figuresOf(viewOf(BOTH, both, { ...budget, costPerMonth: { currency: 'USD', amount: 80 } }));
  const inCredits = figuresOf(viewOf(undefined, creditsRow));

  test('everything in credits stays, without the forms in money', () => {
    expect(figures).toMatchObject(inCredits);
    const more = Object.keys(figures).filter((name) => !(name in inCredits));
    expect(more.filter((name) => /cost_(?:expected|unusual|share|change)/.test(name))).toEqual([]);
    expect(more).not.toContain('credit_price{USD}');
  });

  test.each([
    ['daily_cost{USD}', 'daily_credits'],
    ['daily_cost_by_model{a,unknown,USD}', 'daily_credits_by_model{a,unknown}'],
    ['cost_month_to_date{USD}', 'credits_month_to_date'],
    ['cost_month_forecast{USD}', 'credits_month_forecast'],
    ['cost_month_forecast_upper{USD}', 'credits_month_forecast_upper'],
  ])('%s comes from what is reported', (cost, credits) => {
    expect(figures[cost]).toBeCloseTo((inCredits[credits] ?? Number.NaN) / 50, 9);
  });

  test('a budget in money lasts by the series of the cost', () => {
    const lasts = figuresOf(viewOf(undefined, creditsRow, { creditsPerMonth: 4_000, prices: [] }));
    expect(figures['credits_month_budget_lasts']).toBeCloseTo(lasts['credits_month_budget_lasts'] ?? 0, 9);
  });

  test('what is billed is a figure of its own', () => {
    expect(figures['daily_billed_cost{USD}']).toBe(0);
    // Every second of the 28 days.
    expect(figures['billed_cost_month_to_date{USD}']).toBe(14);
    expect(figures).not.toHaveProperty('daily_list_cost{USD}');
  });

  test('the weeks of models have their cost, and at prices they have credits alone', () => {
    for (const week of ['sum_7d', 'sum_7d_baseline'])
      expect(figures[`cost_by_model_${week}{a,unknown,USD}`]).toBeCloseTo(
        (figures[`credits_by_model_${week}{a,unknown}`] ?? Number.NaN) / 50,
        9,
      );
    const prices = [dollars('2026-01-14', 2.7)];
    const priced = Object.keys(figuresOf(viewOf(undefined, creditsRow, { prices })));
    expect(
      priced.filter((name) => /cost_by_model_sum|cost_month_to_date_baseline|billed/.test(name)),
    ).toEqual([]);
  });
});

test.each([
  ['without reported money', ['credits', 'tokens.input', 'byModel'], { credits: 0, tokens: { input: 0 } }],
  ['without credits', ['cost', 'listCost'], { cost: 0, listCost: 0 }],
  ['with both', ['credits', 'cost', 'billedCost'], { credits: 0, cost: 0, billedCost: 0 }],
])('a day without activity has zeros of what the platform reports: %s', (_, members, idle) => {
  expect(idleRowWith(tokensDataset, members)).toEqual(idle);
});
