import type { Day } from '../catalog/day.ts';

/** A cache of results per day; the function that computes a result is part of the key. */
export type DayMemo = ReturnType<typeof createDayMemo>;

/**
 * Creates an empty memo. A result for a day depends on the rows up to that day. So share a memo only while these rows do not
 * change: within one view, or among views of the same rows and coverage that know the day.
 */
export function createDayMemo() {
  const byKey = new Map<unknown, Map<Day, unknown>>();
  return {
    /** The cached result of `key` for a day; on first use, calls `make` and caches what it returns. */
    of<Made>(key: (...given: never) => Made, day: Day, make: () => Made): Made {
      const days = byKey.get(key) ?? new Map<Day, unknown>();
      byKey.set(key, days);
      if (!days.has(day)) days.set(day, make());
      return days.get(day) as Made;
    },
  };
}
