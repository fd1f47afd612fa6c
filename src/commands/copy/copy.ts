import { createHash } from 'node:crypto';
import type { Query, Value } from '../../store/database.ts';
import { addRows, rowsOf } from '../../store/reader.ts';
import { TABLES, type Table } from '../../store/tables.ts';
import { ConfigError } from '../../text/errors.ts';

/** The statements on a table. */
export type QueryOf = (table: Table) => Query;

/** One of the two stores of a copy; no other process uses it meanwhile. */
export interface CopyEnd {
  /** Describes the place, without a password. */
  readonly place: string;
  /** Runs work that sees one state. What it writes is there as a whole once it resolves, otherwise nothing of it. */
  use<Result>(work: (queryOf: QueryOf) => Promise<Result>): Promise<Result>;
  /** Lets others use the store. */
  close(): Promise<void>;
}

/** The parts of a copy; reading is for a target that has data already. */
export type Phase = 'Reading' | 'Copying' | 'Verifying';

/** The number of rows of each table, and a checksum of their content that does not depend on their order. */
type Summary = ReadonlyMap<string, { readonly rows: number; readonly sum: string }>;

export interface CopyParts {
  readonly source: CopyEnd;
  readonly target: CopyEnd;
  readonly show: (phase: Phase, done: number, total: number) => void;
  /** Ends the copy after the current batch; nothing of it stays. */
  readonly signal: AbortSignal;
}

export interface CopyOutcome {
  readonly summary: Summary;
  /** Whether the target had the same data before. */
  readonly wasCopied: boolean;
}

/**
 * Copies a store. Rejects with the signal's reason if it was interrupted, and with a `ConfigError` if the target has other
 * data or does not contain what the source has.
 */
export function copyStore({ source, target, show, signal }: CopyParts): Promise<CopyOutcome> {
  return source.use((from) => target.use((to) => copyTables(from, to)));

  async function copyTables(from: QueryOf, to: QueryOf): Promise<CopyOutcome> {
    const total = await sizeOf(from);
    if ((await sizeOf(to)) > 0) {
      const expected = await summaryOf('Reading', from, total);
      if (differences(expected, await summaryOf('Verifying', to, total)).length > 0)
        throw hasOtherData(target.place);
      return { summary: expected, wasCopied: true };
    }
    const expected = await summaryOf('Copying', from, total, (table, rows) =>
      addRows(to(table), table, rows),
    );
    const wrong = differences(expected, await summaryOf('Verifying', to, total));
    if (wrong.length > 0) {
      throw new ConfigError(
        `the copy differs from ${source.place}: ${wrong.join(', ')}`,
        'nothing of it was kept; run the command again',
      );
    }
    return { summary: expected, wasCopied: false };
  }

  async function summaryOf(
    phase: Phase,
    queryOf: QueryOf,
    total: number,
    take?: (table: Table, rows: readonly (readonly Value[])[]) => Promise<void>,
  ): Promise<Summary> {
    let done = 0;
    const summary = new Map<string, { rows: number; sum: string }>();
    for (const table of TABLES) {
      const sum = createSum();
      for await (const rows of rowsOf(queryOf(table), table)) {
        signal.throwIfAborted();
        for (const values of rows) sum.add(values);
        await take?.(table, rows);
        done += rows.length;
        show(phase, done, Math.max(total, done));
      }
      summary.set(table.name, sum.result());
    }
    return summary;
  }
}

/** The number of rows of a store. */
export async function sizeOf(queryOf: QueryOf): Promise<number> {
  let sum = 0;
  for (const table of TABLES) {
    const [row] = await queryOf(table)(`SELECT count(*) AS rows FROM S.${table.name}`);
    sum += Number(row?.['rows'] ?? 0);
  }
  return sum;
}

/** The number of rows of all tables. */
export function rowsIn(summary: Summary): number {
  return [...summary.values()].reduce((sum, { rows }) => sum + rows, 0);
}

/** The tables that differ, with their numbers of rows. */
function differences(expected: Summary, found: Summary): readonly string[] {
  return [...expected].flatMap(([table, wanted]) => {
    const actual = found.get(table);
    if (wanted.rows === actual?.rows && wanted.sum === actual.sum) return [];
    return [`${table} (${actual?.rows ?? 0} rows of ${wanted.rows})`];
  });
}

/** Adds up the rows of one table. */
export function createSum() {
  let rows = 0;
  let sum = 0n;
  return {
    add(values: readonly Value[]) {
      const digest = createHash('sha256').update(JSON.stringify(values)).digest();
      sum = (sum + digest.readBigUInt64BE()) & 0xffff_ffff_ffff_ffffn;
      rows += 1;
    },
    result: () => ({ rows, sum: sum.toString(16) }),
  };
}

/** The error for a target with data that the copy has not written. */
function hasOtherData(place: string): ConfigError {
  return new ConfigError(
    `${place} has other data`,
    'it is left untouched; give an empty place, such as another file or another schema (?schema=…)',
  );
}
