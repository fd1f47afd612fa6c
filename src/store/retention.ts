import { addDays, type Day, daysBetween, earlier, type Instant, later, yesterdayOf } from '../catalog/day.ts';

/** Maximum number of days and documents that one sweep removes: the next sweep is a minute away. */
export const MAX_SWEPT = 1000;

/** A longer step since the last sweep, in days, is more likely a wrong clock than a long absence. */
const MAX_STEP = 31;

/** How long such a step must last before it is accepted, in milliseconds. */
const SECOND_LOOK_MS = 24 * 3_600_000;

/** The reference day of the last sweep. */
export interface SweepMark {
  readonly day: Day;
  /** Since when the reference day of the next sweep has been implausibly far from that one. */
  readonly doubtedSince?: Instant | undefined;
}

/** The plan of one sweep. */
interface SweepPlan {
  /** Days before this one are old; undefined if nothing may be removed yet. */
  readonly firstDay: Day | undefined;
  readonly mark: SweepMark;
}

/**
 * Decides what is old. Retention counts from the earlier of yesterday and the newest known day, so that no clock can
 * empty a store; a step of more than a month since the last sweep must be confirmed a day later.
 */
export function planSweep(
  newestKnown: Day,
  { days, now }: { readonly days: number; readonly now: Instant },
  last: SweepMark | undefined,
): SweepPlan {
  const yesterday = yesterdayOf(now);
  const reference = earlier(newestKnown, yesterday);
  if (last !== undefined && daysBetween(last.day, reference) > MAX_STEP) {
    const { doubtedSince = now } = last;
    // A clock that has gone back since was wrong at one of the two times.
    const since = Math.min(doubtedSince, now) === doubtedSince ? doubtedSince : now;
    if (now - since < SECOND_LOOK_MS)
      return { firstDay: undefined, mark: { day: last.day, doubtedSince: since } };
  }
  const day = last === undefined ? reference : later(last.day, reference);
  return { firstDay: addDays(reference, 1 - days), mark: { day } };
}
