import { addDays, type Day, endOf, type Instant, yesterdayOf } from '../catalog/day.ts';

const HOUR_MS = 3_600_000;

/**
 * The time of a day's sample, in milliseconds after the day's end: the middle of the day on which its figures are the
 * newest, and so on that date from UTC-11 to UTC+11; a point of the panels' hourly grid.
 */
const STAMP_MS = 12 * HOUR_MS;

/** How long a day stays the newest one after its end. */
const NEWEST_FOR_MS = 24 * HOUR_MS;

/** Newer stamps belong to the live series: a sample there would make Prometheus reject its scrapes. */
export const LIVE_MS = 3 * HOUR_MS;

/**
 * The timestamps, in order, at which a day's figures are written: the next day at 12:00 UTC and, with a step, after
 * each step of that day. None is later than three hours before `now`.
 */
export function stampsOf(day: Day, stepMs: number | undefined, now: Instant): readonly Instant[] {
  const end = endOf(day);
  const stamps = new Set([end + STAMP_MS]);
  if (stepMs !== undefined) {
    for (let after = stepMs; after < NEWEST_FOR_MS; after += stepMs) stamps.add(end + after);
  }
  return [...stamps].filter((stamp) => stamp <= now - LIVE_MS).sort((a, b) => a - b);
}

/** The newest day with a stamp at `now`. */
export function newestStampedDay(stepMs: number | undefined, now: Instant): Day {
  let day = yesterdayOf(now);
  while (stampsOf(day, stepMs, now).length === 0) day = addDays(day, -1);
  return day;
}
