import path from 'node:path';
import { codeOf } from '../../files/local-file.ts';
import { HttpError } from '../../net/http-error.ts';
import { messageOf } from '../../text/errors.ts';
import type { Clock } from '../../work/clock.ts';
import { recordIn, type SharedEvent } from '../event.ts';
import type { HookLog } from '../log.ts';
import { type Answer, type Post, type ReadSecret, readToken } from '../post.ts';
import { standardLimits } from '../settings/basics.ts';
import type { ForwardSettings } from '../settings/settings.ts';
import { longestPauseMs, Pause, Spool } from './spool.ts';

export interface ForwardParts {
  readonly settings: ForwardSettings;
  readonly spool: Spool;
  readonly pause: Pause;
  readonly post: Post;
  readonly secret: ReadSecret;
  readonly clock: Clock;
  readonly log: HookLog;
}

const maxEvents = 500;
const maxBytes = 524_288;
/** How long a run starts new requests for events that were spooled before. */
const startLimitMs = 500;
/** A run ends after a proxy or another server has rejected this many single events in a row. */
const maxRefusedOnTheWay = 2;

/** Spools an event to disk; returns its name there, undefined if it could not be written. */
export function keepOnDisk(spool: Spool, event: SharedEvent, log: HookLog): string | undefined {
  try {
    return spool.add(event);
  } catch (error) {
    log.warn('Event cannot be spooled to disk; sending it immediately', { code: codeOf(error) });
    return undefined;
  }
}

/**
 * Sends spooled events, oldest first, for half a second and never longer than `until` (by the clock's `elapsed`). The
 * event is among them by its `name`; without one, it is sent alone. Unconfirmed events stay for a later run; an event that is
 * sent twice counts once by its id.
 */
export async function forward(
  parts: ForwardParts,
  event: SharedEvent,
  until: number,
  name: string | undefined,
): Promise<void> {
  const { spool, clock, log } = parts;
  if (name === undefined) {
    const verdict = await send(parts, [JSON.stringify(event)], until);
    if (verdict.kind !== 'taken') log.error('Event lost', { event: event.hook_event_name, why: verdict.why });
    else logLost(verdict, log);
    return;
  }
  const lost = spool.trim(clock.now());
  if (lost > 0) log.error('Events lost: spool limits exceeded', { events: lost });
  if (parts.pause.holds(clock.now())) return;
  await flush(parts, until, Math.min(until, clock.elapsed() + startLimitMs));
}

/**
 * Sends the spooled events, batch after batch, until `until`, and starts no request after `startUntil`. A rejected batch is
 * halved until the faulty event is isolated. Another process may send the same events: they count once by their ids. Resolves
 * with the number of lost events, damaged or rejected by the exporter.
 */
export async function flush(parts: ForwardParts, until: number, startUntil = until): Promise<number> {
  const { spool, pause, clock, log } = parts;
  let lost = 0;
  let most = maxEvents;
  let refusedInARow = 0;
  let waiting = spool.names();
  while (waiting.length > 0 && clock.elapsed() < startUntil) {
    const { names, texts, passed, damaged } = nextBatch(parts, waiting, most);
    lost += damaged;
    if (texts.length === 0) return lost;
    const verdict = await send(parts, texts, until);
    if (verdict.kind === 'later') {
      stay('Events stay on disk: the exporter did not accept them', verdict.why, verdict.pauseMs);
      return lost;
    }
    if (verdict.kind === 'refused' && texts.length > 1) {
      most = Math.ceil(texts.length / 2);
      continue;
    }
    waiting = waiting.slice(passed);
    if (verdict.kind === 'refused' && !verdict.byIntake) {
      // Skipped in this run: the event stays in the spool, and the others must not wait for it.
      refusedInARow += 1;
      if (refusedInARow < maxRefusedOnTheWay) continue;
      stay('Events stay on disk: rejected on the way to the exporter', verdict.why, pauses.denied);
      return lost;
    }
    lost += logLost(verdict, log);
    spool.remove(names);
    most = Math.min(maxEvents, most * 2);
    refusedInARow = 0;
  }
  return lost;

  function stay(message: string, why: string, pauseMs: number): void {
    log.warn(message, { why });
    if (pauseMs > 0) pause.begin(clock.now() + pauseMs);
  }
}

/** Logs the events that the exporter has rejected, and returns their number. */
function logLost(verdict: Exclude<Verdict, { readonly kind: 'later' }>, log: HookLog): number {
  if (verdict.kind === 'refused') log.error('Event lost: rejected by the exporter', { why: verdict.why });
  else if (verdict.rejected > 0)
    log.error('Events lost: rejected by the exporter', { events: verdict.rejected });
  return verdict.kind === 'refused' ? 1 : verdict.rejected;
}

function nextBatch({ spool, log }: ForwardParts, waiting: readonly string[], most: number) {
  const names: string[] = [];
  const texts: string[] = [];
  let bytes = 0;
  // The number of processed names, including damaged and unreadable ones, and those that another process has removed.
  let passed = 0;
  let unread = 0;
  let damaged = 0;
  for (const name of waiting) {
    const found = spool.read(name);
    passed += 1;
    if (found.kind === 'unread') unread += 1;
    if (found.kind === 'damaged') {
      damaged += 1;
      spool.setAside(name);
      log.error('Event lost: its damaged file was set aside', { file: name });
    }
    if (found.kind !== 'event') continue;
    names.push(name);
    texts.push(found.text);
    bytes += found.text.length;
    if (texts.length === most || bytes >= maxBytes) break;
  }
  if (unread > 0) log.warn('Events stay on disk: their files cannot be read', { events: unread });
  return { names, texts, passed, damaged };
}

async function send(
  { settings, post, secret, clock }: ForwardParts,
  texts: readonly string[],
  until: number,
): Promise<Verdict> {
  const left = until - clock.elapsed();
  try {
    const answer = await post({
      url: settings.url,
      caFile: settings.caFile,
      headers: {
        authorization: `Bearer ${readToken(settings.token, secret)}`,
        // Tells the exporter about a clock that is off.
        date: new Date(clock.now()).toUTCString(),
      },
      body: texts.length === 1 ? (texts[0] ?? '') : `{"events":[${texts.join(',')}]}`,
      timeoutMs: Math.max(1, Math.floor(Math.min(settings.timeoutMs, left))),
    });
    return classifyResponse(answer, texts.length);
  } catch (error) {
    const code = error instanceof HttpError ? error.code : undefined;
    // No pause: the run's own deadline has aborted the request, which says nothing about the exporter.
    const isCut = code === 'ETIMEDOUT' && left < settings.timeoutMs;
    // A refused connection is cheap, so the next run may try again.
    const isSlow = code !== undefined && !isCut && !['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(code);
    const why = isCut ? 'the deadline was exceeded' : messageOf(error);
    return { kind: 'later', why, pauseMs: isSlow ? pauses.slow : 0 };
  }
}

/** Opens the spool in the state directory. */
export function spoolIn(state: string, limits = standardLimits): Spool {
  return new Spool(path.join(state, 'spool'), limits);
}

/** Creates the dependencies of forwarding, with its files in the state directory. */
export function createForwarding(
  settings: ForwardSettings,
  state: string,
  parts: Pick<ForwardParts, 'post' | 'secret' | 'clock' | 'log'>,
): ForwardParts {
  return {
    ...parts,
    settings,
    spool: spoolIn(state, settings.spool),
    pause: new Pause(path.join(state, 'pause')),
  };
}

/**
 * The outcome for the events of a request. Only the hook intake itself can accept or reject events; answers of a proxy
 * or another server decide about none. `pauseMs`: how long later runs do not try.
 */
type Verdict =
  | { readonly kind: 'taken'; readonly rejected: number }
  /** `byIntake`: whether the hook intake itself has rejected them. */
  | { readonly kind: 'refused'; readonly why: string; readonly byIntake: boolean }
  | { readonly kind: 'later'; readonly why: string; readonly pauseMs: number };

const pauses = { denied: 30_000, server: 2000, slow: 15_000 };

/** Classifies the response to a request with this number of events. */
export function classifyResponse({ status, retryAfter, body }: Answer, events: number): Verdict {
  const { accepted, duplicates, rejected, error, reason } = recordIn(body) ?? {};
  if (status >= 200 && status < 300) {
    const isCounted =
      typeof accepted === 'number' && typeof duplicates === 'number' && typeof rejected === 'number';
    if (isCounted && accepted + duplicates + rejected === events) return { kind: 'taken', rejected };
    const why = `answered ${status}, but not as the exporter's hook intake would: check forward.url`;
    return { kind: 'later', why, pauseMs: pauses.denied };
  }
  if (status === 400 || status === 413) {
    const byIntake = typeof error === 'string' && refusals.includes(reason);
    return { kind: 'refused', why: `answered ${status}`, byIntake };
  }
  const denied = status === 401 || status === 403 || status === 404;
  const seconds = /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : 0;
  const asked = Math.min(seconds * 1000, longestPauseMs);
  return {
    kind: 'later',
    why: `answered ${status}${hintFor(status, reason)}`,
    pauseMs: Math.max(denied ? pauses.denied : pauses.server, asked),
  };
}

function hintFor(status: number, reason: unknown): string {
  if (status >= 300 && status < 400)
    return ': redirects are not followed; set forward.url to where they lead';
  if (status === 401 || status === 403) return ': the token differs from that of the exporter';
  if (reason === 'unavailable') return ': the exporter cannot store events at the moment';
  return status === 404 ? ': no exporter with a hook token at this URL' : '';
}

/** The reasons with which the intake itself rejects a request. A proxy on the way gives none of them. */
const refusals: readonly unknown[] = ['invalid', 'too_old', 'malformed', 'too_large'];
