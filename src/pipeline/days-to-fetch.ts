import type { ExpensiveDataset, Window } from '../catalog/collector.ts';
import { isUnsettled } from '../catalog/dataset.ts';
import { addDays, type Day, dayOf, daysBetween, type Instant, yesterdayOf } from '../catalog/day.ts';
/** How many days after its end a day answered without a row may still get one. */
export const LATE_DAYS = 3;

/** How many of the newest days are asked for by every run while they have no row. */
const NEWEST_DAYS = 7;

/** What decides which days a run asks for. */
export interface FetchWindow {
  /** The newest day that can be asked for. */
  readonly newest: Day;
  readonly historyStart: Day;
  /** The covered days with their rows. */
  readonly covered: ReadonlyMap<Day, unknown>;
  /** How many of the newest days are asked again; 1 asks only the newest one again. */
  readonly newestAgain: number;
  /** Whether this is the pass of the day, which asks for all that may still get a row. */
  readonly isPass: boolean;
  /** The UTC day of the last such pass that was answered. */
  readonly lastPass: Day | undefined;
  readonly now: Instant;
}

/** The days to ask for, newest first. */
export interface DaysToFetch {
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
export function daysToFetch(wanting: FetchWindow): DaysToFetch {
  const { newest, historyStart, covered, newestAgain, isPass } = wanting;
  const againFrom = addDays(newest, 1 - newestAgain);
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

/** The most days that one request asks for. */
export const MAX_WINDOW_DAYS = 30;

/** The size that an answer should have at most, in bytes. */
export const TARGET_BYTES = 8 * 1024 * 1024;

/** The days from `from` to `to`, newest first; none where `to` lies before `from`. */
export function daysDescending(from: Day, to: Day): Day[] {
  const days: Day[] = [];
  for (let day = to; day >= from; day = addDays(day, -1)) days.push(day);
  return days;
}

/** The newest window of at most `size` days that holds only wanted days; `wanted` is newest first. */
export function nextWindow(wanted: readonly Day[], size: number): Window | undefined {
  const [to] = wanted;
  if (to === undefined) return undefined;
  let from = to;
  for (let index = 1; index < Math.min(size, wanted.length); index++) {
    const day = wanted[index];
    if (day !== addDays(from, -1)) break;
    from = day;
  }
  return { from, to };
}

/** From when on days are kept. */
export interface HistoryBounds {
  readonly historyStart: Day;
  /** How many of the newest days are kept; all where it is 0 or not given. */
  readonly retentionDays?: number | undefined;
}

/** The first day that is asked for and kept at an instant. */
export function firstDayOf({ historyStart, retentionDays = 0 }: HistoryBounds, now: Instant): Day {
  if (retentionDays === 0) return historyStart;
  const oldest = addDays(yesterdayOf(now), 1 - retentionDays);
  return oldest > historyStart ? oldest : historyStart;
}

/** What a run does about days without a row that their dataset goes past while it catches up. */
export interface CatchingUp {
  /**
   * Takes in what was answered, before it is stored; gives the days to ask for again in this run. A dataset that was
   * late has gone past them: what it said of them before says nothing any more.
   */
  answered(days: readonly Day[], rows: ReadonlyMap<Day, unknown>): Promise<readonly Day[]>;
  /** Called once all of them have been answered. */
  finished(): Promise<void>;
}

export interface CatchingUpParts {
  /** The covered days with their rows, as they were when the run began. */
  readonly covered: ReadonlyMap<Day, unknown>;
  readonly lastPass: Day | undefined;
  /** Notes another day as that of the last pass, from which follows until when days are settled. */
  putLastPass(day: Day): Promise<void>;
}

/** Begins with the days without a row that are newer than every row. */
export function createCatchingUp({ covered, lastPass, putLastPass }: CatchingUpParts): CatchingUp {
  const days = [...covered.keys()].sort();
  const [first, last] = [days[0], days.at(-1)];
  const newestRow = first && last && newestRowOf(covered, first, last);
  const late = new Set(newestRow === undefined ? days : days.filter((day) => day > newestRow));
  let unsettled = false;

  return {
    async answered(answered, rows) {
      for (const day of answered) late.delete(day);
      const newest = [...rows.keys()].sort().at(-1);
      const passed = [...late].filter((day) => newest !== undefined && day < newest);
      const [oldest] = passed;
      if (oldest === undefined) return [];
      for (const day of passed) late.delete(day);
      const before = addDays(oldest, LATE_DAYS);
      if (lastPass === undefined || lastPass <= before) return passed;
      // It outlasts a run that fails or is cut off: until they were asked for again, they are not known.
      if (!unsettled) await putLastPass(before);
      unsettled = true;
      return passed;
    },
    async finished() {
      if (!unsettled || lastPass === undefined) return;
      await putLastPass(lastPass);
      unsettled = false;
    },
  };
}

/** How many missed passes are made up for at most. */
const MAX_MISSED = 30;

/**
 * How many of the newest days are asked for again: the window, and more where days have left it since the last
 * pass without having been asked for again; at least one.
 */
export function revisionPassDays(windowDays: number, lastPass: Day | undefined, today: Day): number {
  if (windowDays === 0) return 1;
  const missed = lastPass === undefined ? 0 : daysBetween(lastPass, today) - 1;
  return windowDays + Math.min(Math.max(0, missed), MAX_MISSED);
}
