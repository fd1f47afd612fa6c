import type { FetchedDays } from '../catalog/collector.ts';
import { addDays, type Day, dayOf, type Instant } from '../catalog/day.ts';
import type { LagNotes } from '../store/store.ts';
import { NEWEST_DAYS } from './days-to-fetch.ts';
import type { Learned } from './run-memory.ts';

/** A run may begin so much later than it was due, because others run first; in milliseconds. */
const LATE_MS = 15 * 60_000;

/** Begins to look for the day that a run sees for the first time. Until the run has succeeded, it counts as failed. */
export function watchLag(
  held: Pick<Learned, 'fetching' | 'polled'>,
  run: {
    readonly now: Instant;
    /** When the next scheduled run is due at the latest; undefined without a schedule. */
    readonly dueBy: Instant | undefined;
    readonly newest: Day;
    /** The newest stored day with a row. */
    readonly newestRow: Day | undefined;
    readonly lastPass: Day | undefined;
    readonly comparedDays: number;
  },
) {
  const { now, dueBy, newest, lastPass, comparedDays } = run;
  const { setAside } = held.fetching;
  const before = held.polled;
  held.polled = undefined;
  const isNextPoll = before !== undefined && before.at <= now && now <= before.dueBy + LATE_MS;
  let newestRow = run.newestRow;
  let isWhole = true;

  /** Whether the poll before this one has asked for a day, if it was over. */
  function wasAsked(day: Day): boolean {
    if (setAside.has(day)) return false;
    // Older days without a row are asked for once a day.
    return day > addDays(newest, -NEWEST_DAYS) || lastPass === addDays(dayOf(now), -1);
  }

  return {
    /** What is known about the days of an answer, before it is stored; answers come with the newest day first. */
    notesOn({ rows, lost }: Pick<FetchedDays<unknown>, 'rows' | 'lost'>): LagNotes {
      isWhole &&= lost === 0;
      const day = [...rows.keys()].sort().at(-1);
      const isNew = day !== undefined && (newestRow === undefined || day > newestRow);
      if (isNew) newestRow = day;
      return {
        published: isNew && isNextPoll && isWhole && wasAsked(day) ? day : undefined,
        ...{ isNextPoll, comparedDays },
      };
    },
    /** Called when every day was answered: the next run then knows what this one did not see. */
    succeeded(): void {
      if (isWhole && dueBy !== undefined) held.polled = { at: now, dueBy };
    },
  };
}
