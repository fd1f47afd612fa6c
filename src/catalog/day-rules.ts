import { addDays, type Day, dayOf, type Instant, later, parseDay, yesterdayOf } from './day.ts';

/** When the days of a dataset are there, how long they change, and how far back they can be asked for. */
export interface DayRules {
  /** Hours after its end before which a day is not asked for, since its figures would be partial; 0 by default. */
  readonly completeAfter?: number;
  /** Hours after its end within which a day is normally there; 24 by default. */
  readonly readyWithin?: number;
  /** Days after its end until which a day that was answered without a row may still get one; 3 by default. */
  readonly lateDays?: number;
  /** As `lateDays`, for a day of which the answer says that it is not there yet; the same by default. */
  readonly unreadyDays?: number;
  /** Whether an answered day without a row is idle once no row can be late, whatever later days and other datasets say; false by default. */
  readonly emptyIsIdle?: boolean;
  /** How many of the newest days are asked for again once a day; `history.revision_window` by default. */
  readonly revisedFor?: number;
  /** The most days of one request; 30 by default. */
  readonly windowDays?: number;
  /** How many days back answers go, and the first day that any has. */
  readonly reach?: { readonly days?: number; readonly from?: Day };
}

/** How many days after its end a day that was answered without a row may still get one, by default. */
export const LATE_DAYS = 3;

/** Hours after its end within which a day is normally there, by default. */
export const READY_HOURS = 24;

const HOUR_MS = 3_600_000;

/** The newest day that can be asked for at an instant. */
export function newestAskedAt(now: Instant, { completeAfter = 0 }: DayRules): Day {
  return yesterdayOf(now - completeAfter * HOUR_MS);
}

/** The first day that can be asked for at an instant, if that is not before `from`. */
export function firstWithin(from: Day, now: Instant, { reach }: DayRules): Day {
  const oldest = reach?.days === undefined ? from : addDays(dayOf(now), -reach.days);
  return later(from, later(oldest, reach?.from ?? from));
}

/** When the days of a dataset of an organization are there. */
export function dayRulesOf(
  { days }: { readonly days?: Readonly<Record<string, DayRules>> | undefined },
  dataset: string,
): DayRules {
  return days?.[dataset] ?? {};
}

/** The day on which a day is asked for the last time, if its platform revises it and that is after the day `asked`. */
export function revisedUntil(day: Day, asked: Day, { revisedFor }: DayRules): Day | undefined {
  if (revisedFor === undefined) return undefined;
  const until = addDays(day, revisedFor);
  return until > asked ? until : undefined;
}

/** The newest day that a platform has, if a refusal about a later one names it. */
export function newestNamed({
  isNotYet,
}: {
  readonly isNotYet?: boolean | string | undefined;
}): Day | undefined {
  return typeof isNotYet === 'string' ? parseDay(isNotYet) : undefined;
}
