import type { ExpensiveDataset } from '../catalog/collector.ts';
import { addDays, type Day, dayOf, type Instant } from '../catalog/day.ts';
import { isUnsettled } from '../catalog/parts.ts';
import { daysDescending } from './windows.ts';

/** How many days after its end a day answered without a row may still get one. */
export const LATE_DAYS = 3;

/** How many of the newest days are asked for by every run while they have no row. */
const NEWEST_DAYS = 7;

/** What decides which days a run asks for. */
export interface Wanting {
  /** The newest day that can be asked for. */
  readonly newest: Day;
  readonly historyStart: Day;
  /** The covered days with their rows. */
  readonly covered: ReadonlyMap<Day, unknown>;
  /** How many of the newest days are asked again; 1 asks only the newest one again. */
  readonly again: number;
  /** Whether this is the pass of the day, which asks for all that may still get a row. */
  readonly isPass: boolean;
  /** The UTC day of the last such pass that was answered. */
  readonly lastPass: Day | undefined;
  readonly now: Instant;
}

/** The days to ask for, newest first. */
export interface WantedDays {
  readonly days: Day[];
  /** Those of them whose answers make a pass. */
  readonly ofPass: ReadonlySet<Day>;
}

/**
 * The first day that is asked for of a dataset whose days are costly: that of the revision window, or of what is
 * covered shortly before, so that days missed in between are made up for.
 */
export function firstExpensiveDay(
  { revisionDays, catchUpDays }: ExpensiveDataset,
  newest: Day,
  covered: ReadonlyMap<Day, unknown>,
): Day {
  const recent = daysDescending(addDays(newest, 1 - catchUpDays), addDays(newest, -revisionDays));
  return recent.findLast((day) => covered.has(day)) ?? addDays(newest, 1 - revisionDays);
}

/**
 * The newest day that, where it has no row, was asked for again after its row could still be late: a pass asks for
 * every day that was not, so it is all that needs to be remembered of when a day was answered.
 */
export function settledUntil(lastPass: Day | undefined, now: Instant): Day | undefined {
  if (lastPass === undefined) return undefined;
  const today = dayOf(now);
  // A clock that was ahead may have left a day to come.
  return addDays(lastPass < today ? lastPass : today, -1 - LATE_DAYS);
}

/** The newest day within some bounds that has a row. */
export function newestRowOf(covered: ReadonlyMap<Day, unknown>, from: Day, to: Day): Day | undefined {
  let newest: Day | undefined;
  for (const [day, row] of covered) {
    if (row === undefined || day < from || day > to) continue;
    if (newest === undefined || day > newest) newest = day;
  }
  return newest;
}

/**
 * The days to ask for, newest first: the newest ones again, every day that was never answered, and those without a
 * row that may still get one. These are the ones not yet settled, and the ones after the newest row, where the
 * platform may be late however long: the newest of them with every run, the older ones once a day. A dataset that
 * never had a row is not late. A day whose last answer was not whole is asked for once a day until one is, however old.
 */
export function wantedDays(wanting: Wanting): WantedDays {
  const { newest, historyStart, covered, again, isPass } = wanting;
  const againFrom = addDays(newest, 1 - again);
  const newestFrom = addDays(newest, 1 - NEWEST_DAYS);
  const settled = settledUntil(wanting.lastPass, wanting.now);
  const newestRow = newestRowOf(covered, historyStart, newest);
  const ofPass = new Set<Day>();
  const days = daysDescending(historyStart, newest).filter((day) => {
    const isAgain = day >= againFrom;
    if (!covered.has(day)) {
      if (isAgain) ofPass.add(day);
      return true;
    }
    const mayComeLate =
      settled === undefined ||
      day > settled ||
      (newestRow === undefined ? day >= newestFrom : day > newestRow);
    const isMissing = covered.get(day) === undefined && mayComeLate && (isPass || day >= newestFrom);
    if (isAgain || isMissing) ofPass.add(day);
    return isAgain || isMissing || (isPass && isUnsettled(covered.get(day)));
  });
  return { days: isPass ? [...days, ...olderUnsettled(covered, historyStart)] : days, ofPass };
}

/** Days before the first one that is otherwise asked for, such as of a dataset whose days are costly. */
function olderUnsettled(covered: ReadonlyMap<Day, unknown>, historyStart: Day): readonly Day[] {
  const older = [...covered].filter(([day, row]) => day < historyStart && isUnsettled(row));
  return older
    .map(([day]) => day)
    .sort()
    .reverse();
}
