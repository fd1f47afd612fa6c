import type { DatasetName } from '../../catalog/dataset.ts';
import type { Instant } from '../../catalog/day.ts';
import type { Query, Row } from './database.ts';
import { msOf, storable } from './values.ts';

/** The last run of a collector, in whichever process. Instants in milliseconds. */
export interface SharedRun {
  readonly collector: string;
  readonly lastRunAt: Instant;
  readonly lastSuccessAt: Instant | undefined;
  readonly seconds: number;
  readonly failure:
    | {
        readonly since: Instant;
        readonly reason: string;
        readonly message: string;
        readonly hint: string | undefined;
      }
    | undefined;
}

/** What was counted of a dataset, over all processes and restarts. */
export interface SharedTotals {
  readonly dataset: DatasetName;
  readonly revisions: number;
  readonly rejected: number;
}

/** What a run has counted. It is added to the totals once, however often it is stored. */
export interface Counted {
  /** A UUID. */
  readonly id: string;
  readonly totals: readonly SharedTotals[];
}

/** The columns that runs and totals are read from. */
export const RUN_COLUMNS = `collector, ${msOf('last_run_at')}, ${msOf('last_success_at')}, seconds, ${msOf('failing_since')}, reason, message, hint`;
export const TOTAL_COLUMNS = 'dataset, revisions::float8, rejected::float8';

/** How long it is known what was counted: whoever stores it again does so within minutes. */
const KNOWN = "interval '7 days'";

/** Stores a run and adds what was counted; resolves with the rows as they are now. */
export async function writeRun(
  query: Query,
  schema: string,
  { org, version }: { readonly org: string; readonly version: number },
  run: SharedRun,
  counted: readonly Counted[],
): Promise<{ readonly runs: readonly Row[]; readonly totals: readonly Row[] }> {
  const { failure } = run;
  const runs = await query(
    `INSERT INTO ${schema}.collector_run AS old
     (org, collector, last_run_at, last_success_at, seconds, failing_since, reason, message, hint, version)
     VALUES ($1, $2, to_timestamp($3::float8 / 1000), to_timestamp($4::float8 / 1000), $5, to_timestamp($6::float8 / 1000),
     $7, $8, $9, $10)
     ON CONFLICT (org, collector) DO UPDATE SET last_run_at = excluded.last_run_at,
     last_success_at = coalesce(excluded.last_success_at, old.last_success_at), seconds = excluded.seconds,
     failing_since = CASE WHEN excluded.failing_since IS NULL THEN NULL ELSE coalesce(old.failing_since, excluded.failing_since) END,
     reason = excluded.reason, message = excluded.message, hint = excluded.hint, version = excluded.version
     RETURNING ${RUN_COLUMNS}`,
    [
      ...[org, run.collector, run.lastRunAt, run.lastSuccessAt ?? null, run.seconds],
      ...[
        failure?.since ?? null,
        failure?.reason ?? null,
        failure === undefined ? null : storable(failure.message),
        failure?.hint === undefined ? null : storable(failure.hint),
        version,
      ],
    ],
  );
  const totals = new Map<DatasetName, Row>();
  for (const { id, totals: added } of counted) {
    // The answer to an earlier attempt may have been lost after it was committed.
    const isNew = await query(
      `INSERT INTO ${schema}.counted_run (org, id, at) VALUES ($1, $2, clock_timestamp()) ON CONFLICT DO NOTHING
       RETURNING 1 AS one`,
      [org, id],
    );
    if (isNew.length === 0) continue;
    for (const { dataset, revisions, rejected } of added) {
      const [row] = await query(
        `INSERT INTO ${schema}.dataset_total AS old (org, dataset, revisions, rejected, version) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (org, dataset) DO UPDATE SET revisions = old.revisions + excluded.revisions,
         rejected = old.rejected + excluded.rejected, version = excluded.version
         RETURNING ${TOTAL_COLUMNS}`,
        [org, dataset, revisions, rejected, version],
      );
      if (row !== undefined) totals.set(dataset, row);
    }
  }
  if (counted.length > 0)
    await query(`DELETE FROM ${schema}.counted_run WHERE org = $1 AND at < clock_timestamp() - ${KNOWN}`, [
      org,
    ]);
  return { runs, totals: [...totals.values()] };
}

/** The run of a row. */
export function runIn(row: Row): SharedRun {
  const since = row['failing_since'];
  const success = row['last_success_at'];
  return {
    collector: String(row['collector']),
    lastRunAt: Number(row['last_run_at']),
    lastSuccessAt: typeof success === 'number' ? success : undefined,
    seconds: Number(row['seconds']),
    failure:
      typeof since !== 'number'
        ? undefined
        : {
            since,
            reason: String(row['reason']),
            message: String(row['message']),
            hint: typeof row['hint'] === 'string' ? row['hint'] : undefined,
          },
  };
}

/** The totals of a row. */
export function totalsIn(row: Row): SharedTotals {
  return {
    dataset: String(row['dataset']) as DatasetName,
    revisions: Number(row['revisions']),
    rejected: Number(row['rejected']),
  };
}
