import { type Day, type Instant, parseDay } from '../../catalog/day.ts';
import { planSweep } from '../retention.ts';
import type { Database } from './database.ts';
import { msOf } from './values.ts';

/** After this time without a process that is configured with it, an organization is swept as if it was removed. */
const ABANDONED = '7 days';

/** Plans a sweep: the first day that is kept; undefined while nothing may be removed. */
export async function firstKeptDay(
  { schema, transaction }: Pick<Database, 'schema' | 'transaction'>,
  retention: { readonly days: number; readonly now: Instant },
): Promise<Day | undefined> {
  return transaction(async (query) => {
    const [newest] = await query(`SELECT max(day)::text AS day FROM ${schema}.day WHERE data IS NOT NULL`);
    const newestDay = parseDay(String(newest?.['day']));
    if (newestDay === undefined) return undefined;
    const [row] = await query(`SELECT day::text, ${msOf('doubted_since')} FROM ${schema}.sweep FOR UPDATE`);
    const day = parseDay(String(row?.['day']));
    const since = row?.['doubted_since'];
    const mark = day && { day, doubtedSince: typeof since === 'number' ? since : undefined };
    const plan = planSweep(newestDay, retention, mark);
    await query(`UPDATE ${schema}.sweep SET day = $1, doubted_since = to_timestamp($2::float8 / 1000)`, [
      plan.mark.day,
      plan.mark.doubtedSince ?? null,
    ]);
    return plan.firstDay;
  });
}

/** Records that these organizations are polled, and returns those that no process polls any more. */
export async function abandonedOrgs(
  { schema, transaction }: Pick<Database, 'schema' | 'transaction'>,
  polled: readonly string[],
): Promise<readonly string[]> {
  const rows = await transaction(async (query) => {
    await query(
      `UPDATE ${schema}.org_version SET polled_at = clock_timestamp()
       WHERE org = ANY($1) AND polled_at < clock_timestamp() - interval '1 hour'`,
      [polled],
    );
    return query(
      `SELECT org FROM ${schema}.org_version WHERE polled_at < clock_timestamp() - interval '${ABANDONED}'`,
    );
  });
  return rows.map((row) => String(row['org']));
}
