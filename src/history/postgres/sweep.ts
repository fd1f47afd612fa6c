import { type Day, type Instant, parseDay } from '../../catalog/day.ts';
import { planSweep } from '../retention.ts';
import type { Query } from './database.ts';
import { msOf } from './values.ts';

/** Plans a sweep: the first day that is kept; undefined while nothing may be removed. */
export async function firstKeptDay(
  query: Query,
  schema: string,
  retention: { readonly days: number; readonly now: Instant },
): Promise<Day | undefined> {
  const [newest] = await query(`SELECT max(day)::text AS day FROM ${schema}.day WHERE data IS NOT NULL`);
  const newestDay = parseDay(String(newest?.['day']));
  if (newestDay === undefined) return undefined;
  const [row] = await query(`SELECT day::text, ${msOf('doubted_since')} FROM ${schema}.sweep FOR UPDATE`);
  const day = parseDay(String(row?.['day']));
  const since = row?.['doubted_since'];
  const mark = day && { day, doubtedSince: typeof since === 'number' ? since : undefined };
  const plan = planSweep(newestDay, retention, mark);
  await query(
    `INSERT INTO ${schema}.sweep VALUES (true, $1, to_timestamp($2::float8 / 1000))
     ON CONFLICT (single) DO UPDATE SET day = excluded.day, doubted_since = excluded.doubted_since`,
    [plan.mark.day, plan.mark.doubtedSince ?? null],
  );
  return plan.firstDay;
}
