import type { ExpensiveDataset, Window } from '../catalog/collector.ts';
import {
  addDays,
  type Day,
  dayOf,
  daysBetween,
  earlier,
  type Instant,
  later,
  yesterdayOf,
} from '../catalog/day.ts';
import { type DayRules, LATE_DAYS } from '../catalog/day-rules.ts';
import type { OrgSettings } from '../catalog/settings.ts';
import type { StoredDays } from '../store/store.ts';

/** How many of the newest days every run fetches while they have no row. */
export const NEWEST_DAYS = 7;

/** Which days are stored, without their rows. */
export type KnownDays = Pick<StoredDays, 'has' | 'isFilled' | 'isUnsettled' | 'keys'>;

/** The known days without some of them: these look as if they were never answered. */
export function withoutDays(known: KnownDays, gone: ReadonlySet<Day>): KnownDays {
  return {
    has: (day) => known.has(day) && !gone.has(day),
    isFilled: (day) => known.isFilled(day) && !gone.has(day),
    isUnsettled: (day) => known.isUnsettled(day) && !gone.has(day),
    keys: () => [...known.keys()].filter((day) => !gone.has(day)),
  };
}

/** The known days, where those without a row up to `until` count as filled, because no row will come. */
export function withIdleDays(known: KnownDays, until: Day | undefined): KnownDays {
  if (until === undefined) return known;
  return {
    has: (day) => known.has(day),
    isFilled: (day) => known.isFilled(day) || (day <= until && known.has(day)),
    isUnsettled: (day) => known.isUnsettled(day),
    keys: () => known.keys(),
  };
}

/** Input of `daysToFetch`. */
export interface FetchWindow {
  /** The newest day that can be requested. */
  readonly newest: Day;
  readonly historyStart: Day;
  /** The covered days. */
  readonly covered: KnownDays;
  /** The number of newest days to fetch again; at least 1, the newest day itself. */
  readonly newestAgain: number;
  /** Whether this is the daily revision pass, which fetches all days that may still get a row. */
  readonly isPass: boolean;
  /** The UTC day of the last completed revision pass. */
  readonly lastPass: Day | undefined;
  readonly rules?: DayRules;
  readonly now: Instant;
}

/** The days to fetch, newest first. */
interface DaysToFetch {
  readonly days: Day[];
  /** The days that must be answered before the revision pass is complete. */
  readonly passDays: ReadonlySet<Day>;
}

/**
 * The first day to fetch of an expensive dataset: the start of its revision window or of the days that the settings
 * need, or an earlier covered day within its catch-up window, so that days missed in between are fetched too.
 */
export function firstExpensiveDay(
  { revisionDays, catchUpDays, neededDays }: ExpensiveDataset,
  newest: Day,
  covered: Pick<StoredDays, 'has'>,
  settings: OrgSettings | undefined,
): Day {
  const least = Math.max(revisionDays, (settings && neededDays?.(settings)) ?? 0);
  const recent = daysDescending(addDays(newest, 1 - catchUpDays), addDays(newest, -least));
  return recent.findLast((day) => covered.has(day)) ?? addDays(newest, 1 - least);
}

/**
 * The newest settled day. A settled day without a row gets none: it was fetched again when it was too old for a late row. Every
 * revision pass fetches all unsettled days, so the store needs only the day of the last pass.
 */
export function settledUntil(
  lastPass: Day | undefined,
  now: Instant,
  { lateDays = LATE_DAYS }: DayRules,
): Day | undefined {
  if (lastPass === undefined) return undefined;
  const today = dayOf(now);
  // A clock that ran ahead may have stored a future day.
  return addDays(earlier(lastPass, today), -1 - lateDays);
}

/** The newest day with a row between `from` and `to`. */
export function newestRowOf(covered: KnownDays, from: Day, to: Day): Day | undefined {
  let newest: Day | undefined;
  for (const day of covered.keys()) {
    if (day < from || day > to || !covered.isFilled(day)) continue;
    if (newest === undefined || day > newest) newest = day;
  }
  return newest;
}

/**
 * The days to fetch, newest first:
 * - the newest days, again;
 * - every day that was never answered;
 * - days without a row that may still get one: unsettled days, and days after the newest row, because the platform may be late
 *   by any time. Each run fetches the newest of them; the revision pass fetches the others once a day. A dataset that never
 *   had a row is not late;
 * - days of any age whose last answer was damaged, once a day until an answer is whole.
 */
export function daysToFetch(window: FetchWindow): DaysToFetch {
  const { newest, historyStart, covered, newestAgain, isPass } = window;
  const againFrom = addDays(newest, 1 - newestAgain);
  const newestFrom = addDays(newest, 1 - NEWEST_DAYS);
  const settled = settledUntil(window.lastPass, window.now, window.rules ?? {});
  const newestRow = newestRowOf(covered, historyStart, newest);
  const passDays = new Set<Day>();
  const days = daysDescending(historyStart, newest).filter((day) => {
    const isAgain = day >= againFrom;
    if (!covered.has(day)) {
      if (isAgain) passDays.add(day);
      return true;
    }
    const mayComeLate =
      settled === undefined ||
      day > settled ||
      (newestRow === undefined ? day >= newestFrom : day > newestRow);
    const isMissing = !covered.isFilled(day) && mayComeLate && (isPass || day >= newestFrom);
    if (isAgain || isMissing) passDays.add(day);
    return isAgain || isMissing || (isPass && covered.isUnsettled(day));
  });
  return { days: isPass ? [...days, ...olderUnsettled(covered, historyStart)] : days, passDays };
}

/** Damaged days that are older than the first day to fetch, as an expensive dataset has. */
function olderUnsettled(covered: KnownDays, historyStart: Day): readonly Day[] {
  const older = [...covered.keys()].filter((day) => day < historyStart && covered.isUnsettled(day));
  return older.sort().reverse();
}

/** The maximum number of days per request. */
export const MAX_WINDOW_DAYS = 30;

/** The target size of an answer, in bytes. */
export const TARGET_BYTES = 8 * 1024 * 1024;

/** The days from `from` to `to`, newest first; none if `to` is before `from`. */
export function daysDescending(from: Day, to: Day): Day[] {
  const days: Day[] = [];
  for (let day = to; day >= from; day = addDays(day, -1)) days.push(day);
  return days;
}

/** The newest window of at most `size` days that holds only days of the list, which is newest first. */
export function nextWindow(days: readonly Day[], size: number): Window | undefined {
  const [to] = days;
  if (to === undefined) return undefined;
  let from = to;
  for (let index = 1; index < Math.min(size, days.length); index++) {
    const day = days[index];
    if (day !== addDays(from, -1)) break;
    from = day;
  }
  return { from, to };
}

/** Which days are kept. */
export interface HistoryBounds {
  readonly historyStart: Day;
  /** How many of the newest days are kept; 0 or undefined keeps all. */
  readonly retentionDays?: number | undefined;
}

/** The first day that is fetched and kept at an instant. */
export function firstDayOf({ historyStart, retentionDays = 0 }: HistoryBounds, now: Instant): Day {
  if (retentionDays === 0) return historyStart;
  return later(addDays(yesterdayOf(now), 1 - retentionDays), historyStart);
}

interface CatchingUpParts {
  readonly rules: DayRules;
  /** The covered days, as they were when the run began. */
  readonly covered: KnownDays;
  readonly lastPass: Day | undefined;
  /** Stores the day of the last revision pass. An earlier day makes days unsettled again. */
  putLastPass(day: Day): Promise<void>;
}

/**
 * Tracks the days without a row that are newer than every row of a dataset. If a row of a later day arrives, the dataset was late,
 * and these days are fetched again.
 */
export function createCatchingUp({ rules, covered, lastPass, putLastPass }: CatchingUpParts) {
  const { lateDays = LATE_DAYS } = rules;
  const days = [...covered.keys()].sort();
  const [first, last] = [days[0], days.at(-1)];
  const newestRow = first && last && newestRowOf(covered, first, last);
  const late = new Set(newestRow === undefined ? days : days.filter((day) => day > newestRow));
  let unsettled = false;

  return {
    /**
     * Looks at an answer before it is stored, and returns the days to fetch again in this run: a row of a later day has arrived,
     * so the earlier answer that they have no row is void.
     */
    async answered(answered: readonly Day[], rows: ReadonlyMap<Day, unknown>): Promise<readonly Day[]> {
      for (const day of answered) late.delete(day);
      const newest = [...rows.keys()].sort().at(-1);
      const passed = [...late].filter((day) => newest !== undefined && day < newest);
      const [oldest] = passed;
      if (oldest === undefined) return [];
      for (const day of passed) late.delete(day);
      const before = addDays(oldest, lateDays);
      if (lastPass === undefined || lastPass <= before) return passed;
      // Stored now, so that these days are unknown until they were fetched again, even if this run fails.
      if (!unsettled) await putLastPass(before);
      unsettled = true;
      return passed;
    },
    /** The day of the last pass, to be restored once all these days were answered; undefined if it was not changed. */
    lastPass: () => (unsettled ? lastPass : undefined),
  };
}

/** The maximum number of missed revision passes whose days are fetched again. */
const MAX_MISSED = 30;

/**
 * The number of newest days that a revision pass fetches again, at least one: the revision window, and the days that have left it
 * since the last pass.
 */
export function revisionPassDays(windowDays: number, lastPass: Day | undefined, today: Day): number {
  if (windowDays === 0) return 1;
  const missed = lastPass === undefined ? 0 : daysBetween(lastPass, today) - 1;
  return windowDays + Math.min(Math.max(0, missed), MAX_MISSED);
}
