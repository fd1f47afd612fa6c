import type { SparingDays } from '../catalog/collector.ts';
import { addDays, type Day, endOf, type Instant } from '../catalog/day.ts';
import { LATE_DAY_MS } from './late-day.ts';
import { daysDescending } from './windows.ts';

/** What decides which days a run asks for. */
export interface Wanting {
  /** The newest day that can be asked for. */
  readonly newest: Day;
  readonly historyStart: Day;
  /** The covered days with their rows. */
  readonly covered: ReadonlyMap<Day, unknown>;
  /** How many of the newest days are asked again; 1 asks only the newest one again. */
  readonly again: number;
  readonly now: Instant;
}

/**
 * The first day that is asked for of a dataset whose days are costly: that of the revision window, or of what is
 * covered shortly before, so that days missed in between are made up for.
 */
export function firstSparingDay(
  { revisionDays, catchUpDays }: SparingDays,
  newest: Day,
  covered: ReadonlyMap<Day, unknown>,
): Day {
  const recent = daysDescending(addDays(newest, 1 - catchUpDays), addDays(newest, -revisionDays));
  return recent.findLast((day) => covered.has(day)) ?? addDays(newest, 1 - revisionDays);
}

/**
 * The days to ask for, newest first: the newest ones again, those that were answered without a row and may
 * still get one, and every day that was never answered.
 */
export function wantedDays(wanting: Wanting): Day[] {
  const { newest, historyStart, covered, again, now } = wanting;
  const againFrom = addDays(newest, 1 - again);
  return daysDescending(historyStart, newest).filter((day) => {
    if (day >= againFrom || !covered.has(day)) return true;
    return covered.get(day) === undefined && endOf(day) + LATE_DAY_MS > now;
  });
}
