import { addDays, type Day, dayOf, type Instant } from '../catalog/day.ts';
import type { LagNotes } from '../store/store.ts';
import { NEWEST_DAYS } from './days-to-fetch.ts';
import type { Learned } from './run-memory.ts';

/** A run may begin so much later than it was due, because others run first; in milliseconds. */
const LATE_MS = 15 * 60_000;

/** Finds the day that a run sees for the first time. */
interface LagWatch {
  /** What is known about the days of an answer, before it is stored; answers come with the newest day first. */
  notesOn(answer: {
    readonly rows: ReadonlyMap<Day, unknown>;
    readonly lost: number;
  }): Omit<LagNotes, 'isCurrent'>;
  /** Called when every day was answered: the next run then knows what this one did not see. */
  succeeded(): void;
}

/** Begins to watch a run. Until it has succeeded, it counts as failed. */
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
): LagWatch {
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
    notesOn({ rows, lost }) {
      isWhole &&= lost === 0;
      const day = [...rows.keys()].sort().at(-1);
      const isNew = day !== undefined && (newestRow === undefined || day > newestRow);
      if (isNew) newestRow = day;
      return {
        published: isNew && isNextPoll && isWhole && wasAsked(day) ? day : undefined,
        ...{ isNextPoll, comparedDays },
      };
    },
    succeeded() {
      if (isWhole && dueBy !== undefined) held.polled = { at: now, dueBy };
    },
  };
}
