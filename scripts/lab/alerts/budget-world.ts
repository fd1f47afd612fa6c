import {
  addDays,
  type Day,
  daysFrom,
  firstOfMonth,
  lastOfMonth,
  monthSoFar,
  weekdayOf,
} from '../../../src/catalog/day.ts';
import { normal } from '../../../test/collectors/spend/backtest/world.ts';
import { createRandom, type Random } from '../../../test/fuzz/random.ts';
import { dayNamed } from '../../../test/support/day.ts';

// Organizations whose months have budgets, for ranges of forecasts. Their parameters were chosen before the method.

export const YEAR_OF_BUDGETS = { from: dayNamed('2026-01-01'), to: dayNamed('2026-12-31') };
/** The days of the year, and those before it, which are history only. */
export const ALL = daysFrom(dayNamed('2025-06-01'), YEAR_OF_BUDGETS.to);
/** The last three days of each month. */
const MONTH_ENDS: ReadonlySet<Day> = new Set(
  ALL.filter((day) => daysFrom(day, lastOfMonth(day)).length <= 3),
);
const HOLIDAYS: ReadonlySet<string> = new Set([
  ...['06-09', '10-03', '11-01'].map((day) => `2025-${day}`),
  ...['01-01', '04-03', '04-06', '05-01', '05-14', '05-25', '10-03', '11-01'].map((day) => `2026-${day}`),
]);

/** A year of an organization with a budget for each of its months. */
export interface BudgetedYear {
  readonly people: number;
  readonly credits: ReadonlyMap<Day, number>;
  /** What a person would list: public holidays and the days between Christmas and the first week of January. */
  readonly daysOff: ReadonlySet<Day>;
  /** By the first day of the month. */
  readonly budgets: ReadonlyMap<Day, number>;
  /** The generator of the credits, before the first day. */
  begin(): Generator;
}

/** Makes the credits of an organization. */
export interface Generator {
  /** The credits of the day after the one before. */
  next(day: Day, isOff: boolean): number;
  /** A generator in the same state, that goes on with other random numbers. */
  fork(random: Random): Generator;
}

/** A year of people with habits of their own, whose weeks have much in common. */
export function createBudgetedYear(seed: number, people: number): BudgetedYear {
  return yearOf(people, seed * 6151 + people, isUsualHoliday, habits);
}

/** Days off: public holidays, and from Christmas Eve to the third of January. */
function isUsualHoliday(day: Day): boolean {
  const monthDay = day.slice(5);
  return HOLIDAYS.has(day) || monthDay >= '12-24' || monthDay <= '01-03';
}

interface Habits {
  readonly weights: readonly number[];
  readonly growth: number;
  level: number;
  index: number;
}

/** A shared level changes from week to week, half of which stays; within a year, usage shrinks by a tenth or grows by a half. */
function habits(people: number, random: Random): Generator {
  const weights = Array.from({ length: people }, () => Math.exp(0.6 * normal(random) - 0.18));
  const growth = Math.log(0.9 + 0.6 * random()) / 365;
  return habitsFrom({ weights, growth, level: 0, index: 0 }, random);
}

function habitsFrom(state: Habits, random: Random): Generator {
  return {
    next(day, isOff) {
      const weekday = weekdayOf(day);
      if (weekday === 0) state.level = 0.5 * state.level + 0.06 * normal(random);
      const isWeekend = weekday > 4;
      const isSummer = day.slice(5) >= '07-20' && day.slice(5) <= '08-20';
      const chance = isWeekend ? (isOff ? 0.01 : 0.05) : isOff ? 0.04 : isSummer ? 0.68 : 0.8;
      const ofAll = Math.exp(state.growth * state.index++ + state.level + 0.08 * normal(random));
      const each = 2e6 * ofAll * (MONTH_ENDS.has(day) ? 1.15 : 1) * (weekday === 4 ? 0.85 : 1);
      let credits = 0;
      for (const weight of state.weights) {
        if (random() < chance) credits += each * weight * Math.exp(0.5 * normal(random) - 0.125);
      }
      return credits;
    },
    fork: (other) => habitsFrom({ ...state }, other),
  };
}

/** A year of a generator, with the budgets that somebody would agree on: near what the three months before have used. */
export function yearOf(
  people: number,
  seed: number,
  isHoliday: (day: Day) => boolean,
  begin: (people: number, random: Random) => Generator,
): BudgetedYear {
  const random = createRandom(seed);
  const generator = begin(people, random);
  const daysOff = new Set(ALL.filter(isHoliday));
  const credits = new Map(ALL.map((day) => [day, Math.round(generator.next(day, daysOff.has(day)))]));
  const totalOf = (last: Day) => monthSoFar(last).reduce((sum, day) => sum + (credits.get(day) ?? 0), 0);
  const budgets = new Map<Day, number>();
  for (let first = YEAR_OF_BUDGETS.from; first < YEAR_OF_BUDGETS.to; first = addDays(lastOfMonth(first), 1)) {
    const before: number[] = [];
    for (let last = addDays(first, -1); before.length < 3; last = addDays(firstOfMonth(last), -1))
      before.push(totalOf(last));
    const mean = before.reduce((sum, total) => sum + total, 0) / before.length;
    budgets.set(first, Math.round(mean * Math.exp(0.05 + 0.15 * normal(random))));
  }
  return { people, credits, daysOff, budgets, begin: () => begin(people, createRandom(seed)) };
}
