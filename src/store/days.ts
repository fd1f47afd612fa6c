import { type DayDataset, hasActivity, isUnsettled } from '../catalog/dataset.ts';
import type { Day } from '../catalog/day.ts';
import type { StoredDays } from './store.ts';

/** Rows that were never stored, as if they had been; undefined for a day without one. */
export function daysOf(dataset: DayDataset<unknown>, rows: ReadonlyMap<Day, unknown>): StoredDays {
  const isFilled = (day: Day) => rows.get(day) !== undefined;
  return {
    size: rows.size,
    has: (day) => rows.has(day),
    isFilled,
    hasActivity: (day) => (isFilled(day) ? hasActivity(dataset, rows.get(day)) : undefined),
    isUnsettled: (day) => isUnsettled(rows.get(day)),
    keys: () => [...rows.keys()].sort(),
    get: (day) => rows.get(day),
  };
}
