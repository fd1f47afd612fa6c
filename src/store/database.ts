/** A value of a column: texts, whole numbers (instants in milliseconds) and null are stored alike in both dialects. */
export type Value = string | number | null;

/** A row of a result, by column. */
export type Row = Readonly<Record<string, Value>>;

/**
 * Sends one statement within a transaction and resolves with its rows. Parameters are `$1`, `$2`…; names of tables begin with
 * `S.`, which stands for the schema where there is one.
 */
export type Query = (text: string, values?: readonly Value[]) => Promise<readonly Row[]>;

/** What runs within a transaction. */
export type Work<Result> = (query: Query) => Promise<Result>;

/**
 * `snapshot` is read-only, and all of its statements see the same state.
 */
export type TransactionMode = 'write' | 'snapshot';

/** A database of either dialect: it connects, runs transactions and classifies errors; all statements are written by others. */
export interface Database {
  /** Whether the last use succeeded. */
  isUp(): boolean;
  /**
   * Runs statements as one transaction. Rejects with what `work` throws, or with a `NotStored` if the database cannot be
   * used; then it is unknown whether anything was stored.
   */
  transaction<Result>(work: Work<Result>, mode?: TransactionMode): Promise<Result>;
  /** Resolves once the transactions under way have ended. */
  close(): Promise<void>;
}

/** A database of the store. */
export interface StoreDatabase extends Database {
  /** Within a transaction: another epoch says that what was read before means nothing. */
  epochOf(query: Query): Promise<string>;
  /** As `transaction`, for a write so small that its success does not end a trouble: another one may still not fit. */
  probe?(work: Work<unknown>): Promise<unknown>;
  /** Opens a file anew that was removed or replaced, and removes deleted rows from the files beside it if that is due. */
  tend?(): Promise<void>;
  /** Removes deleted and replaced rows from the write-ahead log; again with `tend` if a reader prevents it now. */
  scrub?(): Promise<void>;
}

/** The databases of a store. */
export interface StoreDatabases {
  /** What can be asked again. */
  readonly days: StoreDatabase;
  /** What cannot: another file, or the same database. */
  readonly counts: StoreDatabase;
}

/** A database that cannot be used at present, or that another process has taken over. */
export class NotStored extends Error {
  /** The problem, and a hint for the operator. */
  readonly details: { readonly reason: string; readonly detail: string; readonly hint: string };

  constructor(message: string, details: NotStored['details']) {
    super(message);
    this.name = 'NotStored';
    this.details = details;
  }
}

/** Ignores that a store cannot be used, which the store logs once; any other failure is thrown. */
export function ignoreNotStored(error: unknown): undefined {
  if (!(error instanceof NotStored)) throw error;
}
