import type { Instant } from '../../catalog/day.ts';
import type { Query, Row } from '../../store/database.ts';
import { sendRows } from '../../store/send-rows.ts';
import type { WaitType } from './labels.ts';

/** Upper bounds of the lengths of waits, in seconds. The last is the longest wait that is told apart. */
export const WAIT_BOUNDS = [1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600] as const;

const LONGEST_MS = 3_600_000;
/** How much later than the event that ended its wait a notification may arrive. */
const LATE_MS = 600_000;
/** More than senders add between two countings, and few enough to take no noticeable time. */
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

/** One moment for each instant of a session, whatever the order of events. */
export function momentsOf(events: Iterable<Moment>): readonly Moment[] {
  const moments = new Map<string, Moment>();
  for (const event of events) {
    const key = `${event.session} ${event.at}`;
    const known = moments.get(key)?.type;
    if (known === undefined || (event.type !== undefined && event.type < known)) moments.set(key, event);
  }
  return [...moments.values()];
}

/** Stores the moments of new events that have arrived by now. */
export async function addMoments(query: Query, moments: readonly Moment[], now: Instant): Promise<void> {
  await sendRows(
    query,
    // A wait that was counted stays as it is.
    `INSERT INTO S.hook_moment AS old (session, at, type, waiting, due) VALUES ROWS ON CONFLICT (session, at) DO UPDATE
     SET type = excluded.type, waiting = 1, due = excluded.due
     WHERE excluded.waiting = 1 AND (old.type = '' OR (old.waiting = 1 AND excluded.type < old.type))`,
    moments.map(({ session, at, type = '' }) => [session, at, type, type === '' ? 0 : 1, now + LONGEST_MS]),
  );
}

/** For a query of counts: when the first wait is to be counted, and the first moment to be forgotten. */
export const DUE = `SELECT 'due', NULL, NULL, min(due), NULL FROM S.hook_moment WHERE waiting = 1
     UNION ALL SELECT 'due', NULL, NULL, min(due) + ${LATE_MS}, NULL FROM S.hook_moment WHERE waiting = 0`;

/** The earlier of both; undefined if there is nothing to do. */
export function dueIn(rows: readonly Row[]): Instant | undefined {
  const found = rows.map((row) => Number(row['at'])).filter((at) => at > 0);
  return found.length === 0 ? undefined : Math.min(...found);
}

/** Whether there is something to do by now, or the clock has been set back since it was due. */
export function isDue(due: Instant | undefined, now: Instant): boolean {
  return due !== undefined && (due <= now || due > now + 2 * LONGEST_MS);
}

/**
 * Counts the waits that cannot change any more: an hour after their notifications arrived. Each is counted once, whichever
 * process does, because its transaction also notes it. Then forgets moments that no later notification can belong to, and those
 * of events whose ids were forgotten.
 */
export async function countWaits(query: Query, now: Instant, forgotten: Instant): Promise<void> {
  for (const waiting of [0, 1]) {
    await query('UPDATE S.hook_moment SET due = $1 WHERE waiting = $2 AND due > $1', [
      now + LONGEST_MS,
      waiting,
    ]);
  }
  const rows = await query(
    `SELECT began.type, began.at, (
       SELECT min(next.at) FROM S.hook_moment AS next WHERE next.session = began.session AND next.at > began.at
     ) AS ended FROM S.hook_moment AS began WHERE began.waiting = 1 AND began.due <= $1`,
    [now],
  );
  await query('UPDATE S.hook_moment SET waiting = 0 WHERE waiting = 1 AND due <= $1', [now]);
  const counts = new Map<string, WaitCount>();
  for (const row of rows) {
    const { type, bound, ms } = lengthOf(row);
    const known = counts.get(`${type} ${bound}`);
    counts.set(`${type} ${bound}`, {
      ...{ type, bound },
      count: (known?.count ?? 0) + 1,
      ms: (known?.ms ?? 0) + ms,
    });
  }
  await putWaits(query, [...counts.values()], (column) => `old.${column} + excluded.${column}`);
  await query(
    `DELETE FROM S.hook_moment WHERE (session, at) IN (
       SELECT session, at FROM S.hook_moment WHERE waiting = 0 AND due <= $1 ORDER BY due LIMIT ${FORGOTTEN_AT_ONCE}
     )`,
    [Math.max(now - LATE_MS, forgotten + LONGEST_MS)],
  );
}

/** A session without a later event waits for the longest time. */
function lengthOf(row: Row): Omit<WaitCount, 'count'> {
  const ended = row['ended'];
  const length = typeof ended === 'number' ? ended - Number(row['at']) : LONGEST_MS;
  const ms = Math.min(length, LONGEST_MS);
  const bound = WAIT_BOUNDS.find((seconds) => ms <= seconds * 1000) ?? Number.NaN;
  return { type: String(row['type']), bound, ms };
}

/** Stores counts where fewer are stored. */
export async function raiseWaits(query: Query, waits: readonly WaitCount[]): Promise<void> {
  await putWaits(
    query,
    waits,
    (column) => `CASE WHEN excluded.${column} > old.${column} THEN excluded.${column} ELSE old.${column} END`,
  );
}

async function putWaits(
  query: Query,
  waits: readonly WaitCount[],
  merged: (column: string) => string,
): Promise<void> {
  await sendRows(
    query,
    `INSERT INTO S.hook_wait AS old (type, bound, count, ms) VALUES ROWS ON CONFLICT (type, bound) DO UPDATE
     SET count = ${merged('count')}, ms = ${merged('ms')}`,
    waits.map(({ type, bound, count, ms }) => [type, bound, count, ms]),
  );
}
