import type { Instant } from '../../catalog/day.ts';
import type { HookEvent } from './event.ts';

/** The number of events of one name, and the time of the newest. */
export interface EventTally {
  readonly count: number;
  readonly lastAt: Instant;
}

/** The newest known event of a session. */
export interface SessionState {
  /** By the sender's clock, or the arrival if that is earlier; older events do not change it. */
  readonly at: Instant;
  /** Whether it means that the session waits for a human. */
  readonly waiting: boolean;
  /** When the session is forgotten. */
  readonly until: Instant;
}

/** Everything counted; except for the sessions, the maps are replaced and never changed. */
export interface Tally {
  readonly events: ReadonlyMap<string, EventTally>;
  readonly ends: ReadonlyMap<string, number>;
  readonly sessions: ReadonlyMap<string, SessionState>;
}

/** Changes of a tally: the new counts, and the sessions that change or (undefined) are removed. */
export interface Changes {
  readonly events: ReadonlyMap<string, EventTally>;
  readonly ends: ReadonlyMap<string, number>;
  readonly sessions: ReadonlyMap<string, SessionState | undefined>;
}

/** A waiting session is forgotten after this time, in milliseconds. */
const FORGOTTEN_MS = 3_600_000;

/** Maximum number of sessions; beyond it, those without an event for longest are removed. */
export const MAX_SESSIONS = 50_000;

/** The changes of a tally by new events at an instant, in order of arrival. */
export function absorb(tally: Tally, fresh: readonly HookEvent[], now: Instant): Changes {
  const events = new Map(tally.events);
  const ends = new Map(tally.ends);
  const sessions = new Map<string, SessionState | undefined>();
  for (const { event, reason, session, waiting, at } of fresh) {
    // A clock that is ahead must not put the newest event into the future.
    const happened = Math.min(at, now);
    const before = events.get(event);
    events.set(event, {
      count: (before?.count ?? 0) + 1,
      lastAt: Math.max(before?.lastAt ?? 0, happened),
    });
    if (reason !== undefined) ends.set(reason, (ends.get(reason) ?? 0) + 1);
    const until = happened + FORGOTTEN_MS;
    if (session === undefined || until <= now) continue;
    const known = sessions.get(session) ?? tally.sessions.get(session);
    // The same holds for a session: otherwise no later event could end its wait.
    if (known !== undefined && Math.min(known.at, now) > happened) continue;
    sessions.set(session, { at: happened, waiting, until });
  }
  for (const session of silent(tally.sessions, sessions, now)) sessions.set(session, undefined);
  return { events, ends, sessions };
}

/** A tally after changes. Its sessions are changed in place: there can be many, and each request changes few. */
export function applied(sessions: Map<string, SessionState>, changes: Changes): Tally {
  for (const [session, state] of changes.sessions) {
    // Reinserted, so that the sessions without an event for longest come first.
    sessions.delete(session);
    if (state !== undefined) sessions.set(session, state);
  }
  return { events: changes.events, ends: changes.ends, sessions };
}

/** Number of sessions that are waiting at an instant. */
export function waitingAt(sessions: Iterable<readonly [string, SessionState]>, now: Instant): number {
  let waiting = 0;
  for (const [, { waiting: waits, until }] of sessions) {
    // A wait that ends later than possible was started by a clock that has been set back since.
    if (waits && until > now && until <= now + FORGOTTEN_MS) waiting += 1;
  }
  return waiting;
}

function* silent(
  sessions: ReadonlyMap<string, SessionState>,
  changed: ReadonlyMap<string, SessionState | undefined>,
  now: Instant,
): Iterable<string> {
  let excess = sessions.size + changed.size - MAX_SESSIONS;
  for (const [session, { until }] of sessions) {
    if (until > now && excess <= 0) return;
    if (changed.has(session)) continue;
    excess -= 1;
    yield session;
  }
}
