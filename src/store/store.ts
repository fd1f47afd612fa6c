import type { SeenField } from '../catalog/api-contract.ts';
import type { DatasetName, RowParts } from '../catalog/dataset.ts';
import type { Day, Instant } from '../catalog/day.ts';
import type { DayLags } from '../catalog/day-lag.ts';

/** The state of a dataset without its rows. */
export interface DatasetStanding {
  /** Increases with every change of rows, documents, answered days or the last pass, and with no other change. */
  readonly revision: number;
  /** When it was last answered successfully, in milliseconds. */
  readonly answeredAt: Instant | undefined;
  /** When a run of it last succeeded as a whole, in milliseconds. */
  readonly succeededAt: Instant | undefined;
  /** The UTC day of the last complete pass over all days that may still change. */
  readonly revisedOn: Day | undefined;
}

/** The state of an organization without its rows: cheap to read, and enough to decide whether to render its families again. */
export interface Standing {
  /** A random text. If it has changed, the store may have gone back in time, and equal revisions do not mean equal data. */
  readonly epoch: string;
  /** The organization's identifier on the platform, once an answer contained it. */
  readonly orgId: string | undefined;
  /** The fingerprint of the key of the last answer from this organization; `UNCONFIRMED` if there is none. */
  readonly confirmedKey: string | undefined;
  dataset(name: DatasetName): DatasetStanding;
}

/**
 * By dataset, the first day whose row is read. A read returns all days of a dataset, but not older rows, and neither rows nor
 * documents of datasets that are not listed.
 */
export type RowsFrom = ReadonlyMap<DatasetName, Day>;

/** The answered days of a dataset, oldest first. Rows are held as text and parsed when they are read. */
export interface StoredDays {
  readonly size: number;
  /** Whether a day was answered, with a row or without. */
  has(day: Day): boolean;
  /** Whether a day was answered with a row. */
  isFilled(day: Day): boolean;
  /** Whether the row of a day shows activity (see `hasActivity`); undefined if that is unknown or there is no row. */
  hasActivity(day: Day): boolean | undefined;
  /** Whether a day has a row whose last answer was incomplete (see `isUnsettled`). */
  isUnsettled(day: Day): boolean;
  keys(): Iterable<Day>;
  /** The row of a day; undefined if it has none. Throws a `RowNotRead` for a row that was not read. */
  get(day: Day): unknown;
}

/** The data of an organization as one transaction has read it; later writes do not change it. */
export interface StoredOrg extends Standing {
  days(dataset: DatasetName): StoredDays;
  /** Throws a `RowNotRead` for documents that were not read. */
  documents(dataset: DatasetName): readonly unknown[];
}

/** One dataset of days as one transaction has read it. */
export interface StoredDataset extends DatasetStanding {
  readonly days: StoredDays;
}

/** A row or document that is stored, but was not read with the organization. */
export class RowNotRead extends Error {
  readonly dataset: DatasetName;

  constructor(dataset: DatasetName) {
    super(`a needed row of ${dataset} was not read`);
    this.name = 'RowNotRead';
    this.dataset = dataset;
  }
}

/** Stands for no fingerprint: no answer has confirmed the current key yet. */
export const UNCONFIRMED = 'none';

/** An answer names another organization of the platform than the stored data. */
export class ForeignAnswer extends Error {
  constructor(known: string, named: string) {
    super(`the answer is from the organization ${named}, the history belongs to ${known}`);
    this.name = 'ForeignAnswer';
  }
}

/** An answer about a range of days. */
export interface AnsweredDays {
  /** Every requested and answered day. */
  readonly days: readonly Day[];
  /** The rows; days without an entry were answered without a row. */
  readonly rows: ReadonlyMap<Day, unknown>;
  /** The parts of a row that are kept or replaced together; without them, a row replaces the previous one. */
  readonly parts?: RowParts | undefined;
  /** Whether a stored row was made with the present settings, so that a different answer is a revision; always true by default. */
  isCurrent?(row: unknown): boolean;
  readonly orgId: string | undefined;
  readonly at: Instant;
  readonly completes?: Completed | undefined;
  /** Notes for measuring lags; without them, no lags are recorded. */
  readonly lags?: LagNotes | undefined;
  /** By path, the days on which a field was seen or missing; without it, no fields are recorded. */
  readonly seen?: ReadonlyMap<string, SeenField> | undefined;
}

/** What a run knows about the polls before it, to measure when days are published and change. */
export interface LagNotes {
  /** Whether the poll before this one, which succeeded, would have seen the row of a day. */
  isNews(day: Day): boolean;
  /** Whether the poll before this one succeeded, with no scheduled one between them. */
  readonly isNextPoll: boolean;
  /** The number of days for which a day is fetched again. */
  readonly comparedDays: number;
}

/** The completion of a run, stored together with its last answer. */
export interface Completed {
  /** When the run succeeded as a whole, in milliseconds. */
  readonly succeededAt: Instant;
  /** The UTC day of the revision pass, if the run has completed one. */
  readonly revisedOn?: Day | undefined;
}

/** An answer that lists documents by their identity. */
export interface AnsweredDocuments {
  readonly documents: ReadonlyMap<string, unknown>;
  /** The ids of documents with unusable fields: they do not replace a stored document. */
  readonly damaged?: ReadonlySet<string> | undefined;
  /** Whether documents that are not listed no longer exist. */
  readonly complete: boolean;
  readonly orgId: string | undefined;
  readonly at: Instant;
  readonly completes?: Completed | undefined;
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
  /** The number of fields that keep their stored values because the answer lacks them without a fault. */
  readonly missing: number;
  /** All counted lags of the dataset's days, if there are any and the answer has notes on them. */
  readonly lags?: DayLags | undefined;
  /** The paths of the fields that the dataset's rows had and no longer have; undefined if the answer records nothing. */
  readonly missingFields?: readonly string[] | undefined;
}

/** The number of requests for an organization on a UTC day. */
export interface RequestCount {
  readonly day: Day;
  readonly requests: number;
}

/** Which old data may be removed from the store. */
export interface Retention {
  /** Number of days to keep, back from the newest day that is both known and over. */
  readonly days: number;
  readonly now: Instant;
  /** Organizations that are polled: the newest row of each of their datasets stays, regardless of its age. */
  readonly orgs: readonly string[];
}

/**
 * The stored days and documents: the source of truth, with no copy in memory. A day's first row is not a revision, and an answer
 * without a row keeps an existing row. Each write is one transaction. An answer that names another organization of the platform
 * than the stored data is rejected with a `ForeignAnswer` and changes nothing. Methods reject with a `NotStored` while the store is
 * unavailable.
 */
export interface Store {
  standing(org: string): Promise<Standing>;
  /**
   * Rejects with a `NotStored` if an answer could not be stored now. If the last write has failed, tries one that changes no
   * data.
   */
  demandWritable(): Promise<void>;
  /**
   * By organization, a text that changes with its epoch, identifier and revisions. One cheap statement, which callers may send each
   * second.
   */
  revisions(): Promise<ReadonlyMap<string, string>>;
  /** Reads an organization in slices of a few milliseconds, by default with all rows and documents. */
  read(org: string, from?: RowsFrom): Promise<StoredOrg>;
  /** Reads one dataset of an organization: all its days, and the rows from a day on; by default no rows. */
  readDataset(org: string, dataset: DatasetName, from?: Day): Promise<StoredDataset>;
  /**
   * Assigns a name to the organization with this identifier; without `orgId`, to one whose identifier is not known yet. Sets the
   * data of the former organization aside, and restores it when the name is assigned to that organization again. Takes over data
   * that was stored without an identifier, unless it is `foreign`: from another platform.
   */
  adopt(org: string, orgId: string | undefined, unnamed?: 'ours' | 'foreign'): Promise<void>;
  /** Stores the fingerprint of the key that an answer has confirmed as the organization's, or `UNCONFIRMED`. */
  putConfirmedKey(org: string, key: string): Promise<void>;
  putDays(org: string, dataset: DatasetName, answer: AnsweredDays): Promise<StoredAnswer>;
  /** Resolves with the number of documents that are no longer listed. */
  putDocuments(org: string, dataset: DatasetName, answer: AnsweredDocuments): Promise<number>;
  /** Stores the day of the last revision pass. The same day again raises no revision. */
  putRevisedOn(org: string, dataset: DatasetName, day: Day): Promise<void>;
  putSucceeded(org: string, dataset: DatasetName, at: Instant): Promise<void>;
  /** The counted lags of the days of an organization, by dataset. */
  dayLags(org: string): Promise<ReadonlyMap<DatasetName, DayLags>>;
  /** The request count of the last day with any requests. */
  requestsOf(org: string): Promise<RequestCount | undefined>;
  putRequests(org: string, count: RequestCount): Promise<void>;
  /**
   * Replaces the rows of a dataset, including those set aside, by the result of `change`; identical rows are not
   * written. No file retains the replaced rows.
   */
  amend(dataset: DatasetName, change: (row: unknown, day: Day, org: string) => unknown): Promise<void>;
  /** Removes old data, a bounded amount per call, and reopens a file that was removed or replaced. */
  sweep(retention?: Retention): Promise<void>;
  close(): Promise<void>;
}
