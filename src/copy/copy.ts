import { ConfigError } from '../runtime/errors.ts';
import { createSum, fingerprintOf, type Summary, TABLES, type TableName, type Values } from './tables.ts';

/** A store whose rows can be read; no other process uses it meanwhile. */
export interface CopySource {
  /** Describes the place, without a password. */
  readonly place: string;
  /** The sound rows of a table in batches, in an order that is the same as long as nothing is changed. */
  rows(table: TableName): AsyncIterable<readonly Values[]>;
  /** The approximate number of rows. */
  size(): Promise<number>;
  /** Closes the store, so that others can use it. */
  close(): Promise<void>;
}

/** A store that rows are copied to. Nobody uses it before it is complete. */
export interface CopyTarget extends CopySource {
  /**
   * Begins a copy of the content with this fingerprint, or continues it: resolves with the number of rows that were
   * written of each table. What was written of another content is removed. Undefined if the store has data of its own, which
   * can be read.
   */
  begin(fingerprint: string): Promise<ReadonlyMap<TableName, number> | undefined>;
  /** Adds rows and stores how many there are then, as one transaction. */
  write(table: TableName, rows: readonly Values[], done: number): Promise<void>;
  /** Makes the next copy start over. */
  spoil(): Promise<void>;
  /** Hands the complete store over for use. */
  finish(): Promise<void>;
}

/** The parts of a copy: both stores are read completely, so that they can be compared. */
export type Phase = 'Reading' | 'Copying' | 'Verifying';

export interface CopyParts {
  readonly source: CopySource;
  readonly target: CopyTarget;
  readonly show: (phase: Phase, done: number, total: number) => void;
  /** Ends the copy after the current batch; it can be continued. */
  readonly signal: AbortSignal;
}

export interface CopyOutcome {
  readonly summary: Summary;
  /** The number of rows that an earlier, interrupted run had written. */
  readonly resumed: number;
  /** Whether the target had the same data before. */
  readonly wasCopied: boolean;
}

/**
 * Copies a store. Rejects with the signal's reason if it was interrupted, and with a `ConfigError` if the target has other
 * data or does not contain what the source has.
 */
export async function copyStore({ source, target, show, signal }: CopyParts): Promise<CopyOutcome> {
  const expected = await summaryOf('Reading', source, await source.size());
  const total = rowsIn(expected);
  const begun = await target.begin(fingerprintOf(expected));
  if (begun === undefined) {
    if (differences(expected, await summaryOf('Verifying', target, total)).length > 0)
      throw hasOtherData(target.place);
    return { summary: expected, resumed: 0, wasCopied: true };
  }
  const resumed = [...begun.values()].reduce((sum, rows) => sum + rows, 0);
  let copied = resumed;
  for (const table of TABLES) {
    let written = begun.get(table) ?? 0;
    for await (const rows of without(source.rows(table), written)) {
      signal.throwIfAborted();
      written += rows.length;
      await target.write(table, rows, written);
      copied += rows.length;
      show('Copying', copied, total);
    }
  }
  const wrong = differences(expected, await summaryOf('Verifying', target, total));
  if (wrong.length > 0) {
    await target.spoil();
    throw new ConfigError(
      `the copy differs from ${source.place}: ${wrong.join(', ')}`,
      'it is not used; run the command again to start over',
    );
  }
  await target.finish();
  return { summary: expected, resumed, wasCopied: false };

  async function summaryOf(phase: Phase, store: CopySource, rows: number): Promise<Summary> {
    let done = 0;
    const summary = new Map<TableName, { rows: number; sum: string }>();
    for (const table of TABLES) {
      const sum = createSum();
      for await (const batch of store.rows(table)) {
        signal.throwIfAborted();
        for (const values of batch) sum.add(values);
        done += batch.length;
        show(phase, done, Math.max(rows, done));
      }
      summary.set(table, sum.result());
    }
    return summary;
  }
}

/** The number of rows of all tables. */
export function rowsIn(summary: Summary): number {
  return [...summary.values()].reduce((sum, { rows }) => sum + rows, 0);
}

/** The tables that differ, with their numbers of rows. */
function differences(expected: Summary, found: Summary): readonly string[] {
  return TABLES.flatMap((table) => {
    const [wanted, actual] = [expected.get(table), found.get(table)];
    if (wanted?.rows === actual?.rows && wanted?.sum === actual?.sum) return [];
    return [`${table} (${actual?.rows ?? 0} rows of ${wanted?.rows ?? 0})`];
  });
}

/** The batches without the first rows. */
async function* without(
  batches: AsyncIterable<readonly Values[]>,
  skipped: number,
): AsyncGenerator<readonly Values[]> {
  let left = skipped;
  for await (const batch of batches) {
    const rest = batch.slice(left);
    left -= batch.length - rest.length;
    if (rest.length > 0) yield rest;
  }
}

/** The error for a target with data that the copy has not written. */
export function hasOtherData(place: string): ConfigError {
  return new ConfigError(
    `${place} has other data`,
    'it is left untouched; give an empty place, such as another file or another schema (?schema=…)',
  );
}
