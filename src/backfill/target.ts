import type { Day, Instant } from '../catalog/day.ts';
import type { Month } from './months.ts';
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
