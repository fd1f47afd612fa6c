/** A value of a column: texts, whole numbers (instants in milliseconds) and null are stored alike in both dialects. */
export type Value = string | number | null;

/** A row of a result, by column. */
export type Row = Readonly<Record<string, Value>>;

/**
 * Sends one statement within a transaction and resolves with its rows. Parameters are `$1`, `$2`…; names of tables begin with
 * `S.`, which stands for the schema where there is one.
 */
export type Query = (text: string, values?: readonly Value[]) => Promise<readonly Row[]>;

/** The statements of one transaction. */
export type Work<Result> = (query: Query) => Promise<Result>;

/**
 * `snapshot` is read-only, and all of its statements see the same state.
 */
export type TransactionMode = 'write' | 'snapshot';

/** A SQLite or PostgreSQL database. It connects, runs transactions and classifies errors; its callers write the statements. */
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

/** A database of the store, with what a store needs beyond transactions. */
export interface StoreDatabase extends Database {
  /** Reads the epoch, within a transaction. After a change of epoch, values read earlier are void: the data may have gone back. */
  epochOf(query: Query): Promise<string>;
  /** As `transaction`, for a tiny test write. Its success does not end an outage, because a larger write may still not fit. */
  probe?(work: Work<unknown>): Promise<unknown>;
  /** Reopens a file that was removed or replaced. Repeats a `scrub` that is due. */
  tend?(): Promise<void>;
  /** Removes deleted and replaced rows from the write-ahead log. If a reader prevents it, `tend` tries again. */
  scrub?(): Promise<void>;
}

/** The databases of a store. */
export interface StoreDatabases {
  /** Days and documents, which can be fetched from the platform again. */
  readonly days: StoreDatabase;
  /** Counts, which cannot be fetched again. In another SQLite file, or in the same PostgreSQL database. */
  readonly counts: StoreDatabase;
}

/** The database is unavailable, or another process has taken it over. */
export class NotStored extends Error {
  /** The problem, and a hint for the operator. */
  readonly details: { readonly reason: string; readonly detail: string; readonly hint: string };

  constructor(message: string, details: NotStored['details']) {
    super(message);
    this.name = 'NotStored';
    this.details = details;
  }
}

/** Ignores a `NotStored`, because the store logs an outage once; throws any other error. */
export function ignoreNotStored(error: unknown): undefined {
  if (!(error instanceof NotStored)) throw error;
}

/** Rows per statement: few enough for any limit on parameters, and enough to make round trips rare. */
const AT_ONCE = 100;

/**
 * Sends many rows by few statements, and resolves with what they return. In `text`, `ROWS` stands for the rows, and `$1`,
 * `$2`… for `values`.
 */
export async function sendRows(
  query: Query,
  text: string,
  rows: readonly (readonly Value[])[],
  values: readonly Value[] = [],
): Promise<readonly Row[]> {
  const returned: Row[] = [];
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    const part = rows.slice(start, start + AT_ONCE);
    let place = values.length;
    const places = part.map((row) => `(${row.map(() => `$${++place}`).join(', ')})`);
    returned.push(...(await query(text.replace('ROWS', places.join(', ')), [...values, ...part.flat()])));
  }
  return returned;
}
