import { addDays, type Day, type Instant, yesterdayOf } from '../catalog/day.ts';

/** From when on days are kept. */
export interface Keeping {
  readonly historyStart: Day;
  /** How many of the newest days are kept; all where it is 0 or not given. */
  readonly retentionDays?: number | undefined;
}

/** The first day that is asked for and kept at an instant. */
export function firstDayOf({ historyStart, retentionDays = 0 }: Keeping, now: Instant): Day {
  if (retentionDays === 0) return historyStart;
  const oldest = addDays(yesterdayOf(now), 1 - retentionDays);
  return oldest > historyStart ? oldest : historyStart;
}
