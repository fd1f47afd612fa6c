import { weekdayOf } from '../../../src/catalog/day.ts';
import type { Random } from '../../../test/fuzz/random.ts';
import { type BudgetedYear, type Generator, yearOf } from './budget-world.ts';

// A second kind of organizations, which no method was chosen with.

const HOLIDAYS: ReadonlySet<string> = new Set([
  ...['06-19', '07-04', '09-01', '11-27', '11-28', '12-24', '12-25', '12-31'].map((day) => `2025-${day}`),
  ...['01-01', '01-19', '05-25', '06-19', '07-03', '09-07', '11-26', '11-27'].map((day) => `2026-${day}`),
  ...['12-24', '12-25', '12-31'].map((day) => `2026-${day}`),
]);

/** Projects begin and end; people work on one at a time, take weeks off, and some of their days are runaways. */
export function createYearApart(seed: number, people: number): BudgetedYear {
  return yearOf(people, seed * 9973 + people, (day) => HOLIDAYS.has(day), projects);
}

interface Worker {
  readonly keenness: number;
  daysLeft: number;
  intensity: number;
  awayFor: number;
}

interface Projects {
  readonly workers: readonly Worker[];
  /** The day on which each of them begins. */
  readonly joined: readonly number[];
  market: number;
  index: number;
}

function projects(people: number, random: Random): Generator {
  const workers = Array.from(
    { length: people },
    (): Worker => ({ keenness: 0.3 + 0.7 * random(), daysLeft: 0, intensity: 1, awayFor: 0 }),
  );
  // Newcomers arrive over the months: a third of the people from the beginning, all of them at the end.
  const joined = workers.map((_, index) => (index < people / 3 ? 0 : Math.floor(700 * random())));
  return projectsFrom({ workers, joined, market: 0, index: -1 }, random);
}

function projectsFrom(state: Projects, random: Random): Generator {
  return {
    next(day, isOff) {
      state.index += 1;
      state.market += 0.012 * (2 * random() - 1);
      const isWeekend = weekdayOf(day) > 4;
      const share = isOff ? 0.08 : isWeekend ? 0.12 : 0.9;
      let credits = 0;
      for (const [at, worker] of state.workers.entries()) {
        if (state.index < (state.joined[at] ?? 0)) continue;
        if (worker.daysLeft-- <= 0) {
          worker.daysLeft = Math.round(exponential(40, random));
          worker.intensity = 0.4 + exponential(0.6, random);
        }
        if (worker.awayFor-- > 0) continue;
        if (random() < 0.012) worker.awayFor = 5 + Math.floor(10 * random());
        if (random() >= share * worker.keenness) continue;
        const runaway = random() < 0.003 ? 6 : 1;
        credits += 1.5e6 * worker.intensity * (exponential(0.5, random) + exponential(0.5, random)) * runaway;
      }
      return credits * Math.exp(state.market);
    },
    fork: (other) =>
      projectsFrom({ ...state, workers: state.workers.map((worker) => ({ ...worker })) }, other),
  };
}

function exponential(mean: number, random: Random): number {
  return -mean * Math.log(1 - random());
}
