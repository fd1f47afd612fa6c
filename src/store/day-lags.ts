import { addDays, type Day, dayOf, endOf, type Instant, yesterdayOf } from '../catalog/day.ts';
import { type DayLag, LAG_BOUNDS } from '../catalog/day-lag.ts';
import type { Query, Value } from './database.ts';
import { sendRows } from './send-rows.ts';
import type { Place } from './statements.ts';
import type { AnsweredDays, LagNotes } from './store.ts';

/** Stands for the bound of what is above all of them. */
const ABOVE = 0;
/** Days before the newest are compared once a day; in milliseconds, with some time for a run that failed. */
const DAILY_MS = 26 * 3_600_000;
/** How many days are remembered that are no longer compared: a day of which the row was damaged and fetched again is not a new one. */
const REMEMBERED_DAYS = 14;

const OF_PLACE = 'org = $1 AND former = $2 AND dataset = $3';

/** A day that was seen for the first time as the newest. */
interface Followed {
  readonly day: Day;
  /** When its row last changed; undefined if that is no longer to be found out. */
  readonly changedAt: Instant | undefined;
  readonly comparedAt: Instant;
}

/**
 * Follows the days of an answer, in the transaction that stores their rows: so each is counted once, whichever process stores
 * it. Resolves with the counts if they have changed.
 */
export async function followDays(
  query: Query,
  { org, former, dataset }: Place,
  { rows, at }: Pick<AnsweredDays, 'rows' | 'at'>,
  { notes, revised }: { readonly notes: LagNotes; readonly revised: ReadonlySet<Day> },
): Promise<readonly DayLag[]> {
  const place = [org, former, dataset];
  const { published, comparedDays } = notes;
  const counted: Value[][] = [];
  const count = (kind: DayLag['kind'], ms: number) =>
    counted.push([...place, kind, boundOf(ms / 1000), 1, Math.max(0, ms)]);
  for (const { day, changedAt, comparedAt } of await readFollowed(query, place)) {
    if (!rows.has(day) || changedAt === undefined) continue;
    const isKnown = day === yesterdayOf(at) ? notes.isNextPoll : at - comparedAt <= DAILY_MS;
    const changed = !revised.has(day) ? changedAt : isKnown ? at : undefined;
    const isLast = dayOf(at) >= addDays(day, comparedDays);
    if (isLast && changed !== undefined) count('settled', changed - endOf(day));
    await query(`UPDATE S.day_moment SET changed_at = $5, compared_at = $6 WHERE ${OF_PLACE} AND day = $4`, [
      ...[...place, day, isLast ? null : (changed ?? null), at],
    ]);
  }
  if (published !== undefined) {
    const isCompared = dayOf(at) < addDays(published, comparedDays);
    const added = await query(
      `INSERT INTO S.day_moment (org, former, dataset, day, changed_at, compared_at) VALUES ($1, $2, $3, $4, $5, $6)
       ON CONFLICT DO NOTHING RETURNING 1 AS one`,
      [...place, published, isCompared ? at : null, at],
    );
    if (added.length > 0) count('published', at - endOf(published));
    await query(`DELETE FROM S.day_moment WHERE ${OF_PLACE} AND day < $4`, [
      ...[...place, addDays(published, -comparedDays - REMEMBERED_DAYS)],
    ]);
  }
  if (counted.length === 0) return [];
  for (const row of counted)
    await sendRows(
      query,
      `INSERT INTO S.day_lag AS old (org, former, dataset, kind, bound, count, ms) VALUES ROWS
       ON CONFLICT (org, former, dataset, kind, bound) DO UPDATE SET count = old.count + excluded.count, ms = old.ms + excluded.ms`,
      [row],
    );
  const lags = await readLags(query, org);
  return lags.filter((lag) => lag.dataset === dataset);
}

async function readFollowed(query: Query, place: readonly string[]): Promise<readonly Followed[]> {
  const rows = await query(
    `SELECT day, changed_at, compared_at FROM S.day_moment WHERE ${OF_PLACE} AND changed_at IS NOT NULL`,
    place,
  );
  return rows.map(({ day, changed_at: changedAt, compared_at: comparedAt }) => ({
    day: day as Day,
    changedAt: Number(changedAt),
    comparedAt: Number(comparedAt),
  }));
}

function boundOf(seconds: number): number {
  return LAG_BOUNDS.find((bound) => seconds <= bound) ?? ABOVE;
}

/** Reads the counted lags of the current organization of a name. */
export async function readLags(query: Query, org: string): Promise<readonly DayLag[]> {
  const rows = await query(
    "SELECT dataset, kind, bound, count, ms FROM S.day_lag WHERE org = $1 AND former = ''",
    [org],
  );
  return rows.map(({ dataset, kind, bound, count, ms }) => ({
    dataset: dataset as DayLag['dataset'],
    kind: kind as DayLag['kind'],
    bound: bound === ABOVE ? Number.POSITIVE_INFINITY : Number(bound),
    count: Number(count),
    seconds: Number(ms) / 1000,
  }));
}
