import { addDays, type Day, type Instant } from '../catalog/day.ts';
import type { PageFamily } from './page.ts';

/** A collector of an organization on a day. */
export interface Subject {
  readonly org: string;
  readonly collector: string;
  readonly day: Day;
}

/** Where past samples go: files, or another system by remote write. */
export interface BackfillTarget {
  /** The stretches that the days are gone through in, oldest first, out of the whole range. */
  stretches(months: readonly Month[]): readonly Month[];
  /** Those of a day's stamps that the target does not have yet. */
  missing(subject: Subject, stamps: readonly Instant[]): readonly Instant[];
  /** Begins a stretch; false where an interrupted run has already brought it to its end. */
  begin(stretch: Month): Promise<boolean>;
  add(org: string, page: PageFamily): Promise<void>;
  /** Notes that everything about these was added. */
  added(subjects: readonly Subject[], stamps: readonly Instant[]): void;
  /** Ends a stretch; it is not `complete` where days of it are not known. */
  end(complete: boolean): Promise<void>;
  /** The whole range has been gone through; not all of it is there where days are not known. */
  finish(complete: boolean): Promise<void>;
  /** Keeps what is certain and lets the rest go. */
  abandon(): Promise<void>;
  /** As `abandon`, once what is under way has arrived, if that takes no longer than a few seconds. */
  interrupt(): Promise<void>;
  /** Samples that arrived. */
  readonly samples: number;
}

/** A calendar month, or the part of it that is wanted. */
export interface Month {
  /** `YYYY-MM`. */
  readonly name: string;
  /** Its days, oldest first. */
  readonly days: readonly Day[];
}

/** The months of an inclusive range of days, oldest first; none where `to` lies before `from`. */
export function monthsOf(from: Day, to: Day): readonly Month[] {
  const days: Day[] = [];
  for (let day = from; day <= to; day = addDays(day, 1)) days.push(day);
  return [...Map.groupBy(days, (day) => day.slice(0, 7))].map(([name, ofMonth]) => ({ name, days: ofMonth }));
}

/** A backfill that cannot go on: `message` and `hint` are short and hold no secret. */
export class BackfillError extends Error {
  /** What the operator can do about it. */
  readonly hint: string;

  constructor(message: string, hint: string) {
    super(message);
    this.name = 'BackfillError';
    this.hint = hint;
  }
}
