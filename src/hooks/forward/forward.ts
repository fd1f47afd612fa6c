import type { Clock } from '../../runtime/clock.ts';
import { codeOf } from '../code-of.ts';
import type { SharedEvent } from '../event.ts';
import type { HookLog } from '../log.ts';
import { type Post, PostError } from '../post.ts';
import type { ReadSecret } from '../secrets.ts';
import type { ForwardSettings } from '../settings/settings.ts';
import type { Lock } from './lock.ts';
import type { Pause } from './pause.ts';
import type { Spool } from './spool.ts';
import { judge, judgeFailure, type Verdict } from './verdict.ts';

export interface ForwardParts {
  readonly settings: ForwardSettings;
  readonly spool: Spool;
  readonly lock: Lock;
  readonly pause: Pause;
  readonly post: Post;
  readonly secret: ReadSecret;
  readonly clock: Clock;
  readonly log: HookLog;
}

const mostEvents = 500;
const mostBytes = 524_288;
const lookAgainMs = 10;
/** How long a run waits for another that sends, and how long it begins new requests for what waited before. */
const patienceMs = 500;

/**
 * Keeps an event on disk and sends what is there, oldest first, for half a second and never longer than `until` (by
 * the clock's `elapsed`). What is not confirmed stays for a later run; what is sent twice counts once by its id.
 */
export async function forward(parts: ForwardParts, event: SharedEvent, until: number): Promise<void> {
  const { spool, clock, log } = parts;
  let name: string;
  try {
    name = spool.add(event);
  } catch (error) {
    log.warn('Event cannot be kept on disk, so it is sent at once', { code: codeOf(error) });
    const verdict = await send(parts, [JSON.stringify(event)], until);
    if (verdict.kind !== 'taken') log.error('Event lost', { event: event.hook_event_name });
    return;
  }
  const lost = spool.trim(clock.now());
  if (lost > 0) log.error('Events lost: they were too many or too old', { events: lost });
  const patience = Math.min(until, clock.elapsed() + patienceMs);
  while (clock.elapsed() < patience && !parts.pause.holds(clock.now()) && spool.has(name)) {
    if ((await flush(parts, until, patience)) !== 'busy') return;
    // Another process sends, this event too in its turn.
    await clock.wait(lookAgainMs);
  }
}

/**
 * Sends what the spool holds, until `until`, and begins no request after `patience`; `busy` where another process
 * sends already.
 */
export async function flush(
  parts: ForwardParts,
  until: number,
  patience = until,
): Promise<'empty' | 'busy' | 'left'> {
  const { spool, lock, clock } = parts;
  const now = clock.now();
  if (!lock.take(now, now + Math.max(0, until - clock.elapsed()) + 1000)) return 'busy';
  try {
    let most = mostEvents;
    let waiting: readonly string[] = [];
    while (clock.elapsed() < patience) {
      if (waiting.length === 0) waiting = spool.names();
      if (waiting.length === 0) return 'empty';
      const batch = nextBatch(spool, waiting, most);
      const verdict = batch.texts.length === 0 ? 'sent' : await sendBatch(parts, batch.texts, until);
      if (verdict === 'later') return 'left';
      if (verdict === 'halve') {
        most = Math.ceil(batch.texts.length / 2);
        continue;
      }
      spool.remove(batch.names);
      waiting = waiting.slice(batch.names.length);
    }
    return spool.names().length === 0 ? 'empty' : 'left';
  } finally {
    lock.release();
  }
}

interface Batch {
  readonly names: readonly string[];
  readonly texts: readonly string[];
}

function nextBatch(spool: Spool, waiting: readonly string[], most: number): Batch {
  const names: string[] = [];
  const texts: string[] = [];
  let bytes = 0;
  for (const name of waiting) {
    const text = spool.read(name);
    // A name without a text is taken along to be removed: half a file is what a power cut leaves.
    names.push(name);
    if (text !== undefined) texts.push(text);
    bytes += text?.length ?? 0;
    if (texts.length === most || bytes >= mostBytes) break;
  }
  return { names, texts };
}

async function sendBatch(
  parts: ForwardParts,
  texts: readonly string[],
  until: number,
): Promise<'sent' | 'halve' | 'later'> {
  const { pause, clock, log } = parts;
  const verdict = await send(parts, texts, until);
  if (verdict.kind === 'later') {
    log.warn('Events wait on disk: the exporter did not take them', { why: verdict.why });
    if (verdict.pauseMs > 0) pause.begin(clock.now() + verdict.pauseMs);
    return 'later';
  }
  if (verdict.kind === 'too-large' && texts.length > 1) return 'halve';
  if (verdict.kind !== 'taken') {
    const why = verdict.kind === 'refused' ? verdict.why : 'answered 413 to a single event';
    log.error('Events lost: the exporter refused them', { events: texts.length, why });
  } else if (verdict.rejected > 0) {
    log.error('Events lost: the exporter could not use them', { events: verdict.rejected });
  }
  return 'sent';
}

async function send(
  { settings, post, secret, clock }: ForwardParts,
  texts: readonly string[],
  until: number,
): Promise<Verdict> {
  const left = until - clock.elapsed();
  let token: string;
  try {
    token = secret(settings.token);
  } catch (error) {
    return { kind: 'later', why: error instanceof Error ? error.message : 'no token', pauseMs: 0 };
  }
  try {
    return judge(
      await post({
        url: settings.url,
        caFile: settings.caFile,
        headers: { authorization: `Bearer ${token}` },
        body: texts.length === 1 ? (texts[0] ?? '') : `{"events":[${texts.join(',')}]}`,
        timeoutMs: Math.max(1, Math.floor(Math.min(settings.timeoutMs, left))),
      }),
    );
  } catch (error) {
    // Cut short by this run's own deadline: that says nothing about the exporter.
    const cut = error instanceof PostError && error.code === 'ETIMEDOUT' && left < settings.timeoutMs;
    return cut ? { kind: 'later', why: 'the time was up', pauseMs: 0 } : judgeFailure(error);
  }
}
