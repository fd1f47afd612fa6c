import { isObject } from '../catalog/object.ts';
import { attempt } from '../text/errors.ts';

/** A hook event as received on standard input. */
export interface HookEvent {
  readonly name: string;
  readonly sessionId: string | undefined;
  readonly reason: string | undefined;
  /** The type of a `Notification`; undefined if it has none. */
  readonly notificationType: string | undefined;
  readonly cwd: string | undefined;
  /** Every member of the event, private ones too. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The part of an event that is forwarded. */
export interface SharedEvent {
  readonly id: string;
  readonly hook_event_name: string;
  readonly session_id?: string;
  readonly reason?: string;
  readonly notification_type?: string;
  /** Unix milliseconds. */
  readonly occurred_at: number;
}

/** Maximum lengths of forwarded texts, in characters. */
export const MAX_NAME_LENGTH = 128;
export const MAX_TEXT_LENGTH = 256;

/** Why an input is not an event. */
export interface InvalidEvent {
  readonly problem: string;
}

/**
 * Parses the JSON text of an event; unknown events and members are allowed. Of a text that `isCut` off, the members at its
 * beginning count.
 */
export function parseEvent(text: string, isCut = false): HookEvent | InvalidEvent {
  let value: unknown;
  try {
    value = isCut ? firstTexts(text) : JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text);
  } catch {
    return { problem: text.trim() === '' ? 'the input is empty' : 'the input is not JSON' };
  }
  if (!isObject(value)) return { problem: 'the input is not a JSON object' };
  const name = textOf(value['hook_event_name'])?.trim();
  if (name === undefined || name === '') return { problem: 'the input has no hook_event_name' };
  if (name.length > MAX_NAME_LENGTH) return { problem: 'hook_event_name is too long' };
  return {
    name,
    sessionId: textOf(value['session_id']),
    reason: textOf(value['reason']),
    notificationType: notificationTypeOf(name, value['notification_type']),
    cwd: textOf(value['cwd']),
    fields: value,
  };
}

/** The part of an event that is shared: session, name, time, reason and type of notification, nothing about the work itself. */
export function sharedPart(event: HookEvent, id: string, occurredAt: number): SharedEvent {
  return {
    id,
    hook_event_name: event.name,
    ...(event.sessionId === undefined ? {} : { session_id: shortened(event.sessionId) }),
    ...(event.reason === undefined ? {} : { reason: shortened(event.reason) }),
    ...(event.notificationType === undefined ? {} : { notification_type: shortened(event.notificationType) }),
    occurred_at: occurredAt,
  };
}

/** The `notification_type` of a `Notification`; undefined for other events, and where none is given as text. */
export function notificationTypeOf(name: string, type: unknown): string | undefined {
  return name === 'Notification' && type !== '' ? textOf(type) : undefined;
}

/**
 * The types of a `Notification` after which the agent waits for a human. Others, such as `auth_success`, only inform.
 * One without a type comes from an older agent, which notified only to wait.
 */
export const waitingTypes = ['permission_prompt', 'idle_prompt', 'elicitation_dialog'] as const;

/** Whether an event means that its session waits for a human. */
export function isWaiting(name: string, notificationType: string | undefined): boolean {
  if (name !== 'Notification') return false;
  return notificationType === undefined || waitingTypes.some((type) => type === notificationType);
}

/** How much of a text that is cut off is searched, in characters. */
const SEARCHED_LENGTH = 262_144;
const TEXT = /^"(?:[^"\\]|\\.)*"$/s;
// A string always ends, also within an escape: otherwise all ways to divide it would be tried.
const TOKEN = /\s+|"(?:[^"\\]+|\\.?)*(?:"|$)|[{}[\]:,]|[^\s"{}[\]:,]+/gs;

/** The members with texts at the beginning of an object. */
function firstTexts(json: string): Readonly<Record<string, unknown>> {
  const tokens: string[] = [];
  let depth = 0;
  for (const [token] of json.slice(0, SEARCHED_LENGTH).matchAll(TOKEN)) {
    if (token === '}' || token === ']') depth -= 1;
    if (depth === 1 && token.trim() !== '') tokens.push(token);
    if (token === '{' || token === '[') depth += 1;
  }
  const members = tokens.flatMap((token, index) => {
    const [key = '', text = ''] = [tokens[index - 1], tokens[index + 1]];
    return token === ':' && TEXT.test(text) ? [[JSON.parse(key), JSON.parse(text)]] : [];
  });
  return Object.fromEntries(members);
}

/** The object in a JSON text; undefined if there is none. */
export function recordIn(json: string): Readonly<Record<string, unknown>> | undefined {
  const value = attempt<unknown>(() => JSON.parse(json));
  return isObject(value) ? value : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.toWellFormed() : undefined;
}

function shortened(text: string): string {
  return text.slice(0, MAX_TEXT_LENGTH).toWellFormed();
}
