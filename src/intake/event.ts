import { createHash } from 'node:crypto';
import * as z from 'zod';
import { isWaiting, MAX_NAME_LENGTH, MAX_TEXT_LENGTH, notificationTypeOf } from '../agent/event.ts';
import { DAY_MS, type Instant } from '../catalog/day.ts';
import { isObject } from '../catalog/object.ts';
import { attempt } from '../text/errors.ts';
import { eventLabel, type Rejection, reasonLabel, type WaitType, waitTypeLabel } from './labels.ts';

/** The stored part of an event: its identity, what is counted, and only a digest of its session. */
export interface HookEvent {
  /** A digest of the sender's identifier: the same each time the event is sent. */
  readonly id: string;
  /** A known name, or `other`. */
  readonly event: string;
  /** Why the session ended, if it did. */
  readonly reason: string | undefined;
  /** A digest of the session's identifier; undefined if the event names no session. */
  readonly session: string | undefined;
  /** The kind of wait for a human that begins with it; undefined if none does. */
  readonly waiting: WaitType | undefined;
  /** When the event happened by the sender's clock, in milliseconds since the epoch. */
  readonly at: Instant;
}

/** A rejected event; `problem` never repeats what was sent. */
interface RejectedEvent {
  readonly rejection: Extract<Rejection, 'invalid' | 'too_old'>;
  readonly problem: string;
}

/** The arrival of a request, in milliseconds since the epoch. */
interface Arrival {
  readonly now: Instant;
  /** Events from before this time are too old. */
  readonly from: Instant;
  /** When the request was sent, by the sender's clock; undefined if it does not say. */
  readonly sentAt?: Instant | undefined;
}

const DIGEST_BYTES = 16;
/** How far a sender's clock may be ahead, in milliseconds. */
const AHEAD_MS = DAY_MS;
/** The latest time that a `Date` can be, in milliseconds since the epoch. */
const LATEST_MS = 8.64e15;

const ID = 'id must be 1 to 128 characters of A-Z, a-z, 0-9 and . _ : -';
const NAME = 'hook_event_name must be a string of 1 to 128 characters';
const SESSION = 'session_id must be a string of at most 256 characters';
const TIME = 'occurred_at must be a time in Unix milliseconds';

const schema = z.object(
  {
    id: z.string(ID).regex(/^[A-Za-z0-9._:-]{1,128}$/, ID),
    hook_event_name: z.string(NAME).min(1, NAME).max(MAX_NAME_LENGTH, NAME),
    session_id: z.string(SESSION).max(MAX_TEXT_LENGTH, SESSION).nullish(),
    occurred_at: z.number(TIME).positive(TIME).max(LATEST_MS, TIME),
    reason: z.unknown().optional(),
    notification_type: z.unknown().optional(),
  },
  'an event must be an object',
);

/** Maximum number of events per request. */
export const MAX_EVENTS = 1000;

/** The content of a request body. */
type Batch =
  | {
      readonly kind: 'events';
      readonly events: readonly HookEvent[];
      readonly rejected: readonly RejectedEvent[];
    }
  /** `isEmpty`: a list of no events, by which senders ask whether events would be stored. */
  | { readonly kind: 'malformed'; readonly problem: string; readonly isEmpty?: boolean }
  | { readonly kind: 'too-many' };

/** Parses a body: one event, or `{"events": [...]}`. Never throws. */
export function readBatch(text: string, arrival: Arrival): Batch {
  const body = attempt<unknown>(() => JSON.parse(text));
  if (body === undefined) return { kind: 'malformed', problem: 'the body is not JSON' };
  const found = isObject(body) && 'events' in body ? body['events'] : [body];
  if (!isObject(body) || !Array.isArray(found) || found.length === 0) {
    const problem = 'the body must be one event, or an object with an array of events';
    return { kind: 'malformed', problem, isEmpty: Array.isArray(found) && found.length === 0 };
  }
  if (found.length > MAX_EVENTS) return { kind: 'too-many' };
  const events: HookEvent[] = [];
  const rejected: RejectedEvent[] = [];
  for (const one of found) {
    const event = readEvent(one, arrival);
    if ('rejection' in event) rejected.push(event);
    else events.push(event);
  }
  return { kind: 'events', events, rejected };
}

/** Parses one event; unknown members are ignored. */
export function readEvent(value: unknown, arrival: Arrival): HookEvent | RejectedEvent {
  const parsed = schema.safeParse(value);
  if (!parsed.success) return { rejection: 'invalid', problem: parsed.error.issues[0]?.message ?? '' };
  const { hook_event_name: name, session_id: session, reason, notification_type: type } = parsed.data;
  const happenedAt = timeOf(parsed.data.occurred_at, arrival);
  if (happenedAt === undefined) {
    return { rejection: 'too_old', problem: 'occurred_at is too old to know whether the event was counted' };
  }
  const event = eventLabel(name);
  const notificationType = notificationTypeOf(name, type);
  return {
    id: digestOf(parsed.data.id),
    event,
    reason: event === 'SessionEnd' ? reasonLabel(typeof reason === 'string' ? reason : undefined) : undefined,
    session: session ? digestOf(session) : undefined,
    waiting: isWaiting(name, notificationType) ? waitTypeLabel(notificationType) : undefined,
    at: Math.floor(happenedAt),
  };
}

/**
 * When an event happened; undefined if that is too long ago. If the request says when it was sent, that shows how far the sender's
 * clock is off. Otherwise, an event from the future counts from its arrival.
 */
function timeOf(at: Instant, { now, from, sentAt }: Arrival): Instant | undefined {
  const isPlausible = (instant: Instant) => instant >= from && instant <= now + AHEAD_MS;
  if (isPlausible(at)) return at;
  const corrected = sentAt === undefined ? at : at + now - sentAt;
  if (isPlausible(corrected)) return corrected;
  return at > now ? now : undefined;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, DIGEST_BYTES).toString('base64url');
}
