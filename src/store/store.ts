import type { SeenField } from '../catalog/api-contract.ts';
import type { DatasetName, RowParts } from '../catalog/dataset.ts';
import type { Day, Instant } from '../catalog/day.ts';
import type { DayLags } from '../catalog/day-lag.ts';

/** What is known of a dataset without its rows. */
export interface DatasetStanding {
  /** Grows with every change of rows, documents, coverage and the last pass, and with nothing else. */
  readonly revision: number;
  /** When it was last answered successfully, in milliseconds. */
  readonly answeredAt: Instant | undefined;
  /** When a run of it last succeeded as a whole, in milliseconds. */
  readonly succeededAt: Instant | undefined;
  /** The UTC day of the last complete pass over all days that may still change. */
  readonly revisedOn: Day | undefined;
}

/** What is known of an organization without its rows: cheap to read, and enough to decide whether its texts are made anew. */
export interface Standing {
  /** A random text: in another epoch the store may have gone back in time, and equal revisions mean nothing. */
  readonly epoch: string;
  /** The organization's identifier on the platform, once an answer contained it. */
  readonly orgId: string | undefined;
  /** The fingerprint of the key of the last answer from this organization; `UNCONFIRMED` if there is none. */
  readonly confirmedKey: string | undefined;
  dataset(name: DatasetName): DatasetStanding;
}

/**
 * The first day whose rows are read, by dataset. All days are known, but older rows, and rows and documents of other
 * datasets, are not read.
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

/** What is stored of an organization, of one read transaction; later writes do not change it. */
export interface StoredOrg extends Standing {
  days(dataset: DatasetName): StoredDays;
  /** Throws a `RowNotRead` for documents that were not read. */
  documents(dataset: DatasetName): readonly unknown[];
}

/** What is stored of one dataset of days, of one read transaction. */
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

/** Means no fingerprint: the current key is yet to be confirmed. */
export const UNCONFIRMED = 'none';

/** An answer that names another organization of the platform than that of the stored history. */
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
  /** The rows among them. */
  readonly rows: ReadonlyMap<Day, unknown>;
  /** The parts of a row that are kept or replaced together; without them, a row replaces the previous one. */
  readonly parts?: RowParts | undefined;
  /** Whether a stored row was made with the present settings, so that another one is the platform's revision; true by default. */
  isCurrent?(row: unknown): boolean;
  readonly orgId: string | undefined;
  readonly at: Instant;
  readonly completes?: Completed | undefined;
  /** Without it, nothing is observed: neither the lag of a day nor a field. */
  readonly lags?: LagNotes | undefined;
  /** What was seen of the fields of its elements, by path. */
  readonly seen?: ReadonlyMap<string, SeenField> | undefined;
}

/** What a run knows about when days are published and change. */
export interface LagNotes {
  /** Whether the poll before this one, which succeeded, would have seen the row of a day. */
  isNews(day: Day): boolean;
  /** Whether the poll before this one succeeded, with no scheduled one between them. */
  readonly isNextPoll: boolean;
  /** For how many days after its own one a day is asked for again. */
  readonly comparedDays: number;
}

/** What is complete with the last answer of a run. */
export interface Completed {
  /** When the run succeeded as a whole, in milliseconds. */
  readonly succeededAt: Instant;
  /** The UTC day of a pass that is complete, too. */
  readonly revisedOn?: Day | undefined;
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
  /** Number of fields that keep their stored values because the answer lacks them without a fault of its own. */
  readonly missing: number;
  /** All counted lags of the dataset's days, if there are any and the answer has notes on them. */
  readonly lags?: DayLags | undefined;
  /** The paths of the fields that the dataset's rows had and no longer have; undefined if the answer has no notes. */
  readonly missingFields?: readonly string[] | undefined;
}

/** The number of requests for an organization on a UTC day. */
export interface RequestCount {
  readonly day: Day;
  readonly requests: number;
}

/** What may be removed from the store. */
export interface Retention {
  /** Number of days to keep, back from the newest day that is both known and over. */
  readonly days: number;
  readonly now: Instant;
  /** Organizations that are polled: the newest row of each of their datasets stays, regardless of its age. */
  readonly orgs: readonly string[];
}

/**
 * The stored days and documents: the truth, of which memory holds nothing. A day's first row is not a revision, and an answer
 * without a row keeps an existing row. Each write is one transaction. An answer that names another organization of the platform
 * than that of the stored history is rejected with a `ForeignAnswer` and changes nothing. Rejects with a `NotStored` while the
 * store cannot be used.
 */
export interface Store {
  standing(org: string): Promise<Standing>;
  /**
   * Rejects with a `NotStored` if an answer could not be stored now. Unless the last write succeeded, one is tried, which writes
   * nothing new.
   */
  demandWritable(): Promise<void>;
  /**
   * What was written, by organization: a text that changes with its epoch, identifier and revisions. It is one statement,
   * which can be sent each second.
   */
  revisions(): Promise<ReadonlyMap<string, string>>;
  /** Reads an organization in slices of a few milliseconds, by default with all rows and documents. */
  read(org: string, from?: RowsFrom): Promise<StoredOrg>;
  /** Reads one dataset of an organization likewise: all its days are known, and rows are read from a day on, by default none. */
  readDataset(org: string, dataset: DatasetName, from?: Day): Promise<StoredDataset>;
  /**
   * Assigns a name to that organization of the platform, to one whose identifier is not known yet without `orgId`. The history
   * of another one is set aside, and restored when the name is assigned to it again. What is stored without an identifier is
   * taken over, unless it is `foreign`: another platform's.
   */
  adopt(org: string, orgId: string | undefined, unnamed?: 'ours' | 'foreign'): Promise<void>;
  /** Stores the fingerprint of the key whose answers come from the organization, or `UNCONFIRMED`. */
  putConfirmedKey(org: string, key: string): Promise<void>;
  putDays(org: string, dataset: DatasetName, answer: AnsweredDays): Promise<StoredAnswer>;
  /** Resolves with the number of documents that are no longer listed. */
  putDocuments(org: string, dataset: DatasetName, answer: AnsweredDocuments): Promise<number>;
  /** A pass on the day of the last one raises no revision. */
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
  /** Removes a bounded part of what is too old, and notices a file that was removed or replaced. */
  sweep(retention?: Retention): Promise<void>;
  close(): Promise<void>;
}
