import type { Day } from '../catalog/day.ts';

/** How many days are remembered of each figure: projections look back a few weeks. */
const REMEMBERED_DAYS = 64;

/** What was made of days, by the function that made it. */
export interface DayMemo {
  /** What was made before, otherwise what `make` returns. */
  of<Made>(key: (...given: never) => Made, day: Day, make: () => Made): Made;
}

/**
 * Creates an empty memo. What is made of a day depends on the rows up to it, so a memo is right as long as these do not
 * change: for one view, or for all views of the same rows and coverage that know the day.
 */
export function createDayMemo(): DayMemo {
  const byKey = new Map<unknown, Map<Day, unknown>>();
  return {
    of<Made>(key: (...given: never) => Made, day: Day, make: () => Made): Made {
      const days = byKey.get(key) ?? new Map<Day, unknown>();
      byKey.set(key, days);
      if (days.has(day)) return days.get(day) as Made;
      const made = make();
      days.set(day, made);
      if (days.size > REMEMBERED_DAYS) forgetFirst(days);
      return made;
    },
  };
}

function forgetFirst(days: Map<Day, unknown>): void {
  for (const day of days.keys()) {
    days.delete(day);
    return;
  }
}
