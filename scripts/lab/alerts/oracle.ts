import { type Day, firstOfMonth, monthSoFar, restOfMonth } from '../../../src/catalog/day.ts';
import { createRandom } from '../../../test/fuzz/random.ts';
import { ALL, type BudgetedYear, YEAR_OF_BUDGETS } from './budget-world.ts';
import type { Foreseen, Foresight } from './ranges.ts';

/** How often each day's month is continued to its end. */
const CONTINUATIONS = 100;

/**
 * What somebody would foresee who knows the generator of a year, and its state on each day: the rest of a month is drawn from
 * the generator itself. No method that only knows past credits is told more.
 */
export function foreseenByOracle({ credits, daysOff, budgets, begin }: BudgetedYear): Foresight {
  const random = createRandom(0);
  const generator = begin();
  const foreseen = new Map<Day, Foreseen>();
  for (const day of ALL) {
    generator.next(day, daysOff.has(day));
    if (day < YEAR_OF_BUDGETS.from) continue;
    const toDate = monthSoFar(day).reduce((sum, past) => sum + (credits.get(past) ?? 0), 0);
    const rest = restOfMonth(day);
    const months = Array.from({ length: CONTINUATIONS }, () => {
      const continued = generator.fork(random);
      return rest.reduce((sum, ahead) => sum + continued.next(ahead, daysOff.has(ahead)), toDate);
    }).toSorted((one, other) => one - other);
    const budget = budgets.get(firstOfMonth(day)) ?? 0;
    foreseen.set(day, {
      lower: months[CONTINUATIONS / 10] ?? 0,
      forecast: months.reduce((sum, month) => sum + month, 0) / CONTINUATIONS,
      upper: months[CONTINUATIONS - 1 - CONTINUATIONS / 10] ?? 0,
      overBudget: months.filter((month) => month > budget).length / CONTINUATIONS,
    });
  }
  return foreseen;
}
