import type { DatasetName, RowParts } from '../catalog/dataset.ts';
import type { Day, Instant } from '../catalog/day.ts';

/** The stored data of one organization at the time it was read; later writes do not change it. */
export interface OrgHistory {
  /** The organization's identifier on the platform, once an answer contained it. */
  readonly orgId: string | undefined;
  /** The fingerprint of the key of the last answer from this organization; `UNCONFIRMED` if there is none. */
  readonly confirmedKey: string | undefined;
  /** The known days of a dataset with their rows; undefined for a day that was answered without a row. */
  days(dataset: DatasetName): ReadonlyMap<Day, unknown>;
  documents(dataset: DatasetName): readonly unknown[];
  /** What holds a dataset's rows and documents: the same objects in each read until one of them changes. */
  contentOf(dataset: DatasetName): readonly object[];
  /** When a dataset was last answered successfully, in milliseconds. */
  answeredAt(dataset: DatasetName): Instant | undefined;
  /** The UTC day of the last complete pass over all days of a dataset that may still change. */
  revisedOn(dataset: DatasetName): Day | undefined;
  /** When a run of a dataset last succeeded as a whole, in milliseconds. */
  succeededAt(dataset: DatasetName): Instant | undefined;
  /** The same data for another reader: rows and documents that were read stay parsed as long as their reader. */
  opened(): OrgHistory;
}

/** Means no fingerprint: the current key is yet to be confirmed. */
export const UNCONFIRMED = 'none';

/** An answer that names another organization of the platform than that of the stored history. */
export class ForeignAnswer extends Error {
  constructor(known: string, named: string) {
    super(`the answer is from the organization ${named}, the history belongs to ${known}`);
    this.name = 'ForeignAnswer';
  }
}

/**
 * A write or read of a store that cannot be used at present, or that another process has taken over. It is
 * unknown whether anything was stored; the run says nothing about the platform.
 */
export class NotStored extends Error {
  /** The problem, and a hint for the operator. */
  readonly details: { readonly reason: string; readonly detail: string; readonly hint: string };

  constructor(message: string, details: NotStored['details']) {
    super(message);
    this.name = 'NotStored';
    this.details = details;
  }
}

/** An answer about a range of days. */
export interface AnsweredDays {
  /** Every requested and answered day. */
  readonly days: readonly Day[];
  /** The rows among them. */
  readonly rows: ReadonlyMap<Day, unknown>;
  /** The parts of a row that are kept or replaced together; without them, a row replaces the previous one. */
  readonly parts?: RowParts | undefined;
  readonly orgId: string | undefined;
  readonly at: Instant;
}

/** An answer that lists documents by their identity. */
export interface AnsweredDocuments {
  readonly documents: ReadonlyMap<string, unknown>;
  /** Those that were not usable as a whole: they replace no stored document. */
  readonly damaged?: ReadonlySet<string> | undefined;
  /** Whether documents that are not listed no longer exist. */
  readonly complete: boolean;
  readonly orgId: string | undefined;
  readonly at: Instant;
}

/** A day that was answered again with different values. */
export interface Revision {
  readonly day: Day;
  readonly before: unknown;
  readonly after: unknown;
}

/** The effect of an answer on the stored days. */
export interface StoredAnswer {
  readonly revisions: readonly Revision[];
  /** Number of fields that keep their stored values because the answer lacks them without a fault of its own. */
  readonly missing: number;
}

/** The number of requests for an organization on a UTC day. */
export interface RequestCount {
  readonly day: Day;
  readonly requests: number;
}

/** What may be removed from the history. */
export interface Retention {
  /** Number of days to keep, back from the newest day that is both known and over. */
  readonly days: number;
  readonly now: Instant;
  /** Organizations that are polled: the newest row of each of their datasets stays, regardless of its age. */
  readonly orgs: readonly string[];
}

/**
 * The stored days and documents. A day's first row is not a revision, and an answer without a row keeps an existing
 * row. Each write is atomic. An answer that names another organization of the platform than that of the stored history
 * is rejected with a `ForeignAnswer` and changes nothing. A store that other processes share rejects with a `NotStored`
 * while it cannot be used.
 */
export interface History {
  read(org: string): Promise<OrgHistory>;
  /**
   * Assigns a name to that organization of the platform. The history of another one is set aside, and restored when the
   * name is assigned to it again.
   */
  adopt(org: string, orgId: string): Promise<void>;
  /** Stores the fingerprint of the key whose answers come from the organization, or `UNCONFIRMED`. */
  putConfirmedKey(org: string, key: string): Promise<void>;
  putDays(org: string, dataset: DatasetName, answer: AnsweredDays): Promise<StoredAnswer>;
  putDocuments(org: string, dataset: DatasetName, answer: AnsweredDocuments): Promise<void>;
  /** The UTC day on which the revision window of a dataset was last fetched again. */
  revisedOn(org: string, dataset: DatasetName): Promise<Day | undefined>;
  putRevisedOn(org: string, dataset: DatasetName, day: Day): Promise<void>;
  putSucceeded(org: string, dataset: DatasetName, at: Instant): Promise<void>;
  /** The request count of the last day with any requests. */
  requestsOf(org: string): Promise<RequestCount | undefined>;
  putRequests(org: string, count: RequestCount): Promise<void>;
  /**
   * Replaces the rows of a dataset, including those set aside, by the result of `change`; identical rows are not
   * written. No file retains the replaced rows.
   */
  amend(dataset: DatasetName, change: (row: unknown, day: Day, org: string) => unknown): Promise<void>;
  /** Removes a bounded part of what is too old, and retries failed writes. */
  sweep(retention?: Retention): Promise<void>;
  close(): Promise<void>;
}

/** The stored data of one dataset of an organization; immutable. */
export interface DatasetState {
  readonly days: ReadonlyMap<Day, unknown>;
  readonly documents: ReadonlyMap<string, unknown>;
  readonly answeredAt: Instant | undefined;
  readonly succeededAt: Instant | undefined;
  readonly revisedOn: Day | undefined;
}
