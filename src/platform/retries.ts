import type { ApiAnswer, ApiRequest } from '../catalog/source.ts';
import type { Clock } from '../runtime/clock.ts';
import { PlatformError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Attempt, Failure, RequestObserver } from './attempt.ts';
import type { Pause } from './pause.ts';

/** How long one request may take in all, its attempts and the waits between them. */
const EFFORT_MS = 120_000;
const BASE_MS = 1_000;
const CAP_MS = 30_000;

export interface RetryDeps {
  readonly org: string;
  /** How often an attempt is repeated at most. */
  readonly retries: () => number;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
  readonly observer: RequestObserver;
  readonly pause: Pause;
  readonly closed: AbortSignal;
}

/**
 * Repeats attempts that failed for reasons that pass, with exponential back-off and full jitter, no sooner than
 * the server asked for. Throws the last failure; where the server asked for more time than is left, at once,
 * and holds back everything of the organization until then.
 */
export function withRetries(attempt: Attempt, deps: RetryDeps): (request: ApiRequest) => Promise<ApiAnswer> {
  const { clock, org } = deps;

  async function effort(request: ApiRequest): Promise<ApiAnswer> {
    const ends = clock.elapsed() + EFFORT_MS;
    let unreadable = false;
    // The first attempt has its whole time, also where the configured timeout is longer than an effort.
    let budgetMs = Number.POSITIVE_INFINITY;
    for (let retry = 0; ; retry += 1) {
      const outcome = await attempt(request, budgetMs);
      if (outcome.ok) return outcome.answer;
      const spent =
        retry >= deps.retries() || deps.closed.aborted || (outcome.retry === 'once' && unreadable);
      const wait = Math.max(outcome.retryAfterMs ?? 0, backoff(retry, deps.random));
      if (spent || outcome.retry === 'never' || clock.elapsed() + wait >= ends) {
        throw giveUp(outcome);
      }
      unreadable ||= outcome.retry === 'once';
      const { endpoint } = request;
      const { reason, status } = outcome.error;
      deps.log.debug('A request is tried again', {
        org,
        endpoint,
        reason,
        status,
        wait_seconds: wait / 1000,
      });
      await clock.wait(wait, deps.closed).catch(() => {
        throw outcome.error;
      });
      deps.observer.retry({ org, endpoint });
      budgetMs = ends - clock.elapsed();
    }
  }

  function giveUp({ error, retryAfterMs }: Failure): PlatformError {
    if (retryAfterMs === undefined || retryAfterMs === 0) return error;
    const retryAt = clock.now() + retryAfterMs;
    const until = new Date(retryAt).toISOString().replace(/\.\d+/, '');
    const { status } = error;
    const hint = 'The platform asked for a pause; nothing is sent before it is over.';
    const throttled = new PlatformError('throttled', `${error.message} (asks to wait until ${until})`, {
      hint,
      status,
      retryAt,
    });
    deps.pause.hold(retryAfterMs, throttled);
    deps.log.warn('The platform asked for a pause', { org, status, until });
    return throttled;
  }

  return effort;
}

function backoff(retry: number, random: () => number): number {
  return random() * Math.min(CAP_MS, BASE_MS * 2 ** retry);
}
