import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addDays,
  type Day,
  daysBetween,
  daysFrom,
  firstOfMonth,
  lastOfMonth,
} from '../../../src/catalog/day.ts';
import { preciseSum } from '../../../src/collectors/counts.ts';
import { tokensCollector } from '../../../src/collectors/tokens/collector.ts';
import { dayNamed } from '../../support/day.ts';
import { propertyRuns } from '../../support/thoroughness.ts';
import { daysSince, dollars, type KnownDay, spendOn, spendView, WITHOUT_CREDITS } from './view.ts';

const FIRST = dayNamed('2027-11-01');
const RUNS = { numRuns: propertyRuns(100) };

/** Until the end of March 2028: includes a turn of the year and a leap day. */
const LENGTH = 152;
/** A data day with the eight weeks before it, as the number of days since `FIRST`. */
const dataDay = fc.integer({ min: 56, max: LENGTH - 1 });
const wholeCredits = fc.integer({ min: 0, max: 1e9 });
/** None of them is under a third of others: no day is quiet. */
const similarCredits = fc.integer({ min: 4e8, max: 1e9 });
const anyKnown = fc.oneof(
  { weight: 6, arbitrary: wholeCredits },
  { weight: 1, arbitrary: fc.constantFrom<KnownDay | undefined>('idle', WITHOUT_CREDITS, undefined) },
);
const prices = [dollars('2026-01-14', 3), dollars('2028-01-10', 4), dollars('2028-02-20', 2)];

function at(index: number): Day {
  return addDays(FIRST, index);
}

describe('the spend figures', () => {
  test('forecast the month to date on the last day of a month', () => {
    fc.assert(
      fc.property(
        fc.array(wholeCredits, { minLength: LENGTH, maxLength: LENGTH }),
        dataDay,
        (days, index) => {
          const figures = spendOn(spendView(daysSince(FIRST, days), { prices }), lastOfMonth(at(index)));
          expect(figures['credits_month_forecast']).toBe(figures['credits_month_to_date']);
          expect(figures['cost_month_forecast{USD}']).toBe(figures['cost_month_to_date{USD}']);
          expect(figures['credits_month_forecast']).toBeDefined();
        },
      ),
      RUNS,
    );
  });

  test('of billing months have the credits of each day once, and a forecast of their own days', () => {
    const days = daysSince(
      FIRST,
      Array.from({ length: LENGTH }, (_, index) => 1000 + index),
    );
    for (const periodStarts of [9, 29, 30, 31]) {
      const view = spendView(days, { prices, periodStarts });
      const first = firstOfMonth(addDays(FIRST, 40), periodStarts);
      const ends = Array.from({ length: 3 }).reduce<Day[]>(
        (found) => [...found, lastOfMonth(addDays(found.at(-1) ?? addDays(first, -1), 1), periodStarts)],
        [],
      );
      const figures = ends.map((day) => spendOn(view, day));
      const all = daysFrom(first, ends.at(-1) ?? first);
      const total = preciseSum(all.map((day) => 1000 + daysBetween(FIRST, day)));
      expect(preciseSum(figures.map((shown) => shown['credits_month_to_date'] ?? 0))).toBe(total);
      for (const shown of figures) {
        expect(shown['credits_month_forecast']).toBe(shown['credits_month_to_date']);
        expect(shown['cost_month_forecast{USD}']).toBe(shown['cost_month_to_date{USD}']);
      }
    }
  });

  test('expect of a constant series itself, and one and three quarters of it at most', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e12, noNaN: true }), dataDay, (credits, index) => {
        const figures = spendOn(spendView(daysSince(FIRST, Array<number>(LENGTH).fill(credits))), at(index));
        const ofMonth = Number(lastOfMonth(at(index)).slice(8));
        expect(figures['daily_credits_expected']).toBe(credits);
        expect(figures['daily_credits_expected_upper']).toBe(1.75 * credits);
        expect(figures['credits_trailing_28d']).toBe(28 * credits);
        expect(figures['credits_month_forecast']).toBe(ofMonth * credits);
      }),
      RUNS,
    );
  });

  test('move with a revised day exactly where they include it', () => {
    fc.assert(
      fc.property(
        fc.array(similarCredits, { minLength: LENGTH, maxLength: LENGTH }),
        dataDay,
        fc.nat(40),
        fc.integer({ min: 1, max: 1e6 }),
        (days, index, back, more) => {
          const revised = days.with(index - back, (days[index - back] ?? 0) + more);
          const before = spendOn(spendView(daysSince(FIRST, days), { prices }), at(index));
          const after = spendOn(spendView(daysSince(FIRST, revised), { prices }), at(index));
          const growth = (name: string) => (after[name] ?? 0) - (before[name] ?? 0);
          const inMonth = at(index - back).slice(0, 7) === at(index).slice(0, 7);
          expect(growth('credits_month_to_date')).toBe(inMonth ? more : 0);
          expect(growth('credits_trailing_7d')).toBe(back < 7 ? more : 0);
          expect(growth('credits_trailing_28d')).toBe(back < 28 ? more : 0);
          expect(growth('daily_cost{USD}') > 0).toBe(back === 0);
          expect(growth('cost_month_to_date{USD}') > 0).toBe(inMonth);
          // The last four days of each weekday are the last 28 days.
          const ahead = daysOfWeekdayAhead(index, back);
          const expected = (inMonth ? more : 0) + (back < 28 ? (ahead * more) / 4 : 0);
          expect(growth('credits_month_forecast')).toBeCloseTo(expected, 4);
          expect(growth('cost_month_forecast{USD}') > 0).toBe(expected > 0);
        },
      ),
      RUNS,
    );
  });

  test('are what a plain recount says, whatever is missing', () => {
    fc.assert(
      fc.property(fc.array(anyKnown, { minLength: LENGTH, maxLength: LENGTH }), dataDay, (days, index) => {
        const figures = spendOn(spendView(daysSince(FIRST, days)), at(index));
        const credits = days.map((known) => (known === 'idle' ? 0 : Number(known)));
        const sum = (count: number) => credits.slice(index - count + 1, index + 1).reduce((a, b) => a + b, 0);
        expect(figures['credits_trailing_7d'] ?? Number.NaN).toBe(sum(7));
        expect(figures['credits_trailing_28d'] ?? Number.NaN).toBe(sum(28));
        expect(figures['credits_month_to_date'] ?? Number.NaN).toBe(sum(Number(at(index).slice(8))));
        const weekdays = [1, 2, 3, 4, 5, 6, 7, 8].map((week) => credits[index - 7 * week] ?? Number.NaN);
        const known = weekdays.filter((amount) => !Number.isNaN(amount));
        expect(figures['daily_credits_expected']).toBe(known.length < 3 ? undefined : median(known));
      }),
      RUNS,
    );
  });

  test('are finite whatever the platform and the operator say', () => {
    const amount = fc.oneof(
      fc.double({ min: 0, max: Number.MAX_VALUE, noNaN: true }),
      fc.constantFrom(0, 5e-324, 1e308, Number.MAX_VALUE),
    );
    fc.assert(
      fc.property(
        fc.array(amount, { minLength: 70, maxLength: 70 }),
        fc.double({ min: 5e-324, max: 1e9, noNaN: true }),
        fc.integer({ min: 28, max: 69 }),
        (days, perMillion, index) => {
          const rows = days.map((credits) => ({
            credits,
            byModel: [{ model: 'a', tier: 'standard', credits }],
          }));
          const contract = { prices: [dollars('2026-01-14', perMillion)] };
          const figures = Object.entries(spendOn(spendView(daysSince(FIRST, rows), contract), at(index)));
          expect(figures.length).toBeGreaterThan(6);
          for (const [name, value] of figures) {
            expect(Number.isFinite(value), name).toBe(true);
            // A change can be a fall.
            if (!name.startsWith('credits_change_by_cause')) expect(value, name).toBeGreaterThanOrEqual(0);
          }
        },
      ),
      RUNS,
    );
  });

  test('attribute to the models what is not unattributed', () => {
    const models = fc.uniqueArray(fc.record({ model: fc.string({ minLength: 1 }), credits: wholeCredits }), {
      selector: ({ model }) => model,
    });
    fc.assert(
      fc.property(models, wholeCredits, (used, ofNoModel) => {
        const byModel = used.map((one) => ({ ...one, tier: 'standard' }));
        const credits = used.reduce((sum, one) => sum + one.credits, ofNoModel);
        const view = spendView({ [FIRST]: { credits, byModel } }, { prices });
        const figures = Object.entries(spendOn(view, FIRST));
        const attributed = figures.filter(([name]) => name.startsWith('daily_cost_by_model'));
        const family = tokensCollector.families.find(({ name }) => name.endsWith('_unattributed'));
        const [unattributed] = (family?.scope === 'day' && family.samplesOf(view, FIRST)) || [];
        const costs = attributed.reduce((sum, [, cost]) => sum + cost, 0);
        const total = Object.fromEntries(figures)['daily_cost{USD}'] ?? Number.NaN;
        const rest = ((unattributed?.value ?? Number.NaN) * 3) / 1e6;
        // A remainder below a millionth of the total counts as rounding, and is 0.
        expect(Math.abs(costs + rest - total)).toBeLessThanOrEqual(2e-6 * total);
      }),
      RUNS,
    );
  });
});

describe('a precise sum', () => {
  test('is that of whole numbers, in whatever order', () => {
    fc.assert(
      fc.property(fc.array(fc.nat()), (amounts) => {
        expect(preciseSum(amounts)).toBe(amounts.reduce((a, b) => a + b, 0));
        expect(preciseSum(amounts.toReversed())).toBe(preciseSum(amounts));
      }),
      RUNS,
    );
  });

  test('keeps what a plain sum rounds away', () => {
    expect(preciseSum(Array<number>(10).fill(0.1))).toBe(1);
    expect(preciseSum([1e16, 1, 1, 1, 1])).toBe(1e16 + 4);
    expect(preciseSum([])).toBe(0);
  });
});

/** The number of remaining days of the month with the weekday of an earlier day. */
function daysOfWeekdayAhead(index: number, back: number): number {
  const left = daysBetween(at(index), lastOfMonth(at(index)));
  return Array.from({ length: left }, (_, ahead) => ahead + 1 + back).filter((days) => days % 7 === 0).length;
}

function median(amounts: readonly number[]): number {
  const sorted = [...amounts].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
}
