import { attempt } from '../../runtime/errors.ts';
import { isRecord } from '../event.ts';
import { type Arrival, type HookEvent, type RejectedEvent, readEvent } from './event.ts';

/** Maximum number of events per request. */
export const MAX_EVENTS = 1000;

/** The content of a request body. */
type Batch =
  | {
      readonly kind: 'events';
      readonly events: readonly HookEvent[];
      readonly rejected: readonly RejectedEvent[];
    }
  | { readonly kind: 'malformed'; readonly problem: string }
  | { readonly kind: 'too-many' };

/** Parses a body: one event, or `{"events": [...]}`. Never throws. */
export function readBatch(text: string, arrival: Arrival): Batch {
  const body = attempt<unknown>(() => JSON.parse(text));
  if (body === undefined) return { kind: 'malformed', problem: 'the body is not JSON' };
  const found = isRecord(body) && 'events' in body ? body['events'] : [body];
  if (!isRecord(body) || !Array.isArray(found) || found.length === 0) {
    return { kind: 'malformed', problem: 'the body must be one event, or an object with an array of events' };
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
