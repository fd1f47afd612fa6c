import { doubtedSince, type Instant } from '../catalog/day.ts';

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
  if (last === undefined) return { at: now };
  const doubted = doubtedSince(now - last.at, last.doubtedSince, now);
  return doubted === undefined ? { at: Math.max(last.at, now) } : { at: last.at, doubtedSince: doubted };
}
