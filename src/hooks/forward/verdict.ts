import { isRecord } from '../event.ts';
import { type Answer, PostError } from '../post.ts';

/** What becomes of the events of a request. `pauseMs`: how long later runs need not try. */
export type Verdict =
  | { readonly kind: 'taken'; readonly rejected: number }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'later'; readonly why: string; readonly pauseMs: number };

const pauses = { denied: 30_000, server: 2000, slow: 15_000, longest: 300_000 };

/** Judges the exporter's answer. */
export function judge({ status, retryAfter, body }: Answer): Verdict {
  if (status >= 200 && status < 300) return { kind: 'taken', rejected: rejectedIn(body) };
  if (status === 413) return { kind: 'too-large' };
  if (status === 400 || status === 415) return { kind: 'refused', why: `answered ${status}` };
  const denied = status === 401 || status === 403 || status === 404;
  const asked = Math.min(secondsIn(retryAfter) * 1000, pauses.longest);
  return {
    kind: 'later',
    why: `answered ${status}${hintFor(status)}`,
    pauseMs: Math.max(denied ? pauses.denied : pauses.server, asked),
  };
}

/** Judges a request without an answer. A refused connection costs nothing, so the next run may try again. */
export function judgeFailure(error: unknown): Verdict {
  if (!(error instanceof PostError))
    return { kind: 'later', why: error instanceof Error ? error.message : 'the request failed', pauseMs: 0 };
  const quick = error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET' || error.code === 'EPIPE';
  return { kind: 'later', why: error.message, pauseMs: quick ? 0 : pauses.slow };
}

function hintFor(status: number): string {
  if (status === 401 || status === 403) return ': the token is not the one that the exporter knows';
  return status === 404 ? ': no exporter with a hook token is there' : '';
}

function secondsIn(retryAfter: string | undefined): number {
  return /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : 0;
}

function rejectedIn(body: string): number {
  try {
    const value: unknown = JSON.parse(body);
    return isRecord(value) && typeof value['rejected'] === 'number' ? value['rejected'] : 0;
  } catch {
    return 0;
  }
}
