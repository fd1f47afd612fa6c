import { waitingTypes } from '../agent/event.ts';

/** The events with their own series; any other is counted as `other`. */
export const knownEvents = [
  'Notification',
  'Stop',
  'SubagentStop',
  'SessionStart',
  'SessionEnd',
  'UserPromptSubmit',
  'PreToolUse',
  'PostToolUse',
  'PreCompact',
] as const;

/** Why a session ends; any other reason, or none, is counted as `other`. */
export const knownReasons = ['clear', 'logout', 'prompt_input_exit', 'error', 'other'] as const;

/** The types of notifications that wait for a human; `unknown` if a notification has none. */
export const waitTypes = [...waitingTypes, 'unknown'] as const;

export type WaitType = (typeof waitTypes)[number];

export const OTHER = 'other';

/**
 * Why events are rejected. `invalid`, `too_old`: single events. The others are whole requests, each counted once, whose
 * events were not inspected.
 */
export const rejections = [
  'invalid',
  'too_old',
  'malformed',
  'too_large',
  'unauthorized',
  'throttled',
  'unavailable',
] as const;

export type Rejection = (typeof rejections)[number];

/** The `event` label of an event of that name. */
export function eventLabel(name: string): string {
  return knownEvents.find((known) => known === name) ?? OTHER;
}

/** The `reason` label of a session's end. */
export function reasonLabel(reason: string | undefined): string {
  return knownReasons.find((known) => known === reason) ?? OTHER;
}

/** The `notification_type` label of a wait that begins with a notification of this type. */
export function waitTypeLabel(type: string | undefined): WaitType {
  return waitTypes.find((known) => known === type) ?? 'unknown';
}
