const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

/** Upper bounds of the lags of days, in seconds: one hour to 14 days. */
export const LAG_BOUNDS = [
  ...[1, 2, 3, 6, 12].map((hours) => hours * HOUR_S),
  ...[1, 2, 3, 5, 7, 10, 14].map((days) => days * DAY_S),
] as const;

/** `published`: until a day appeared; `settled`: until it changed for the last time. */
export type LagKind = 'published' | 'settled';

/**
 * How many days of a dataset had such a lag after their end, and the sum of their lags in milliseconds: by kind and the upper
 * bound of the bucket, which may be infinite, such as `published 3600`.
 */
export type DayLags = Readonly<Record<string, readonly [count: number, ms: number]>>;
