import {
  addDays,
  type Day,
  daysFrom,
  firstOfMonth,
  lastOfMonth,
  monthSoFar,
  weekdayOf,
} from '../../src/catalog/day.ts';
import { createRandom, type Random } from '../fuzz/random.ts';
import { dayNamed } from '../support/day.ts';
import { normal } from './world.ts';

// Organizations whose months have budgets, for ranges of forecasts. Their parameters were chosen before the method.

/** The days before the year are history only. */
const FIRST = dayNamed('2025-06-01');
export const YEAR_OF_BUDGETS = { from: dayNamed('2026-01-01'), to: dayNamed('2026-12-31') };
const ALL = daysFrom(FIRST, YEAR_OF_BUDGETS.to);
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
}

/** Makes the credits of a day, one day after the other. */
export type NextDay = (day: Day, isOff: boolean) => number;

/** A year of people with habits of their own, whose weeks have much in common. */
export function createBudgetedYear(seed: number, people: number): BudgetedYear {
  const random = createRandom(seed * 6151 + people);
  return yearOf(people, random, isUsualHoliday, habits(people, random));
}

/** Days off: public holidays, and from Christmas Eve to the third of January. */
function isUsualHoliday(day: Day): boolean {
  const monthDay = day.slice(5);
  return HOLIDAYS.has(day) || monthDay >= '12-24' || monthDay <= '01-03';
}

/** A shared level changes from week to week, half of which stays; within a year, usage shrinks by a tenth or grows by a half. */
function habits(people: number, random: Random): NextDay {
  const weights = Array.from({ length: people }, () => Math.exp(0.6 * normal(random) - 0.18));
  const growth = Math.log(0.9 + 0.6 * random()) / 365;
  let [level, index] = [0, 0];
  return (day, isOff) => {
    const weekday = weekdayOf(day);
    if (weekday === 0) level = 0.5 * level + 0.06 * normal(random);
    const isWeekend = weekday > 4;
    const isSummer = day.slice(5) >= '07-20' && day.slice(5) <= '08-20';
    const chance = isWeekend ? (isOff ? 0.01 : 0.05) : isOff ? 0.04 : isSummer ? 0.68 : 0.8;
    const isMonthEnd = daysFrom(day, lastOfMonth(day)).length <= 3;
    const ofAll = Math.exp(growth * index++ + level + 0.08 * normal(random));
    const each = 2e6 * ofAll * (isMonthEnd ? 1.15 : 1) * (weekday === 4 ? 0.85 : 1);
    let credits = 0;
    for (const weight of weights) {
      if (random() < chance) credits += each * weight * Math.exp(0.5 * normal(random) - 0.125);
    }
    return credits;
  };
}

/** A year of a generator, with the budgets that somebody would agree on: near what the three months before have used. */
export function yearOf(
  people: number,
  random: Random,
  isHoliday: (day: Day) => boolean,
  next: NextDay,
): BudgetedYear {
  const daysOff = new Set(ALL.filter(isHoliday));
  const credits = new Map(ALL.map((day) => [day, Math.round(next(day, daysOff.has(day)))]));
  const totalOf = (last: Day) => monthSoFar(last).reduce((sum, day) => sum + (credits.get(day) ?? 0), 0);
  const budgets = new Map<Day, number>();
  for (let first = YEAR_OF_BUDGETS.from; first < YEAR_OF_BUDGETS.to; first = addDays(lastOfMonth(first), 1)) {
    const before: number[] = [];
    for (let last = addDays(first, -1); before.length < 3; last = addDays(firstOfMonth(last), -1))
      before.push(totalOf(last));
    const mean = before.reduce((sum, total) => sum + total, 0) / before.length;
    budgets.set(first, Math.round(mean * Math.exp(0.05 + 0.15 * normal(random))));
  }
  return { people, credits, daysOff, budgets };
}
