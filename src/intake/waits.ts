import type { Instant } from '../catalog/day.ts';
import type { Query } from '../store/database.ts';
import { sendRows } from '../store/database.ts';
import type { WaitType } from './labels.ts';

/** Upper bounds of the lengths of waits, in seconds. The last is the longest wait that is told apart. */
export const WAIT_BOUNDS = [1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600] as const;

const LONGEST_MS = 3_600_000;
const BOUND_OF_MS = WAIT_BOUNDS.map((bound) => `WHEN ms <= ${bound * 1000} THEN ${bound}`).join(' ');
const PUT_WAITS = 'INSERT INTO S.hook_wait AS old (type, bound, count, ms)';
/** How much later than the event that ended its wait a notification may arrive. */
const LATE_MS = 600_000;
/** The most moments that one counting removes: more than senders add in between, and few enough to take no noticeable time. */
const FORGOTTEN_AT_ONCE = 30_000;

/** An event of a session, by the sender's clock; a wait begins with it if it has a type. */
export interface Moment {
  readonly session: string;
  readonly at: Instant;
  readonly type: WaitType | undefined;
}

/** The waits of one type whose lengths are in one bucket. */
export interface WaitCount {
  readonly type: string;
  /** The upper bound of the bucket, in seconds. */
  readonly bound: number;
  readonly count: number;
  /** The sum of their lengths. */
  readonly ms: number;
}

/** Stores the moments of new events that have arrived by now. */
export async function addMoments(query: Query, moments: readonly Moment[], now: Instant): Promise<void> {
  await sendRows(
    query,
    // A counted wait does not change any more.
    `INSERT INTO S.hook_moment AS old (session, at, type, waiting, due) VALUES ROWS ON CONFLICT (session, at) DO UPDATE
     SET type = excluded.type, waiting = 1, due = excluded.due
     WHERE excluded.waiting = 1 AND (old.type = '' OR (old.waiting = 1 AND excluded.type < old.type))`,
    moments.map(({ session, at, type = '' }) => [session, at, type, type === '' ? 0 : 1, now + LONGEST_MS]),
  );
}

/** Whether there are waits to count or moments to forget by now, or the clock has been set back since they were added. */
export async function hasDue(query: Query, now: Instant): Promise<boolean> {
  const due = await query(
    `SELECT 1 AS one FROM S.hook_moment WHERE (waiting = 1 AND due <= $1) OR (waiting = 0 AND due <= $2)
     OR (waiting IN (0, 1) AND due > $3) LIMIT 1`,
    [now, now - LATE_MS, now + LONGEST_MS],
  );
  return due.length > 0;
}

/**
 * Counts the waits that cannot change any more: an hour after their notifications arrived. One without a later event lasts the
 * longest time. Each is counted once, whichever
 * process does, because its transaction also notes it. Then forgets moments that no later notification can belong to, and those
 * of events whose ids were forgotten.
 */
export async function countWaits(query: Query, now: Instant, forgotten: Instant): Promise<void> {
  // Both values by name, for the index.
  await query('UPDATE S.hook_moment SET due = $1 WHERE waiting IN (0, 1) AND due > $1', [now + LONGEST_MS]);
  await query(
    // Materialized, because each mention of a length would otherwise look for the end of the wait again.
    `${PUT_WAITS}
     WITH waits AS MATERIALIZED (
       SELECT type, (
         SELECT min(next.at) FROM S.hook_moment AS next WHERE next.session = began.session AND next.at > began.at
       ) - at AS ms FROM S.hook_moment AS began WHERE waiting = 1 AND due <= $1
     )
     SELECT type, CASE ${BOUND_OF_MS} END AS bound, count(*), sum(ms) FROM (
       SELECT type, CASE WHEN ms < ${LONGEST_MS} THEN ms ELSE ${LONGEST_MS} END AS ms FROM waits
     ) AS lengths WHERE true GROUP BY type, bound
     ON CONFLICT (type, bound) DO UPDATE SET count = old.count + excluded.count, ms = old.ms + excluded.ms`,
    [now],
  );
  await query('UPDATE S.hook_moment SET waiting = 0 WHERE waiting = 1 AND due <= $1', [now]);
  await query(
    `DELETE FROM S.hook_moment WHERE (session, at) IN (
       SELECT session, at FROM S.hook_moment WHERE waiting = 0 AND due <= $1 ORDER BY due LIMIT ${FORGOTTEN_AT_ONCE}
     )`,
    [Math.max(now - LATE_MS, forgotten + LONGEST_MS)],
  );
}

/** Raises stored counts to these counts; higher stored counts stay. */
export async function raiseWaits(query: Query, waits: readonly WaitCount[]): Promise<void> {
  await sendRows(
    query,
    `${PUT_WAITS} VALUES ROWS ON CONFLICT (type, bound) DO UPDATE SET count = excluded.count, ms = excluded.ms
     WHERE excluded.count > old.count`,
    waits.map(({ type, bound, count, ms }) => [type, bound, count, ms]),
  );
}
