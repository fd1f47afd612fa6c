import { createHash } from 'node:crypto';
import type { Instant } from '../../catalog/day.ts';
import { isWaiting, notificationTypeOf } from '../event.ts';
import { eventLabel, type Rejection, reasonLabel } from './labels.ts';

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
  /** Whether its session waits for a human from now on. */
  readonly waiting: boolean;
  /** When it happened by the sender's clock, in milliseconds since the epoch. */
  readonly at: Instant;
}

/** A rejected event; `problem` never repeats what was sent. */
export interface RejectedEvent {
  readonly rejection: Extract<Rejection, 'invalid' | 'too_old'>;
  readonly problem: string;
}

/** The accepted range of event times, in milliseconds since the epoch. */
export interface Acceptable {
  readonly from: Instant;
  readonly to: Instant;
}

const ID = /^[A-Za-z0-9._:-]{1,128}$/;
const LONGEST_NAME = 128;
const LONGEST_SESSION = 256;
const DIGEST_BYTES = 16;

/** Parses one event; unknown members are ignored. */
export function readEvent(value: unknown, { from, to }: Acceptable): HookEvent | RejectedEvent {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return invalid('an event must be an object');
  }
  const {
    id,
    hook_event_name: name,
    session_id: session,
    reason,
    notification_type: type,
    occurred_at: at,
  }: Record<string, unknown> = {
    ...value,
  };
  if (typeof id !== 'string' || !ID.test(id)) {
    return invalid('id must be 1 to 128 characters of A-Z, a-z, 0-9 and . _ : -');
  }
  if (typeof name !== 'string' || name === '' || name.length > LONGEST_NAME) {
    return invalid('hook_event_name must be a string of 1 to 128 characters');
  }
  if (session !== undefined && session !== null) {
    if (typeof session !== 'string' || session.length > LONGEST_SESSION) {
      return invalid('session_id must be a string of at most 256 characters');
    }
  }
  if (typeof at !== 'number' || !Number.isFinite(at) || at <= 0) {
    return invalid('occurred_at must be a time in Unix milliseconds');
  }
  if (at > to) return invalid('occurred_at is more than a day ahead of the clock of the exporter');
  if (at < from) {
    return { rejection: 'too_old', problem: 'occurred_at is too old to know whether the event was counted' };
  }
  const event = eventLabel(name);
  return {
    id: digestOf(id),
    event,
    reason: event === 'SessionEnd' ? reasonLabel(typeof reason === 'string' ? reason : undefined) : undefined,
    session: typeof session === 'string' && session !== '' ? digestOf(session) : undefined,
    waiting: isWaiting(name, notificationTypeOf(name, type)),
    at: Math.floor(at),
  };
}

function invalid(problem: string): RejectedEvent {
  return { rejection: 'invalid', problem };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, DIGEST_BYTES).toString('base64url');
}
