import { type Day, daysFrom, type Instant } from '../catalog/day.ts';
import type { PageFamily } from '../pipeline/past-days.ts';

/** A collector of an organization on a day. */
export interface Subject {
  readonly org: string;
  readonly collector: string;
  readonly day: Day;
}

/** The destination of past samples: files, or another system by remote write. */
export interface BackfillTarget {
  /** Divides the whole range into the stretches to process, oldest first. */
  stretches(months: readonly Month[]): readonly Month[];
  /** Those of a day's stamps that the target does not have yet. */
  missing(subject: Subject, stamps: readonly Instant[]): readonly Instant[];
  /** Begins a stretch; false if an interrupted run has already completed it. */
  begin(stretch: Month): Promise<boolean>;
  /** Adds a page of an organization. */
  add(org: string, page: readonly PageFamily[]): Promise<void>;
  /** Records that everything about these was added. */
  added(subjects: readonly Subject[], stamps: readonly Instant[]): void;
  /** Ends a stretch; it is not `complete` if days of it are unknown. */
  end(complete: boolean): Promise<void>;
  /** Ends the whole range. */
  finish(): Promise<void>;
  /** Keeps what is complete and discards the rest, if `graceful` after waiting a few seconds for requests in progress. */
  abandon(graceful: boolean): Promise<void>;
  /** Lets go of what the target holds, at the end. */
  close(): void;
  /** Number of samples that arrived. */
  readonly samples: number;
}

/** A calendar month, or the requested part of it. */
export interface Month {
  /** `YYYY-MM`. */
  readonly name: string;
  /** Its days, oldest first. */
  readonly days: readonly Day[];
}

/** The months of an inclusive range of days, oldest first; empty if `to` is before `from`. */
export function monthsOf(from: Day, to: Day): readonly Month[] {
  const byMonth = Map.groupBy(daysFrom(from, to), (day) => day.slice(0, 7));
  return [...byMonth].map(([name, days]) => ({ name, days }));
}

/** A backfill that cannot continue: `message` and `hint` are short and contain no secret. */
export class BackfillError extends Error {
  /** What the operator can do about it. */
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.name = 'BackfillError';
    this.hint = hint;
  }
}
