import type { Day } from '../catalog/day.ts';
import type { PlatformMoney } from '../catalog/money.ts';
import type { PageFamily } from '../pipeline/past-days.ts';
import type { Spelling } from './csv.ts';

/** One organization's figures of a day or a month. */
export interface ExportedFigures {
  readonly org: string;
  /** The platform's identifier of the organization, once an answer contained it. */
  readonly orgId: string | undefined;
  /** The first day of what `period` names. */
  readonly first: Day;
  /** The day, or the last day of the month. */
  readonly day: Day;
  /** The day or month as it is written; a part of a month has its first and its last day. */
  readonly period: string;
  readonly families: readonly PageFamily[];
  /** The day of a calendar month on which a billing month starts; the first by default. */
  readonly monthStarts?: number | undefined;
  /** What the organization's money means; that of a platform that counts credits by default. */
  readonly money?: PlatformMoney | undefined;
  /** The name of the organization's platform. */
  readonly platform: string;
  /** The day on which the platform has revised the last of these days for the last time; undefined if it has already. */
  readonly revisedUntil: Day | undefined;
}

/** Whether the platform may still revise the figures of a row. */
export function provisionalCell({ revisedUntil }: Pick<ExportedFigures, 'revisedUntil'>): string {
  return String(revisedUntil !== undefined);
}

/** Why a known day has no rows: it has no price, or what the collector of this name has of it is unknown. */
interface Unwritable {
  readonly lacks: 'price' | 'tokens' | 'users';
}

/** How two files in CSV are compared. */
export interface Compared {
  /** The columns that identify a row; the first are `period` and `organization`. */
  readonly keys: readonly string[];
  readonly period: string;
  readonly organization: string;
  /** The columns that a correction can change. */
  readonly figures: readonly string[];
  readonly spelling?: Spelling;
}

/** A file format, as lines with their newlines. */
export interface ExportFormat {
  /** What precedes all rows; empty if nothing does. */
  readonly header: string;
  /** Whether a day is left out if any of its collectors does not know it. */
  readonly needsAll?: true;
  readonly compared?: Compared;
  /** The rows of a day or month, or what they lack in this format. */
  rowsOf(figures: ExportedFigures): Iterable<string> | Unwritable;
}
