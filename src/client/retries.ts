import type { ApiAnswer, ApiRequest } from '../catalog/source.ts';
import type { Logger } from '../log/logger.ts';
import { PlatformError } from '../text/errors.ts';
import { backoffMs } from '../work/backoff.ts';
import type { Clock } from '../work/clock.ts';
import { type Attempt, endOf, type RequestObserver } from './attempt.ts';
import type { ThrottleHolds } from './limits.ts';
import { type Failure, RATE_HINT } from './response.ts';

/** Time limit of a request, including all attempts and the waits between them. */
const EFFORT_MS = 120_000;
const BACKOFF = { baseMs: 1_000, capMs: 30_000 };

interface RetryDeps {
  readonly org: string;
  /** Maximum number of retries. */
  readonly retries: number;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
  readonly observer: RequestObserver;
  readonly throttleHolds: ThrottleHolds;
  readonly closed: AbortSignal;
}

/**
 * Retries attempts that failed for transient reasons, with exponential backoff and full jitter, respecting
 * `Retry-After`. Throws the last failure, immediately if the server asked for more time than is left; requests to that
 * endpoint, or of the whole organization if it is throttled, are then held until that time.
 */
export function withRetries(attempt: Attempt, deps: RetryDeps): (request: ApiRequest) => Promise<ApiAnswer> {
  const { clock, org, throttleHolds } = deps;

  async function effort(request: ApiRequest): Promise<ApiAnswer> {
    const ended = endOf(request, deps.closed);
    const ends = clock.elapsed() + EFFORT_MS;
    let unreadable = false;
    // The first attempt may use its whole timeout, even if that is longer than the limit of a request.
    let budgetMs = Number.POSITIVE_INFINITY;
    for (let retry = 0; ; retry += 1) {
      const outcome = await attempt(request, budgetMs);
      if (outcome.ok) return outcome.answer;
      const spent =
        retry >= deps.retries ||
        ended.aborted ||
        (outcome.retry === 'once' && unreadable) ||
        (request.retryOn === 'throttled' && !isAsked(outcome));
      const wait = Math.max(outcome.retryAfterMs ?? 0, backoffMs(retry, BACKOFF, deps.random));
      if (spent || outcome.retry === 'never' || clock.elapsed() + wait >= ends) {
        throw giveUp(request, outcome);
      }
      unreadable ||= outcome.retry === 'once';
      const { endpoint } = request;
      const { reason, status } = outcome.error;
      deps.log.debug('Retrying a request', {
        org,
        endpoint,
        reason,
        status,
        wait_seconds: wait / 1000,
      });
      await clock.wait(wait, ended).catch(() => {
        throw outcome.error;
      });
      deps.observer.retry({ org, endpoint });
      budgetMs = ends - clock.elapsed();
    }
  }

  function giveUp({ endpoint }: ApiRequest, { error, retryAfterMs }: Failure): PlatformError {
    if (retryAfterMs === undefined || retryAfterMs === 0) return error;
    const { reason, status } = error;
    const retryAt = clock.now() + retryAfterMs;
    const until = new Date(retryAt).toISOString().replace(/\.\d+/, '');
    const scope = reason === 'throttled' ? 'organization' : endpoint;
    const hint =
      scope === 'organization'
        ? `The platform requested a pause; no requests are sent for this organization until it ends. ${RATE_HINT}`
        : 'The platform requested a pause of this endpoint; no requests are sent to it until it ends.';
    const paused = new PlatformError(reason, `${error.message} (paused until ${until})`, {
      hint,
      status,
      retryAt,
    });
    throttleHolds.hold(scope, retryAfterMs, paused);
    deps.log.warn('Pause requested by the platform', { org, scope, status, until });
    return paused;
  }

  return (request) => throttleHolds.guard(request.endpoint, () => effort(request));
}

/** Whether the platform itself asked to retry later, or for fewer requests. */
function isAsked({ error, retryAfterMs }: Failure): boolean {
  return error.reason === 'throttled' || (retryAfterMs !== undefined && retryAfterMs > 0);
}
