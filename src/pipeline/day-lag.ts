import { addDays, type Day, dayOf, type Instant } from '../catalog/day.ts';
import type { LagNotes } from '../store/store.ts';
import { NEWEST_DAYS } from './days-to-fetch.ts';
import type { FetchMemory } from './fetch-memory.ts';
import type { PlannedDays, Watched, Watcher } from './run.ts';

/** How much later than due a run may begin because other runs go first, in milliseconds. */
const LATE_MS = 15 * 60_000;

/** The facts about a run from which `lagNotes` decides which lags it can measure. */
interface RunFacts extends PlannedDays, Pick<FetchMemory, 'setAside'> {
  /** When a scheduled run is due at the latest after an instant; undefined without a schedule. */
  readonly dueAfter: ((at: Instant) => Instant | undefined) | undefined;
}

/** Measures how many hours after their end days appear, and after which they no longer change. */
export function watchLags({ org, collector, deps, dueAfter }: Watched): Watcher {
  const { setAside } = deps.runs.get(org.name, collector.name).fetching;
  let notesOn: ((lost: number) => LagNotes) | undefined;
  return {
    planned(days) {
      notesOn = lagNotes({ ...days, setAside, dueAfter });
    },
    toStore: ({ lost }) => ({ lags: notesOn?.(lost) }),
    stored(_fetched, { lags }) {
      if (lags !== undefined) deps.instruments.dayLags(org.name, collector.dataset.name, lags);
    },
  };
}

/**
 * Decides which answers of a run show when a day appeared or changed. Only the poll that follows the last success as scheduled
 * can tell. The returned function makes the notes for one answer, given the number of rows that this answer has lost.
 */
export function lagNotes(run: RunFacts): (lost: number) => LagNotes {
  const { now, newest, succeededAt, comparedDays, setAside, lastPass } = run;
  const due = succeededAt === undefined || succeededAt > now ? undefined : run.dueAfter?.(succeededAt);
  const isNextPoll = due !== undefined && now <= due + LATE_MS;
  // Older days without a row are asked for once a day.
  const isAsked = (day: Day) => day > addDays(newest, -NEWEST_DAYS) || lastPass === addDays(dayOf(now), -1);
  let isWhole = true;
  return (lost) => {
    isWhole &&= lost === 0;
    const isSure = isNextPoll && isWhole;
    return { isNextPoll, comparedDays, isNews: (day) => isSure && !setAside.has(day) && isAsked(day) };
  };
}
