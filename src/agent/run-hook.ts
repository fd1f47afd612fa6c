import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Environment } from '../config/process-environment.ts';
import { codeOf, createFolder } from '../files/local-file.ts';
import { proxyIn } from '../net/proxy.ts';
import { attempt } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';
import { type HookEvent, sharedPart } from './event.ts';
import { createForwarding, forward, keepOnDisk, spoolIn } from './forward/forward.ts';
import type { EventInput } from './input.ts';
import type { HookLog } from './log.ts';
import type { HookPaths } from './paths.ts';
import { createPost, createSecrets } from './post.ts';
import { defaultDeadlineMs } from './settings/basics.ts';
import { loadSettings, peekSettings } from './settings/load-settings.ts';

/** Dependencies of a run. */
interface HookParts {
  readonly paths: HookPaths;
  readonly environment: Environment;
  readonly input: EventInput;
  readonly clock: Clock;
  readonly log: HookLog;
  readonly version: string;
  readonly platform: NodeJS.Platform;
  /** The included sound. */
  readonly soundFile: () => string;
  createId(): string;
  /**
   * Called once an event that may be forwarded is on disk, and again once the deadline is known, in milliseconds of the
   * clock's `elapsed`. Nothing must end the run before the first call.
   */
  onDeadline(deadlineMs: number): void;
}

/** The minimum time for reading the input, in milliseconds. Usually it is the deadline without the time to write the event. */
const minInputMs = 250;
const writingMs = 300;
/** Reserved at the end of the deadline for exiting. */
const reserveMs = 150;

/**
 * Reads one event, stores it on disk if it may be forwarded, and processes it according to the settings, unless
 * another run has claimed it. The event is
 * stored before anything else that takes time, regardless of the deadline: a busy machine may spend all of it on
 * starting the process. Failures are logged.
 */
export async function runHook(parts: HookParts): Promise<void> {
  const { paths, clock, log } = parts;
  const known = peekSettings(paths, parts.version);
  const deadlineMs = known.last?.deadlineMs ?? defaultDeadlineMs;
  const inputMs = Math.max(minInputMs, deadlineMs - writingMs - clock.elapsed());
  const event = await parts.input.read(inputMs);
  if ('problem' in event) {
    parts.onDeadline(deadlineMs);
    log.warn('Invalid event', { problem: event.problem });
    return;
  }
  if (!claimEvent(`${paths.state}/events`, event, clock.now())) {
    parts.onDeadline(deadlineMs);
    return;
  }
  const shared = sharedPart(event, parts.createId(), clock.now());
  // Spooled before the settings are read, because they may say to forward the event.
  const mayForward = !known.isCurrent || known.last?.forward !== undefined;
  const spooled = mayForward ? keepOnDisk(spoolIn(paths.state), shared, log) : undefined;
  parts.onDeadline(deadlineMs);
  const { settings, problem } = await loadSettings(paths, parts.version, known);
  if (problem !== undefined) log.error('Invalid settings', { problem });
  parts.onDeadline(settings.deadlineMs);
  if (settings.forward === undefined && spooled !== undefined) {
    // While the settings file is unusable, forwarding may be intended: the event is kept until the file is fixed.
    if (problem === undefined) spoolIn(paths.state).remove([spooled]);
    else spoolIn(paths.state).trim(clock.now());
  }
  const until = settings.deadlineMs - Math.min(reserveMs, settings.deadlineMs / 4);
  const io = {
    post: createPost(proxyIn(parts.environment)),
    secret: createSecrets(parts.environment, log.remember),
    clock,
    log,
  };
  const { forward: to, rules } = settings;
  // Forwarding and notifying are independent: a failure of one must not end the other.
  const ended = await Promise.allSettled([
    to && forward(createForwarding(to, paths.state, io), shared, until, spooled),
    // Loaded only if there are rules.
    rules.length > 0 &&
      import('./notify/notify.ts').then(({ notify }) =>
        notify(event, shared, settings, { ...parts, ...io, until }),
      ),
  ]);
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}

/** The span of a claim, in milliseconds. Longer than a run's deadline: the agent may call its registrations one after another. */
const spanMs = 3000;

/**
 * Claims an event, and returns false if another run has claimed it: several registrations, such as those of the user and of
 * the project, deliver the same event. Equal content in the same session is the same event for 3 to 6 s from `now` (Unix
 * milliseconds). An event that cannot be compared or recorded in `folder` counts as new.
 */
export function claimEvent(folder: string, event: HookEvent, now: number): boolean {
  if (!event.sessionId) return true;
  const content = attempt(() => JSON.stringify(event.fields));
  if (content === undefined) return true;
  const span = Math.floor(now / spanMs);
  const name = checksumOf(content);
  // Each run needs the files of two adjacent spans. Runs in adjacent spans share one of these, so that only one run gets both.
  const isOurs = [span, span + 1].every((each) => isCreated(folder, `${each}-${name}`));
  for (const old of attempt(() => readdirSync(folder)) ?? []) {
    if (Math.abs(Number.parseInt(old, 10) - span) > 2) {
      attempt(() => rmSync(path.join(folder, old), { force: true }));
    }
  }
  return isOurs;
}

/** Creates a file; false if it exists. True if it cannot be created, because an event must not be lost for that reason. */
function isCreated(folder: string, name: string): boolean {
  try {
    createFolder(folder);
    writeFileSync(path.join(folder, name), '', { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    return codeOf(error) !== 'EEXIST';
  }
}

/** A hash of 64 bits and the length. Loading Node's crypto library for a digest would take a tenth of the run. */
function checksumOf(text: string): string {
  let [high, low] = [0x9e3779b9, 0x85ebca6b];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    high = Math.imul(high ^ code, 0x9e3779b1);
    low = Math.imul(low ^ code, 0x5f356495);
    high ^= high >>> 15;
    low ^= low >>> 13;
  }
  return [high, low, text.length].map((part) => (part >>> 0).toString(36)).join('-');
}
