import type { DatasetName, RowParts } from '../catalog/dataset.ts';
import type { Day, Instant } from '../catalog/day.ts';

/** What is kept of one organization, as it stood when it was read; later writes do not change it. */
export interface OrgHistory {
  /** The platform's identifier of the organization, once an answer has named it. */
  readonly orgId: string | undefined;
  /** The fingerprint of the key that last brought an answer of this organization; `UNCONFIRMED` where none has. */
  readonly confirmedKey: string | undefined;
  /** The covered days of a dataset with their rows; undefined for a day that was answered without a row. */
  days(dataset: DatasetName): ReadonlyMap<Day, unknown>;
  documents(dataset: DatasetName): readonly unknown[];
  /** When a dataset was last answered well, in milliseconds. */
  answeredAt(dataset: DatasetName): Instant | undefined;
  /** The UTC day on which all of a dataset that may still change was last asked for again. */
  revisedOn(dataset: DatasetName): Day | undefined;
  /** When a run of a dataset last succeeded as a whole, in milliseconds. */
  succeededAt(dataset: DatasetName): Instant | undefined;
}

/** Stands for the fingerprint of no key: whoever holds the present one has yet to be confirmed. */
export const UNCONFIRMED = 'none';

/** An answer that names another organization of the platform than the one its history belongs to. */
export class ForeignAnswer extends Error {
  constructor(known: string, named: string) {
    super(`the answer is from the organization ${named}, the history belongs to ${known}`);
    this.name = 'ForeignAnswer';
  }
}

/** An answer about a range of days. */
export interface AnsweredDays {
  /** Every day that was asked for and answered. */
  readonly days: readonly Day[];
  /** The rows among them. */
  readonly rows: ReadonlyMap<Day, unknown>;
  /** What of a row is kept or taken together; where not given, a row replaces the one before. */
  readonly parts?: RowParts | undefined;
  readonly orgId: string | undefined;
  readonly at: Instant;
}

/** An answer that lists documents by their identity. */
export interface AnsweredDocuments {
  readonly documents: ReadonlyMap<string, unknown>;
  /** Those among them that were not usable as a whole: they replace none that is stored. */
  readonly damaged?: ReadonlySet<string> | undefined;
  /** Whether documents that are not among these are gone. */
  readonly complete: boolean;
  readonly orgId: string | undefined;
  readonly at: Instant;
}

/** A day that was seen again with other values. */
export interface Revision {
  readonly day: Day;
  readonly before: unknown;
  readonly after: unknown;
}

/** How many requests were made for an organization on a UTC day. */
export interface RequestCount {
  readonly day: Day;
  readonly requests: number;
}

/** What of the history may go. */
export interface Retention {
  /** How many days are kept, back from the newest one that is both known and over. */
  readonly days: number;
  readonly now: Instant;
  /** Organizations that are polled: the newest row of each of their datasets stays, however old it is. */
  readonly orgs: readonly string[];
}

/**
 * The days and documents seen so far. A day's first row is no revision, and an answer without a row leaves a
 * row that is there. Each write is kept whole or not at all. An answer that names another organization of the
 * platform than the one that the history belongs to is rejected with a `ForeignAnswer`, and changes nothing.
 */
export interface History {
  read(org: string): Promise<OrgHistory>;
  /**
   * Assigns a name to that organization of the platform. The history of another one is set aside, and restored when the
   * name is assigned to it again.
   */
  adopt(org: string, orgId: string): Promise<void>;
  /** Remembers the fingerprint of the key whose answers are about the organization, or `UNCONFIRMED`. */
  putConfirmedKey(org: string, key: string): Promise<void>;
  putDays(org: string, dataset: DatasetName, answer: AnsweredDays): Promise<readonly Revision[]>;
  putDocuments(org: string, dataset: DatasetName, answer: AnsweredDocuments): Promise<void>;
  /** The UTC day on which the revision window of a dataset was last asked for again. */
  revisedOn(org: string, dataset: DatasetName): Promise<Day | undefined>;
  putRevisedOn(org: string, dataset: DatasetName, day: Day): Promise<void>;
  putSucceeded(org: string, dataset: DatasetName, at: Instant): Promise<void>;
  /** The requests of the last day on which any were counted. */
  requestsOf(org: string): Promise<RequestCount | undefined>;
  putRequests(org: string, count: RequestCount): Promise<void>;
  /**
   * Replaces the rows of a dataset, including those set aside, by the result of `change`; an identical row is left as it
   * is. No file keeps the replaced rows.
   */
  amend(dataset: DatasetName, change: (row: unknown, day: Day, org: string) => unknown): Promise<void>;
  /** Drops a bounded part of what is too old, and tries again to store what could not be stored. */
  sweep(retention?: Retention): Promise<void>;
  close(): Promise<void>;
}

/** What is kept of one dataset of one organization; it is replaced, never changed. */
export interface DatasetState {
  readonly days: ReadonlyMap<Day, unknown>;
  readonly documents: ReadonlyMap<string, unknown>;
  readonly answeredAt: Instant | undefined;
  readonly succeededAt: Instant | undefined;
  readonly revisedOn: Day | undefined;
}
