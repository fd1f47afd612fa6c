import type { PageFamily } from '../backfill/page.ts';
import type { Day } from '../catalog/day.ts';

/** One organization's figures of one day. */
export interface ExportedDay {
  readonly org: string;
  /** The platform's identifier of the organization, once an answer contained it. */
  readonly orgId: string | undefined;
  readonly day: Day;
  readonly families: readonly PageFamily[];
}

/** A file format, as lines with their newlines. */
export interface ExportFormat {
  /** What precedes all rows; empty if nothing does. */
  readonly header: string;
  /** The rows of a day; undefined if the day cannot be written in this format. */
  rowsOf(day: ExportedDay): Iterable<string> | undefined;
}
