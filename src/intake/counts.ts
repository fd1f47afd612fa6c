import type { Instant } from '../catalog/day.ts';
import type { HookEvent } from './event.ts';
import type { Moment, WaitCount } from './waits.ts';

/** The number of events of one name, and the time of the newest. */
interface EventCount {
  readonly count: number;
  readonly lastAt: Instant;
}

/** The newest known event of a session. */
interface SessionState {
  /** The time of the event: by the sender's clock, or its arrival if that is earlier. Older events do not change the entry. */
  readonly at: Instant;
  /** Whether the event means that the session waits for a human. */
  readonly waiting: boolean;
  /** When the session is forgotten. */
  readonly until: Instant;
}

/** The counts that new events add. */
export interface Additions {
  readonly events: ReadonlyMap<string, EventCount>;
  readonly ends: ReadonlyMap<string, number>;
  readonly sessions: ReadonlyMap<string, SessionState>;
  /** One for each instant of a session, whatever the order of events. */
  readonly moments: readonly Moment[];
}

/** Everything counted. */
export interface Counts extends Pick<Additions, 'events' | 'ends'> {
  /** When each waiting session is forgotten. */
  readonly waitingUntil: readonly Instant[];
  /** The waits that have been counted. */
  readonly waits: readonly WaitCount[];
}

/** A waiting session is forgotten after this time, in milliseconds. */
const FORGOTTEN_MS = 3_600_000;

/** Adds up new events that arrived by an instant, in order of arrival. */
export function additionsOf(fresh: readonly HookEvent[], now: Instant): Additions {
  const events = new Map<string, EventCount>();
  const ends = new Map<string, number>();
  const sessions = new Map<string, SessionState>();
  const moments = new Map<string, Moment>();
  for (const { event, reason, session, waiting, at } of fresh) {
    // A sender's clock may be ahead, but an event in the future could not be followed by one that ends its wait.
    const happened = Math.min(at, now);
    const before = events.get(event);
    events.set(event, {
      count: (before?.count ?? 0) + 1,
      lastAt: Math.max(before?.lastAt ?? 0, happened),
    });
    if (reason !== undefined) ends.set(reason, (ends.get(reason) ?? 0) + 1);
    if (session === undefined) continue;
    const moment = `${session} ${at}`;
    const type = moments.get(moment)?.type;
    if (type === undefined || (waiting !== undefined && waiting < type))
      moments.set(moment, { session, at, type: waiting });
    const until = happened + FORGOTTEN_MS;
    const known = sessions.get(session);
    if (until > now && (known === undefined || known.at <= happened))
      sessions.set(session, { at: happened, waiting: waiting !== undefined, until });
  }
  return { events, ends, sessions, moments: [...moments.values()] };
}

/** Number of sessions that are waiting at an instant. */
export function waitingAt(waitingUntil: readonly Instant[], now: Instant): number {
  // A wait that ends later than possible was started by a clock that has been set back since.
  return waitingUntil.filter((until) => until > now && until <= now + FORGOTTEN_MS).length;
}
