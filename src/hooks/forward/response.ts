import { isRecord } from '../event.ts';
import { type Answer, PostError } from '../post.ts';

/**
 * The outcome for the events of a request. Only the hook intake itself can accept or reject events; answers of a proxy
 * or another server decide about none. `pauseMs`: how long later runs do not try.
 */
export type Verdict =
  | { readonly kind: 'taken'; readonly rejected: number }
  /** `byIntake`: by the hook intake itself. */
  | { readonly kind: 'refused'; readonly why: string; readonly byIntake: boolean }
  | { readonly kind: 'later'; readonly why: string; readonly pauseMs: number };

const pauses = { denied: 30_000, server: 2000, slow: 15_000, longest: 300_000 };

/** How long no run tries if every event is rejected on the way, in milliseconds. */
export const refusedPauseMs = pauses.denied;

/** Classifies the response to a request with this number of events. */
export function classifyResponse({ status, retryAfter, body }: Answer, events: number): Verdict {
  const answer = recordIn(body);
  if (status >= 200 && status < 300) {
    const rejected = rejectedOf(answer, events);
    if (rejected !== undefined) return { kind: 'taken', rejected };
    const why = `answered ${status}, but not as the exporter's hook intake would: check forward.url`;
    return { kind: 'later', why, pauseMs: pauses.denied };
  }
  if (status === 400 || status === 413) {
    return { kind: 'refused', why: `answered ${status}`, byIntake: isRefusal(answer) };
  }
  const denied = status === 401 || status === 403 || status === 404;
  const asked = Math.min(secondsIn(retryAfter) * 1000, pauses.longest);
  return {
    kind: 'later',
    why: `answered ${status}${hintFor(status)}`,
    pauseMs: Math.max(denied ? pauses.denied : pauses.server, asked),
  };
}

/** Classifies a request without a response. A refused connection is cheap, so the next run may try again. */
export function classifyFailure(error: unknown): Verdict {
  if (!(error instanceof PostError))
    return { kind: 'later', why: error instanceof Error ? error.message : 'the request failed', pauseMs: 0 };
  const quick = error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET' || error.code === 'EPIPE';
  return { kind: 'later', why: error.message, pauseMs: quick ? 0 : pauses.slow };
}

function hintFor(status: number): string {
  if (status === 401 || status === 403) return ': the token differs from that of the exporter';
  return status === 404 ? ': no exporter with a hook token at this URL' : '';
}

function secondsIn(retryAfter: string | undefined): number {
  return /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : 0;
}

/** Number of events that the intake rejected; undefined if the answer does not account for all that were sent. */
function rejectedOf(answer: Readonly<Record<string, unknown>>, events: number): number | undefined {
  const { accepted, duplicates, rejected } = answer;
  if (typeof accepted !== 'number' || typeof duplicates !== 'number' || typeof rejected !== 'number') {
    return undefined;
  }
  return accepted + duplicates + rejected === events ? rejected : undefined;
}

/** The intake includes the reason under which it counts the rejection. */
function isRefusal({ error, reason }: Readonly<Record<string, unknown>>): boolean {
  return typeof error === 'string' && refusals.has(reason);
}

const refusals: ReadonlySet<unknown> = new Set(['invalid', 'too_old', 'malformed', 'too_large']);

function recordIn(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}
