import type { Clock } from '../../runtime/clock.ts';
import type { SharedEvent } from '../event.ts';
import { codeOf, createFolder } from '../files.ts';
import type { HookLog } from '../log.ts';
import { type Post, PostError, type ReadSecret, readToken } from '../post.ts';
import type { ForwardSettings } from '../settings/settings.ts';
import { createLock, createSendingHold, isAlive, type Lock, type SendingHold } from './lock.ts';
import { classifyFailure, classifyResponse, refusedPauseMs, type Verdict } from './response.ts';
import { createSpool, type Spool, type SpoolLimits } from './spool.ts';

export interface ForwardParts {
  readonly settings: ForwardSettings;
  readonly spool: Spool;
  readonly lock: Lock;
  readonly hold: SendingHold;
  readonly post: Post;
  readonly secret: ReadSecret;
  readonly clock: Clock;
  readonly log: HookLog;
}

const maxEvents = 500;
const maxBytes = 524_288;
const lookAgainMs = 10;
/**
 * How long a run waits for another one that is sending, and how long it starts new requests for events that were
 * spooled before.
 */
const startLimitMs = 500;
/** After this many single events in a row that are rejected on the way, a run ends. */
const maxRefusedOnTheWay = 2;

/** An event's name in the spool; undefined if it could not be written. */
export interface SpooledEvent {
  readonly name: string | undefined;
}

/** Spools an event to disk. */
export function keepOnDisk(spool: Spool, event: SharedEvent, log: HookLog): SpooledEvent {
  try {
    return { name: spool.add(event) };
  } catch (error) {
    log.warn('Event cannot be spooled to disk; sending it immediately', { code: codeOf(error) });
    return { name: undefined };
  }
}

/**
 * Sends spooled events, oldest first, for half a second and never longer than `until` (by the clock's `elapsed`). The
 * event is spooled first, unless it already is. Unconfirmed events stay for a later run; an event that is sent twice
 * counts once by its id.
 */
export async function forward(
  parts: ForwardParts,
  event: SharedEvent,
  until: number,
  { name }: SpooledEvent = keepOnDisk(parts.spool, event, parts.log),
): Promise<void> {
  const { spool, clock, log } = parts;
  if (name === undefined) {
    const verdict = await send(parts, [JSON.stringify(event)], until);
    if (verdict.kind !== 'taken') log.error('Event lost', { event: event.hook_event_name });
    return;
  }
  const lost = spool.trim(clock.now());
  if (lost > 0) log.error('Events lost: spool limits exceeded', { events: lost });
  const startUntil = Math.min(until, clock.elapsed() + startLimitMs);
  while (clock.elapsed() < startUntil && !parts.hold.holds(clock.now()) && spool.has(name)) {
    if ((await flush(parts, until, startUntil)) !== 'busy') return;
    // Another process is sending, and will send this event too.
    await clock.wait(lookAgainMs);
  }
}

/**
 * Sends the spooled events until `until`, and starts no request after `startUntil`; `busy` if another process is sending.
 */
export async function flush(
  parts: ForwardParts,
  until: number,
  startUntil = until,
): Promise<'empty' | 'busy' | 'left'> {
  const { lock, clock } = parts;
  const now = clock.now();
  if (!lock.take(now, now + Math.max(0, until - clock.elapsed()) + 1000)) return 'busy';
  try {
    return await sendAll(parts, until, startUntil);
  } finally {
    lock.release();
  }
}

/** Sends batch after batch. A rejected batch is halved until the faulty event is isolated. */
async function sendAll(parts: ForwardParts, until: number, startUntil: number): Promise<'empty' | 'left'> {
  const { spool, hold, clock, log } = parts;
  let most = maxEvents;
  let waiting: readonly string[] = [];
  // Unread, or rejected on the way: they stay on disk, and the others must not wait for them.
  const left = new Set<string>();
  let refusedInARow = 0;
  while (clock.elapsed() < startUntil) {
    if (waiting.length === 0) waiting = spool.names().filter((name) => !left.has(name));
    if (waiting.length === 0) return left.size === 0 ? 'empty' : 'left';
    const { names, texts, unread, passed } = nextBatch(parts, waiting, most);
    for (const name of unread) left.add(name);
    const outcome: Outcome = texts.length === 0 ? { kind: 'done' } : await sendBatch(parts, texts, until);
    if (outcome.kind === 'later') return 'left';
    if (outcome.kind === 'halve') {
      most = Math.ceil(texts.length / 2);
      continue;
    }
    waiting = waiting.slice(passed);
    if (outcome.kind === 'done') {
      spool.remove(names);
      most = Math.min(maxEvents, most * 2);
      if (texts.length > 0) refusedInARow = 0;
      continue;
    }
    for (const name of names) left.add(name);
    refusedInARow += 1;
    if (refusedInARow < maxRefusedOnTheWay) continue;
    log.warn('Events stay on disk: rejected on the way to the exporter', { why: outcome.why });
    hold.begin(clock.now() + refusedPauseMs);
    return 'left';
  }
  return spool.names().length === 0 ? 'empty' : 'left';
}

interface Batch {
  /** The events, and those that another process has removed meanwhile. */
  readonly names: readonly string[];
  readonly texts: readonly string[];
  /** Those that the system cannot read now. */
  readonly unread: readonly string[];
  /** Number of processed names, including damaged ones. */
  readonly passed: number;
}

function nextBatch({ spool, log }: ForwardParts, waiting: readonly string[], most: number): Batch {
  const names: string[] = [];
  const texts: string[] = [];
  const unread: string[] = [];
  let bytes = 0;
  let passed = 0;
  let damaged = 0;
  for (const name of waiting) {
    const found = spool.read(name);
    passed += 1;
    if (found.kind === 'damaged') {
      spool.setAside(name);
      damaged += 1;
      continue;
    }
    if (found.kind === 'unread') {
      unread.push(name);
      continue;
    }
    names.push(name);
    if (found.kind === 'gone') continue;
    texts.push(found.text);
    bytes += found.text.length;
    if (texts.length === most || bytes >= maxBytes) break;
  }
  if (damaged > 0) {
    log.error('Events lost: damaged files were set aside', { events: damaged });
  }
  if (unread.length > 0)
    log.warn('Events stay on disk: their files cannot be read', { events: unread.length });
  return { names, texts, unread, passed };
}

/** `done`: the events can be removed; `kept`: a single event that was rejected on the way. */
type Outcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'halve' }
  | { readonly kind: 'later' }
  | { readonly kind: 'kept'; readonly why: string };

async function sendBatch(parts: ForwardParts, texts: readonly string[], until: number): Promise<Outcome> {
  const { hold, clock, log } = parts;
  const verdict = await send(parts, texts, until);
  switch (verdict.kind) {
    case 'later':
      log.warn('Events stay on disk: the exporter did not accept them', { why: verdict.why });
      if (verdict.pauseMs > 0) hold.begin(clock.now() + verdict.pauseMs);
      return { kind: 'later' };
    case 'refused':
      if (texts.length > 1) return { kind: 'halve' };
      if (!verdict.byIntake) return { kind: 'kept', why: verdict.why };
      log.error('Event lost: rejected by the exporter', { why: verdict.why });
      return { kind: 'done' };
    case 'taken':
      if (verdict.rejected > 0) {
        log.error('Events lost: rejected by the exporter', { events: verdict.rejected });
      }
      return { kind: 'done' };
  }
}

async function send(
  { settings, post, secret, clock }: ForwardParts,
  texts: readonly string[],
  until: number,
): Promise<Verdict> {
  const left = until - clock.elapsed();
  let token: string;
  try {
    token = readToken(settings.token, secret);
  } catch (error) {
    return { kind: 'later', why: error instanceof Error ? error.message : 'no token', pauseMs: 0 };
  }
  try {
    const answer = await post({
      url: settings.url,
      caFile: settings.caFile,
      headers: {
        authorization: `Bearer ${token}`,
        // Tells the exporter about a clock that is off.
        date: new Date(clock.now()).toUTCString(),
      },
      body: texts.length === 1 ? (texts[0] ?? '') : `{"events":[${texts.join(',')}]}`,
      timeoutMs: Math.max(1, Math.floor(Math.min(settings.timeoutMs, left))),
    });
    return classifyResponse(answer, texts.length);
  } catch (error) {
    // Aborted by this run's own deadline, which says nothing about the exporter.
    const cut = error instanceof PostError && error.code === 'ETIMEDOUT' && left < settings.timeoutMs;
    return cut ? { kind: 'later', why: 'the deadline was exceeded', pauseMs: 0 } : classifyFailure(error);
  }
}

// Not imported: importing all members of a built-in module takes longer than using a few of them.
const path = process.getBuiltinModule('node:path');

/** The default limits of the spool. */
const standardLimits: SpoolLimits = { maxBytes: 10_485_760, maxAgeMs: 604_800_000 };

/** Opens the spool in the state directory. */
export function spoolIn(state: string, limits = standardLimits): Spool {
  return createSpool(path.join(state, 'spool'), limits);
}

/** Creates the dependencies of forwarding, with its files in the state directory. */
export function createForwarding(
  settings: ForwardSettings,
  state: string,
  parts: Pick<ForwardParts, 'post' | 'secret' | 'clock' | 'log'>,
): ForwardParts {
  try {
    createFolder(state);
  } catch {
    // Reported when the spool is written to.
  }
  return {
    ...parts,
    settings,
    spool: spoolIn(state, settings.spool),
    lock: createLock(path.join(state, 'sending'), process.pid, isAlive),
    hold: createSendingHold(path.join(state, 'pause')),
  };
}
