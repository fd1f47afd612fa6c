import { thresholds } from '../../../alerts/src/index.ts';
import { type Day, daysFrom, firstOfMonth, lastOfMonth } from '../../../src/catalog/day.ts';
import { boundsOf, monthRange, probabilityAbove } from '../../../src/collectors/month-range.ts';
import { amountsOf } from '../../../src/collectors/weekdays.ts';
import { createFakeView } from '../../../test/collectors/fakes.ts';
import { type BudgetedYear, YEAR_OF_BUDGETS } from './budget-world.ts';

/** Days of the month that are counted together. */
const PART_DAYS = 5;

/** How many months ended within the range of a day, by part of the month. */
interface Covered {
  within: number;
  days: number;
}

/** What a day says of its month. */
export interface Foreseen {
  readonly lower: number;
  readonly forecast: number;
  readonly upper: number;
  /** How likely the month exceeds its budget. */
  readonly overBudget: number;
}

/** What the days of a year say of their months. */
export type Foresight = ReadonlyMap<Day, Foreseen>;

/** The ranges of some years, and the alerts that they would have told, counted by month. */
export interface PooledForesight {
  readonly people: number;
  readonly years: number;
  readonly covered: readonly Readonly<Covered>[];
  /** The same, by year, and in December alone. */
  readonly coveredByYear: readonly Readonly<Covered>[];
  readonly coveredInDecember: Readonly<Covered>;
  /** The days of the years without a range. */
  readonly unknown: number;
  /** The mean difference of the forecasts of the 15th from their months, without its sign, as a share of the month. */
  readonly errorOf15th: number;
  /** Months over budget that were told before they were, or on that day; those among them told five days before; and others. */
  readonly found: number;
  readonly early: number;
  readonly missed: number;
  readonly falsely: number;
}

export interface PooledRanges extends PooledForesight {
  readonly withDaysOff: boolean;
}

/** A month of a year, with what each of its days says of it. */
interface Month {
  readonly days: readonly { readonly day: Day; readonly foreseen: Foreseen | undefined }[];
  readonly credits: readonly number[];
  readonly total: number;
  readonly budget: number;
  /** The number of its year, from 0 on, and its own, from 1 on. */
  readonly year: number;
  readonly month: number;
}

/** Compares the range of each day of some years with what its month came to. */
export function pooledRanges(years: readonly BudgetedYear[], withDaysOff: boolean): PooledRanges {
  return { ...pooledForesight(years, (year) => rangesOf(year, withDaysOff)), withDaysOff };
}

/** Compares what each day of some years says with what its month came to. */
export function pooledForesight(
  years: readonly BudgetedYear[],
  foresee: (year: BudgetedYear) => Foresight,
): PooledForesight {
  const months = years.flatMap((year, index) => monthsOf(year, foresee(year), index));
  const covered = Array.from({ length: 6 }, nothing);
  const coveredByYear = Array.from(years, nothing);
  const coveredInDecember = nothing();
  const errors: number[] = [];
  let unknown = 0;
  for (const { days, total, year, month } of months) {
    for (const { day, foreseen } of days.slice(0, -1)) {
      if (foreseen === undefined) {
        unknown += 1;
        continue;
      }
      const dayOfMonth = Number(day.slice(8));
      const { lower, forecast, upper } = foreseen;
      const part = covered[Math.min(5, Math.floor((dayOfMonth - 1) / PART_DAYS))];
      for (const counted of [part, coveredByYear[year], month === 12 ? coveredInDecember : undefined]) {
        if (counted === undefined) continue;
        counted.days += 1;
        if (total >= lower && total <= upper) counted.within += 1;
      }
      if (dayOfMonth === 15) errors.push(Math.abs(forecast / total - 1));
    }
  }
  const alerts = months.map((month) => ({ over: overOn(month), told: toldOn(month) }));
  const found = alerts.filter(({ over, told }) => over !== undefined && told !== undefined && told <= over);
  return {
    ...{ people: years[0]?.people ?? 0, years: years.length, unknown },
    ...{ covered, coveredByYear, coveredInDecember },
    errorOf15th: errors.reduce((sum, error) => sum + error, 0) / errors.length,
    found: found.length,
    early: found.filter(({ over = 0, told = 0 }) => over - told >= 5).length,
    missed: alerts.filter(({ over }) => over !== undefined).length - found.length,
    falsely: alerts.filter(({ over, told }) => over === undefined && told !== undefined).length,
  };
}

function nothing(): Covered {
  return { within: 0, days: 0 };
}

function rangesOf({ credits, daysOff, budgets }: BudgetedYear, withDaysOff: boolean): Foresight {
  const { settings } = createFakeView({});
  const foreseen = new Map<Day, Foreseen>();
  for (const day of daysFrom(YEAR_OF_BUDGETS.from, YEAR_OF_BUDGETS.to)) {
    const known = amountsOf({ ...settings, daysOff: withDaysOff ? daysOff : undefined }, (of) =>
      of > day ? undefined : credits.get(of),
    );
    const range = monthRange(known, day);
    if (range === undefined) continue;
    const forecast = range.toDate + range.rest;
    const overBudget = probabilityAbove(range, budgets.get(firstOfMonth(day)) ?? 0);
    foreseen.set(day, { ...boundsOf(range), forecast, overBudget });
  }
  return foreseen;
}

function monthsOf({ credits, budgets }: BudgetedYear, foresight: Foresight, year: number): readonly Month[] {
  return [...budgets].map(([first, budget]) => {
    const days = daysFrom(first, lastOfMonth(first));
    const own = days.map((day) => credits.get(day) ?? 0);
    return {
      days: days.map((day) => ({ day, foreseen: foresight.get(day) })),
      credits: own,
      total: sum(own),
      budget,
      year,
      month: Number(first.slice(5, 7)),
    };
  });
}

/** The day of the month, from 0 on, with which the budget is exceeded. */
function overOn({ credits, budget }: Month): number | undefined {
  const index = credits.findIndex((_, at) => sum(credits.slice(0, at + 1)) > budget);
  return index === -1 ? undefined : index;
}

/** The day of the month, from 0 on, with which the alert fires: the second of two days in a row. */
function toldOn({ days }: Month): number | undefined {
  const likely = days.map(({ foreseen }) => foreseen?.overBudget ?? 0);
  const isTold = (at: number) => {
    const both = Math.min(likely[at - 1] ?? 0, likely[at] ?? 0);
    const isLate = at >= thresholds.budgetLikelyFromDay.default;
    return both > (isLate ? thresholds.budgetLikelyProbability : thresholds.budgetSureProbability).default;
  };
  const index = likely.findIndex((_, at) => isTold(at));
  return index === -1 ? undefined : index;
}

function sum(amounts: readonly number[]): number {
  return amounts.reduce((total, amount) => total + amount, 0);
}
