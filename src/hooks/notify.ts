import path from 'node:path';
import type { Environment } from '../config/process-environment.ts';
import type { Clock } from '../runtime/clock.ts';
import type { HookEvent, SharedEvent } from './event.ts';
import { codeOf } from './files.ts';
import type { HookLog } from './log.ts';
import type { HookPaths } from './paths.ts';
import type { Post, ReadSecret } from './post.ts';
import { applies } from './rules.ts';
import { followSession, type SessionLengths, unknownLengths } from './sessions.ts';
import type { HookSettings } from './settings/settings.ts';

interface NotifyParts {
  readonly paths: HookPaths;
  readonly post: Post;
  readonly secret: ReadSecret;
  readonly clock: Clock;
  readonly log: HookLog;
  readonly platform: NodeJS.Platform;
  readonly environment: Environment;
  readonly soundFile: () => string;
  /** By the clock's `elapsed`. */
  readonly until: number;
}

/** Sends notifications of an event by the channels of the matching rules; a failing channel is logged. */
export async function notify(
  event: HookEvent,
  shared: SharedEvent,
  settings: HookSettings,
  parts: NotifyParts,
): Promise<void> {
  const { clock, log, until } = parts;
  const lengths = settings.needsLengths ? lengthsOf(event, parts) : unknownLengths;
  const rules = settings.rules.filter((rule) => applies(rule, event, lengths, clock.now()));
  if (rules.length === 0) return;
  // Most events match no rule: the channels are loaded only for those that do.
  const [{ deliverAll, deliveriesOf }, { createRunProgram }] = await Promise.all([
    import('./notify/notify.ts'),
    import('./notify/local.ts'),
  ]);
  const timeoutMs = Math.max(1, Math.floor(until - clock.elapsed()));
  const signal = AbortSignal.timeout(timeoutMs);
  const outcomes = await deliverAll(deliveriesOf({ event, shared, lengths, rules, settings }), {
    ...parts,
    run: createRunProgram(signal),
    signal,
    timeoutMs,
  });
  for (const { name, type, problem } of outcomes) {
    if (problem !== undefined) log.error('Notification failed', { channel: name, type, problem });
  }
}

function lengthsOf(event: HookEvent, { paths, clock, log }: NotifyParts): SessionLengths {
  try {
    return followSession(path.join(paths.state, 'sessions'), event, clock.now());
  } catch (error) {
    log.warn('Session lengths unknown', { code: codeOf(error) });
    return unknownLengths;
  }
}
