import { DAY_MS, type Instant } from '../catalog/day.ts';

/** A longer step since the last commit is more likely a wrong clock than a long absence. */
const MAX_STEP_MS = 31 * DAY_MS;

/** The last reference instant of ages, and since when a later one is in doubt. */
interface Ageing {
  readonly at: Instant;
  readonly doubtedSince?: Instant | undefined;
}

/**
 * The instant from which the age of ids counts: a clock step of more than a month is accepted a day later, because
 * forgotten events would be counted again.
 */
export function nextAgeing(last: Ageing | undefined, now: Instant): Ageing {
  if (last === undefined || now - last.at <= MAX_STEP_MS) return { at: Math.max(last?.at ?? now, now) };
  const { doubtedSince = now } = last;
  const since = Math.min(doubtedSince, now);
  return now - since >= DAY_MS ? { at: now } : { at: last.at, doubtedSince: since };
}
