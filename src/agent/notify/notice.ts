import path from 'node:path';
import type { Environment } from '../../config/process-environment.ts';
import type { Clock } from '../../work/clock.ts';
import { type HookEvent, isWaiting, type SharedEvent } from '../event.ts';
import type { Post, ReadSecret } from '../post.ts';
import type { SessionLengths } from '../sessions.ts';
import type { Channel, ChannelOf, Rule } from '../settings/settings.ts';
import { fill } from '../template.ts';

/** The content of a notification, which each channel formats in its own way. */
export interface Notice {
  readonly title: string;
  readonly text: string;
  readonly event: SharedEvent;
  /** The members of the event that a rule adds. */
  readonly extra: Readonly<Record<string, unknown>>;
}

/** Dependencies of the channels. */
export interface ChannelParts {
  readonly post: Post;
  readonly secret: ReadSecret;
  readonly clock: Clock;
  readonly run: RunProgram;
  readonly platform: NodeJS.Platform;
  readonly environment: Environment;
  /** Aborted at the command's deadline. */
  readonly signal: AbortSignal;
  /** Timeout of an exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** Returns the path of the included sound; the single executable writes the file first. */
  readonly soundFile: () => string;
}

/** Runs a program without a shell; resolves if it exits with 0, otherwise rejects. */
export type RunProgram = (program: string, args: readonly string[]) => Promise<void>;

/** Sends a notice by one kind of channel; rejects with an error whose message contains no secret. */
export type SendBy<Type extends Channel['type']> = (
  channel: ChannelOf<Type>,
  notice: Notice,
  parts: ChannelParts,
) => Promise<void>;

const defaults: Readonly<Record<string, string>> = {
  Notification: 'A session of the agent is waiting for you',
  Stop: 'The agent has finished its task',
  SubagentStop: 'A subagent has finished its task',
  SessionStart: 'A session of the agent has started',
  SessionEnd: 'A session of the agent has ended',
};

/** Title and text of a notice. The default texts reveal nothing about the work. */
export function wordsFor(
  rule: Pick<Rule, 'title' | 'message'>,
  event: HookEvent,
  lengths: SessionLengths,
): { readonly title: string; readonly text: string } {
  const folder = event.cwd?.replaceAll('\\', '/').replace(/\/+$/, '') ?? '';
  const values = {
    ...event.fields,
    project: path.posix.basename(folder),
    session: (event.sessionId ?? '').slice(0, 8),
    session_length: lengthInWords(lengths.sessionMs),
    turn_length: lengthInWords(lengths.turnMs),
  };
  const isNews = event.notificationType !== undefined && !isWaiting(event.name, event.notificationType);
  const known = !isNews && Object.hasOwn(defaults, event.name) ? defaults[event.name] : undefined;
  const reason = event.name === 'SessionEnd' && event.reason !== undefined ? ': {reason}' : '';
  const standard = known === undefined ? 'Event {hook_event_name}' : `${known}${reason}`;
  // Always a single line.
  const title = fill(rule.title ?? 'Coding agent', values)
    .replace(/\s+/g, ' ')
    .slice(0, 200)
    .toWellFormed();
  const text = fill(rule.message ?? standard, values);
  // Chats reject an empty message, and a person would not understand one.
  return { title, text: title === '' && text === '' ? fill(standard, values) : text };
}

function lengthInWords(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.floor(ms / 1000)} s`;
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** A text as it is written where markup is expected. */
export function withEntities(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
