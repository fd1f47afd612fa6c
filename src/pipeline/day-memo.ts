import type { Day } from '../catalog/day.ts';

/** What was made of days, by the function that made it. */
export type DayMemo = ReturnType<typeof createDayMemo>;

/**
 * Creates an empty memo. What is made of a day depends on the rows up to it, so a memo is right as long as these do not
 * change: for one view, or for all views of the same rows and coverage that know the day.
 */
export function createDayMemo() {
  const byKey = new Map<unknown, Map<Day, unknown>>();
  return {
    /** What was made before, otherwise what `make` returns. */
    of<Made>(key: (...given: never) => Made, day: Day, make: () => Made): Made {
      const days = byKey.get(key) ?? new Map<Day, unknown>();
      byKey.set(key, days);
      if (!days.has(day)) days.set(day, make());
      return days.get(day) as Made;
    },
  };
}
