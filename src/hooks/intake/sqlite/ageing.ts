import type { Instant } from '../../../catalog/day.ts';

const DAY_MS = 24 * 3_600_000;

/** A longer step since the last commit is more likely a wrong clock than a long absence. */
const MAX_STEP_MS = 31 * DAY_MS;

/** When ages were last counted from, and since when a later instant is in doubt. */
export interface Ageing {
  readonly at: Instant;
  readonly doubtedSince?: Instant | undefined;
}

/**
 * From which instant the age of identities counts now: a clock that leaps by more than a month is believed a day
 * later, since what is forgotten would be counted again.
 */
export function nextAgeing(last: Ageing | undefined, now: Instant): Ageing {
  if (last === undefined || now - last.at <= MAX_STEP_MS) return { at: Math.max(last?.at ?? now, now) };
  const { doubtedSince = now } = last;
  const since = Math.min(doubtedSince, now);
  return now - since >= DAY_MS ? { at: now } : { at: last.at, doubtedSince: since };
}
