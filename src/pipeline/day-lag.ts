import type { FetchedDays } from '../catalog/collector.ts';
import { addDays, type Day, dayOf, type Instant } from '../catalog/day.ts';
import type { LagNotes } from '../store/store.ts';
import { NEWEST_DAYS } from './days-to-fetch.ts';
import type { FetchMemory } from './fetch-memory.ts';

/** A run may begin so much later than it was due, because others run first; in milliseconds. */
const LATE_MS = 15 * 60_000;

/** What a run knows when it begins. */
interface RunFacts extends Pick<LagNotes, 'comparedDays'>, Pick<FetchMemory, 'setAside'> {
  readonly now: Instant;
  /** When a scheduled run is due at the latest after an instant; undefined without a schedule. */
  readonly dueAfter: ((at: Instant) => Instant | undefined) | undefined;
  readonly newest: Day;
  /** The newest stored day with a row. */
  readonly newestRow: Day | undefined;
  /** When the last run succeeded. */
  readonly succeededAt: Instant | undefined;
  readonly lastPass: Day | undefined;
}

/**
 * Looks for the day that a run sees for the first time: notes on the days of each answer, before they are stored. Answers come
 * with the newest day first.
 */
export function lagNotes(run: RunFacts): (answer: Pick<FetchedDays<unknown>, 'rows' | 'lost'>) => LagNotes {
  const { now, newest, succeededAt, comparedDays } = run;
  const due = succeededAt === undefined || succeededAt > now ? undefined : run.dueAfter?.(succeededAt);
  const isNextPoll = due !== undefined && now <= due + LATE_MS;
  let { newestRow } = run;
  let isWhole = true;

  /** Whether the poll before this one has asked for a day, if it was over. */
  function wasAsked(day: Day): boolean {
    if (run.setAside.has(day)) return false;
    // Older days without a row are asked for once a day.
    return day > addDays(newest, -NEWEST_DAYS) || run.lastPass === addDays(dayOf(now), -1);
  }

  return ({ rows, lost }) => {
    isWhole &&= lost === 0;
    const day = [...rows.keys()].sort().at(-1);
    const isNew = day !== undefined && (newestRow === undefined || day > newestRow);
    if (isNew) newestRow = day;
    const isFirst = isNew && isNextPoll && isWhole && wasAsked(day);
    return { published: isFirst ? day : undefined, isNextPoll, comparedDays };
  };
}
