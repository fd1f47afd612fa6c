import type { DatabaseSync } from 'node:sqlite';
import type { Instant } from '../../../catalog/day.ts';
import type { Changes, EventTally, SessionState, Tally } from '../counts.ts';

/** The tables of hook events in terms of the intake; the caller handles transactions. */
export interface HookTables {
  read(): Tally;
  /** Remembers an id; false if it is known already. */
  remember(id: string, at: Instant): boolean;
  write(changes: Changes): void;
  /**
   * Forgets ids that arrived before an instant, and the oldest beyond `most`; at most `limit` ids, so that no commit
   * takes long.
   */
  forget(before: Instant, most: number, limit: number): void;
  /** The reference instant of ages, and since when a later one is in doubt; undefined before the first commit. */
  ageing(): Ageing | undefined;
  putAgeing(ageing: Ageing): void;
  /** The newest arrival that was forgotten; 0 if there is none. */
  forgotten(): Instant;
}

/** Prepares the statements. */
export function createHookTables(db: DatabaseSync): HookTables {
  const insertSeen = db.prepare('INSERT INTO seen (id, at) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const putEvent = db.prepare('INSERT OR REPLACE INTO event (name, count, last_at) VALUES (?, ?, ?)');
  const putEnd = db.prepare('INSERT OR REPLACE INTO session_end (reason, count) VALUES (?, ?)');
  const putSession = db.prepare(
    'INSERT OR REPLACE INTO session (id, at, waiting, until) VALUES (?, ?, ?, ?)',
  );
  const noSession = db.prepare('DELETE FROM session WHERE id = ?');
  // Arrivals have gaps only at the old end.
  const span = db.prepare('SELECT min(arrival) AS first, max(arrival) AS last FROM seen');
  const oldest = db.prepare('SELECT arrival, at FROM seen ORDER BY arrival LIMIT ?');
  const forgetUpTo = db.prepare('DELETE FROM seen WHERE arrival <= ?');
  const getAgeing = db.prepare('SELECT at, doubted_since FROM ageing');
  const putAgeing = db.prepare('INSERT OR REPLACE INTO ageing (only, at, doubted_since) VALUES (1, ?, ?)');
  const putForgotten = db.prepare('UPDATE forgotten SET at = max(at, ?)');
  const getForgotten = db.prepare('SELECT at FROM forgotten');

  return {
    read: () => ({ events: readEvents(db), ends: readEnds(db), sessions: readSessions(db) }),
    remember: (id, at) => insertSeen.run(id, at).changes === 1,
    write({ events, ends, sessions }) {
      for (const [name, { count, lastAt }] of events) putEvent.run(name, count, lastAt);
      for (const [reason, count] of ends) putEnd.run(reason, count);
      for (const [id, state] of sessions) {
        if (state === undefined) noSession.run(id);
        else putSession.run(id, state.at, state.waiting ? 1 : 0, state.until);
      }
    },
    forget(before, most, limit) {
      const { first, last } = span.get() ?? {};
      if (typeof first !== 'number' || typeof last !== 'number') return;
      const keptFrom = last - most + 1;
      let upTo = first - 1;
      let early = 0;
      for (const { arrival, at } of oldest.iterate(limit)) {
        const isOld = Number(at) < before;
        if (!isOld && Number(arrival) >= keptFrom) break;
        // Includes old ids: they must not be counted again if the clock goes back.
        early = Math.max(early, Number(at));
        upTo = Number(arrival);
      }
      if (upTo >= first) forgetUpTo.run(upTo);
      if (early > 0) putForgotten.run(early);
    },
    ageing() {
      const row = getAgeing.get();
      if (row === undefined) return undefined;
      const since = row['doubted_since'];
      return { at: Number(row['at']), doubtedSince: typeof since === 'number' ? since : undefined };
    },
    putAgeing: ({ at, doubtedSince = null }) => void putAgeing.run(at, doubtedSince),
    forgotten: () => Number(getForgotten.get()?.['at'] ?? 0),
  };
}

function readEvents(db: DatabaseSync): ReadonlyMap<string, EventTally> {
  const rows = db.prepare('SELECT name, count, last_at FROM event').all();
  return new Map(
    rows.map((row) => [String(row['name']), { count: Number(row['count']), lastAt: Number(row['last_at']) }]),
  );
}

function readEnds(db: DatabaseSync): ReadonlyMap<string, number> {
  const rows = db.prepare('SELECT reason, count FROM session_end').all();
  return new Map(rows.map((row) => [String(row['reason']), Number(row['count'])]));
}

function readSessions(db: DatabaseSync): ReadonlyMap<string, SessionState> {
  const rows = db.prepare('SELECT id, at, waiting, until FROM session ORDER BY until').all();
  return new Map(
    rows.map((row) => [
      String(row['id']),
      { at: Number(row['at']), waiting: row['waiting'] === 1, until: Number(row['until']) },
    ]),
  );
}

const DAY_MS = 24 * 3_600_000;

/** A longer step since the last commit is more likely a wrong clock than a long absence. */
const MAX_STEP_MS = 31 * DAY_MS;

/** The last reference instant of ages, and since when a later one is in doubt. */
export interface Ageing {
  readonly at: Instant;
  readonly doubtedSince?: Instant | undefined;
}

/**
 * The instant from which the age of ids counts: a clock step of more than a month is accepted a day later, because
 * forgotten events would be counted again.
 */
export function nextAgeing(last: Ageing | undefined, now: Instant): Ageing {
  if (last === undefined || now - last.at <= MAX_STEP_MS) return { at: Math.max(last?.at ?? now, now) };
  const { doubtedSince = now } = last;
  const since = Math.min(doubtedSince, now);
  return now - since >= DAY_MS ? { at: now } : { at: last.at, doubtedSince: since };
}
