import type { Database, Query, Row } from './database.ts';
import { storable } from './values.ts';

/** A pause that the platform has requested, of an organization at an address. */
export interface SharedPause {
  readonly org: string;
  /** The base URL of the API: a pause of another platform does not apply. */
  readonly address: string;
  /** What is paused: one endpoint, or the whole organization. */
  readonly scope: string;
  /** How long it lasts from now on, in milliseconds. */
  readonly ms: number;
  /** Why, for those who ask what is paused. */
  readonly reason: string;
  readonly status: number | undefined;
  readonly message: string;
}

/** Stores a pause unless a longer one is stored, for the process that polls the organization next. */
export async function putPause(database: Database, pause: SharedPause): Promise<void> {
  const { org, address, scope, ms, reason, status, message } = pause;
  await database.transaction(
    async (query) => {
      await query(`DELETE FROM ${database.schema}.pause WHERE org = $1 AND until < clock_timestamp()`, [org]);
      await query(
        `INSERT INTO ${database.schema}.pause AS old (org, address, scope, until, reason, status, message)
       VALUES ($1, $2, $3, clock_timestamp() + $4::float8 * interval '1 millisecond', $5, $6, $7)
       ON CONFLICT (org, address, scope) DO UPDATE
       SET until = excluded.until, reason = excluded.reason, status = excluded.status, message = excluded.message
       WHERE old.until < excluded.until`,
        [org, address, scope, ms, reason, status ?? null, storable(message)],
      );
    },
    'write',
    'claim',
  );
}

/** Reads the pauses in force of organizations; `time` is the present time as an SQL expression. */
export async function readPauses(
  query: Query,
  schema: string,
  orgs: readonly string[],
  time: string,
): Promise<readonly SharedPause[]> {
  if (orgs.length === 0) return [];
  const rows = await query(
    `SELECT org, address, scope, extract(epoch FROM until - ${time})::float8 * 1000 AS ms, reason, status, message
     FROM ${schema}.pause WHERE org = ANY($1) AND until > ${time}`,
    [orgs],
  );
  return rows.map(pauseIn);
}

function pauseIn(row: Row): SharedPause {
  const text = (column: string) => String(row[column]);
  return {
    ...{ org: text('org'), address: text('address'), scope: text('scope'), ms: Number(row['ms']) },
    ...{ reason: text('reason'), message: text('message') },
    status: row['status'] === null ? undefined : Number(row['status']),
  };
}
