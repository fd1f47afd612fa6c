import {
  addDays,
  DAY_MS,
  type Day,
  dayOf,
  daysBetween,
  doubtedSince,
  earlier,
  type Instant,
  later,
  parseDay,
  yesterdayOf,
} from '../catalog/day.ts';
import type { Slices } from '../work/slices.ts';
import type { Query, Row, Value } from './database.ts';
import { IN_PLACE } from './statements.ts';
import type { Retention } from './store.ts';

/** Maximum number of days and documents that one sweep removes: the next sweep is a minute away. */
export const MAX_SWEPT = 1000;

/** The reference day of the last sweep. */
interface SweepMark {
  readonly day: Day;
  /** Since when the next reference day has been implausibly far from `day`; sweeps wait until that is confirmed. */
  readonly doubtedSince?: Instant | undefined;
}

/** The plan of one sweep. */
interface SweepPlan {
  /** Days before this one are old; undefined if nothing may be removed yet. */
  readonly firstDay: Day | undefined;
  readonly mark: SweepMark;
}

/**
 * Decides what is old. Retention counts from the earlier of yesterday and the newest known day, so that no clock can
 * empty a store; a step of more than a month since the last sweep must be confirmed a day later.
 */
export function planSweep(
  newestKnown: Day,
  { days, now }: { readonly days: number; readonly now: Instant },
  last: SweepMark | undefined,
): SweepPlan {
  const yesterday = yesterdayOf(now);
  const reference = earlier(newestKnown, yesterday);
  if (last !== undefined) {
    const doubted = doubtedSince(daysBetween(last.day, reference) * DAY_MS, last.doubtedSince, now);
    if (doubted !== undefined) return { firstDay: undefined, mark: { day: last.day, doubtedSince: doubted } };
  }
  const day = last === undefined ? reference : later(last.day, reference);
  return { firstDay: addDays(reference, 1 - days), mark: { day } };
}

/** Removes old days and documents, a bounded number per call, within the caller's transaction. */
export async function removeOld(query: Query, { days, now, orgs }: Retention, slices: Slices): Promise<void> {
  // Over all organizations.
  const [row] = await query('SELECT day FROM S.day WHERE data IS NOT NULL ORDER BY day DESC LIMIT 1');
  const newest = parseDay(String(row?.['day']));
  if (newest === undefined) return;
  const { firstDay, mark } = planSweep(newest, { days, now }, await readMark(query));
  await putMark(query, mark);
  if (firstDay !== undefined) await removeBefore(query, firstDay, new Set(orgs), slices);
}

/** Reads the reference day of the last sweep. */
async function readMark(query: Query): Promise<SweepMark | undefined> {
  const [row] = await query('SELECT day, doubted_since FROM S.sweep');
  const day = parseDay(String(row?.['day']));
  const since = row?.['doubted_since'];
  return day && { day, doubtedSince: typeof since === 'number' ? since : undefined };
}

/** Stores the reference day of a sweep. */
async function putMark(query: Query, { day, doubtedSince }: SweepMark): Promise<void> {
  await query(
    `INSERT INTO S.sweep AS old (single, day, doubted_since) VALUES (1, $1, $2)
     ON CONFLICT (single) DO UPDATE SET day = excluded.day, doubted_since = excluded.doubted_since
     WHERE old.day IS DISTINCT FROM excluded.day OR old.doubted_since IS DISTINCT FROM excluded.doubted_since`,
    [day, doubtedSince ?? null],
  );
}

/**
 * Removes a bounded number of days before one, oldest first. The newest row of each dataset of a polled organization stays; of
 * others, what was not answered since goes, too.
 */
async function removeBefore(query: Query, firstDay: Day, polled: Set<string>, slices: Slices): Promise<void> {
  const old = await query(
    `SELECT org, former, dataset, day FROM S.day AS old WHERE day < $1 AND day <> coalesce((
       SELECT max(day) FROM S.day AS now WHERE now.org = old.org AND now.former = old.former
       AND now.dataset = old.dataset AND now.data IS NOT NULL
     ), '') ORDER BY day LIMIT ${MAX_SWEPT}`,
    [firstDay],
  );
  await removeDays(query, old, slices);
  const places = await query('SELECT org, former, dataset, answered_at FROM S.dataset');
  for (const place of places) {
    if (place['former'] === '' && polled.has(String(place['org']))) continue;
    if (dayOf(Number(place['answered_at'])) >= firstDay) continue;
    await slices.next();
    await removeForgotten(query, [place['org'], place['former'], place['dataset']].map(String), firstDay);
  }
  await query(
    `DELETE FROM S.org AS gone WHERE former <> '' AND NOT EXISTS (
       SELECT 1 FROM S.dataset AS kept WHERE kept.org = gone.org AND kept.former = gone.former
     )`,
  );
}

async function removeDays(query: Query, days: readonly Row[], slices: Slices): Promise<void> {
  const touched = new Map<string, readonly Value[]>();
  for (const { org = '', former = '', dataset = '', day = '' } of days) {
    await slices.next();
    const place = [org, former, dataset];
    touched.set(JSON.stringify(place), place);
    await query(`DELETE FROM S.day ${IN_PLACE} AND day = $4`, [...place, day]);
  }
  for (const place of touched.values())
    await query(`UPDATE S.dataset SET revision = revision + 1 ${IN_PLACE}`, place);
}

/** Removes a dataset that nobody polls once all its days are old. Its documents are as old as their listing. */
async function removeForgotten(query: Query, place: readonly string[], firstDay: Day): Promise<void> {
  const [kept] = await query(`SELECT 1 AS one FROM S.day ${IN_PLACE} AND day >= $4 LIMIT 1`, [
    ...place,
    firstDay,
  ]);
  if (kept !== undefined) return;
  for (const table of ['day', 'document', 'observed', 'dataset'])
    await query(`DELETE FROM S.${table} ${IN_PLACE}`, place);
}
