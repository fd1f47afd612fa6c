import type { DatasetName } from './dataset.ts';

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

/** Upper bounds of the lags of days, in seconds: one hour to 14 days. */
export const LAG_BOUNDS = [
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_S),
  ...[1, 2, 3, 5, 7, 10, 14].map((days) => days * DAY_S),
] as const;

/** How many days of a dataset appeared, or changed for the last time, so long after their end. */
export interface DayLag {
  readonly dataset: DatasetName;
  readonly kind: 'published' | 'settled';
  /** The upper bound of the bucket in seconds, which may be infinite. */
  readonly bound: number;
  readonly count: number;
  /** The sum of their lags. */
  readonly seconds: number;
}
