import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Handler, respondJson } from '../server/respond.ts';
import { createCapacity } from '../work/capacity.ts';
import type { Clock } from '../work/clock.ts';
import { oneAtATime } from '../work/reload.ts';
import type { ClientLimits } from './client-limits.ts';
import { MAX_EVENTS, readBatch } from './event.ts';
import type { Intake } from './intake.ts';
import type { Rejection } from './labels.ts';
import type { HookInstruments } from './metrics.ts';

interface HookHandlerDeps {
  readonly intake: Pick<Intake, 'take' | 'from' | 'time'>;
  readonly token: TokenSource;
  /** Limits senders with the token. */
  readonly senders: ClientLimits;
  /** Limits clients without the token. Separate, because guesses must not use up the limit of senders behind the same address. */
  readonly strangers: ClientLimits;
  readonly instruments: Pick<HookInstruments, 'rejected'>;
  readonly clock: Pick<Clock, 'wait'>;
}

/** Maximum size of a body in bytes. */
export const MAX_BYTES = 1_048_576;
/** Maximum total size of bodies being read; the parsed events take several times as much memory. */
const MAX_BYTES_AT_ONCE = 16 * MAX_BYTES;
/** The `Retry-After`, in seconds, of a refusal that the sender did not cause. */
const SOON = 2;
const NOTHING = { accepted: 0, duplicates: 0 } as const;

interface Answer {
  readonly status: number;
  readonly body: object;
  /** The reason under which a request that was rejected as a whole is counted. */
  readonly reason?: Rejection;
  readonly headers?: readonly string[];
}

const unauthorized = {
  ...refusal(401, 'unauthorized', 'the hook token is missing or wrong'),
  headers: ['WWW-Authenticate', 'Bearer'],
};
const notJson = refusal(415, 'malformed', 'the body must be uncompressed application/json');
const tooLarge = refusal(413, 'too_large', `at most ${MAX_BYTES} bytes and ${MAX_EVENTS} events per request`);
const unread: Readonly<Record<Unread, Answer>> = {
  'too-large': tooLarge,
  late: refusal(408, 'malformed', 'the body did not arrive in time'),
  'cut-short': refusal(400, 'malformed', 'the body is incomplete'),
};
const unavailable = {
  ...refusal(503, 'unavailable', 'events cannot be stored at the moment'),
  headers: ['Retry-After', String(SOON)],
};

/** Answers `POST /hooks/events`; 202 only after the events are stored. */
export function createHookHandler(deps: HookHandlerDeps): Handler {
  const { intake, instruments, clock } = deps;
  // However many requests arrive, at most one read of the token file runs and one waits.
  const token = { read: oneAtATime(() => deps.token.read()) };
  const reading = createCapacity({ total: MAX_BYTES_AT_ONCE });

  async function answer(request: IncomingMessage): Promise<Answer> {
    const isSender = await hasToken(request.headers.authorization, token);
    const limits = isSender ? deps.senders : deps.strangers;
    const wait = limits.take(request.socket.remoteAddress);
    if (wait > 0) return throttled(wait);
    if (!isSender) return unauthorized;
    if (!isPlainJson(request)) return notJson;
    const expected = sizeOf(request);
    if (expected > MAX_BYTES) return tooLarge;
    const end = reading.enter('', expected);
    if (end === undefined) return throttled(SOON);
    const body = await readBody(request, clock).finally(end);
    return typeof body === 'string' ? unread[body] : takeAll(body.text, request.headers.date);
  }

  async function takeAll(text: string, date = ''): Promise<Answer> {
    const sentAt = Date.parse(date);
    const batch = readBatch(text, {
      now: intake.time(),
      from: intake.from(),
      sentAt: Number.isNaN(sentAt) ? undefined : sentAt,
    });
    if (batch.kind === 'too-many') return tooLarge;
    if (batch.kind === 'malformed') return refuseAll(batch.problem, batch.isEmpty);
    const { events, rejected } = batch;
    const taken = events.length === 0 ? NOTHING : await intake.take(events);
    if (typeof taken === 'string') return notTaken(taken);
    // Counted only now, because a request that must be retried contains the same events again.
    for (const { rejection } of rejected) instruments.rejected(rejection);
    const [first] = rejected;
    if (events.length === 0 && first !== undefined) {
      return { status: 400, body: { error: first.problem, reason: first.rejection } };
    }
    return { status: 202, body: { ...taken, rejected: rejected.length } };
  }

  async function refuseAll(problem: string, isQuestion = false): Promise<Answer> {
    const taken = isQuestion ? await intake.take([]) : NOTHING;
    return typeof taken === 'string' ? notTaken(taken) : refusal(400, 'malformed', problem);
  }

  return async (request, response) => {
    const { status, body, reason, headers } = await answer(request);
    if (reason !== undefined) instruments.rejected(reason);
    // An unread rest of the body is not received either.
    if (!request.complete) response.shouldKeepAlive = false;
    if (!response.destroyed) respondJson(response, status, body, headers);
  };
}

/** The size of a body, or its maximum if it is not declared. */
function sizeOf({ headers }: IncomingMessage): number {
  const length = headers['content-length'];
  return length === undefined ? MAX_BYTES : Number(length);
}

function refusal(status: number, reason: Rejection, error: string): Answer {
  // The reason tells senders that the intake rejects the request, and not a proxy on the way.
  return { status, reason, body: { error, reason } };
}

function notTaken(why: 'unavailable' | 'busy'): Answer {
  return why === 'busy' ? throttled(SOON) : unavailable;
}

function throttled(seconds: number): Answer {
  return {
    ...refusal(429, 'throttled', 'too many requests'),
    headers: ['Retry-After', String(seconds)],
  };
}

function isPlainJson({ headers }: IncomingMessage): boolean {
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? '';
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  return type === 'application/json' && (coding === '' || coding === 'identity');
}

/** The source of the current token; of the last valid one while the file cannot be read. */
interface TokenSource {
  read(): Promise<string>;
}

/** Whether a header has the token; takes the same time for every wrong one. */
async function hasToken(authorization: string | undefined, token: TokenSource): Promise<boolean> {
  const presented = /^bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? '';
  // Digests have the same length, whatever was sent.
  return timingSafeEqual(digestOf(presented), digestOf(await token.read()));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Time limit for receiving a body, in milliseconds. */
const ARRIVAL_MS = 10_000;

/** Why a body was not read completely. */
type Unread = 'too-large' | 'late' | 'cut-short';

/** Reads a whole body as text; stops reading once it is too large. */
async function readBody(
  request: IncomingMessage,
  clock: Pick<Clock, 'wait'>,
): Promise<{ readonly text: string } | Unread> {
  const arrived = new AbortController();
  const reading = collect(request);
  // Rejects if the body arrived first; then the result is not awaited.
  const late = clock.wait(ARRIVAL_MS, arrived.signal).then(
    () => 'late' as const,
    () => 'cut-short' as const,
  );
  const result = await Promise.race([reading, late]);
  arrived.abort();
  return result;
}

async function collect(request: IncomingMessage): Promise<{ readonly text: string } | Unread> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // What is left is not read, but the request can still be answered.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      size += chunk.length;
      if (size > MAX_BYTES) return 'too-large';
      chunks.push(chunk);
    }
    // Without a byte order mark, which is not JSON.
    return { text: new TextDecoder().decode(Buffer.concat(chunks)) };
  } catch {
    return 'cut-short';
  }
}
