import type { Readable } from 'node:stream';
import type { Environment } from '../config/process-environment.ts';
import type { Clock } from '../runtime/clock.ts';
import { type HookEvent, parseEvent, sharedPart } from './event.ts';
import { forward } from './forward/forward.ts';
import { createForwarding } from './forward/forwarding.ts';
import { readInput } from './input.ts';
import type { HookLog } from './log.ts';
import type { Places } from './places.ts';
import { createPost, proxiesIn } from './post.ts';
import { createSecrets } from './secrets.ts';
import { loadSettings } from './settings/load-settings.ts';
import type { HookSettings } from './settings/settings.ts';

/** What a run is made of. */
export interface HookParts {
  readonly places: Places;
  readonly environment: Environment;
  readonly input: Readable;
  readonly clock: Clock;
  readonly log: HookLog;
  readonly version: string;
  readonly platform: NodeJS.Platform;
  /** The project's own sound. */
  readonly soundFile: string;
  createId(): string;
  /** Told once it is known how long the run may take, in milliseconds of the clock's `elapsed`. */
  onDeadline(deadlineMs: number): void;
}

/** The last part of the time is for ending: nothing goes on in it. */
const reserveMs = 150;

/** Reads one event and does what the settings say about it. What fails is told in the log. */
export async function runHook(parts: HookParts): Promise<void> {
  const { places, clock, log } = parts;
  const { settings, problem } = await loadSettings(places, parts.version);
  if (problem !== undefined) log.error('Settings cannot be used', { problem });
  parts.onDeadline(settings.deadlineMs);
  const until = settings.deadlineMs - Math.min(reserveMs, settings.deadlineMs / 4);
  const event = parseEvent(await readInput(parts.input, Math.max(0, (until - clock.elapsed()) / 2)));
  if ('problem' in event) {
    log.warn('No event', { problem: event.problem });
    return;
  }
  await respond(event, settings, until, parts);
}

async function respond(
  event: HookEvent,
  settings: HookSettings,
  until: number,
  parts: HookParts,
): Promise<void> {
  const { places, environment, clock, log } = parts;
  const shared = sharedPart(event, parts.createId(), clock.now());
  const io = {
    post: createPost(proxiesIn(environment)),
    secret: createSecrets(environment, log.remember),
    clock,
    log,
  };
  await Promise.all([
    settings.forward && forward(createForwarding(settings.forward, places.state, io), shared, until),
    settings.rules.length > 0 && tellPeople(),
  ]);

  // Loaded for those who have rules.
  async function tellPeople(): Promise<void> {
    const { tell } = await import('./tell.ts');
    await tell(event, shared, settings, { ...parts, ...io, until });
  }
}
