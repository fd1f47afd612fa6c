import type { Clock } from '../runtime/clock.ts';
import type { Attempt } from './attempt.ts';
import type { RequestCeiling } from './ceiling.ts';

/** Hands out permissions in the order in which they were asked for, evenly spaced. */
export interface RateLimiter {
  /** Resolves when it is the caller's turn; rejects with the signal's reason when aborted. */
  take(signal?: AbortSignal): Promise<void>;
}

/**
 * Creates a limiter of `perSecond` permissions a second, without bursts: the first is free at once. The rate is
 * asked for each permission, so that it may change.
 */
export function createRateLimiter(perSecond: () => number, clock: Clock): RateLimiter {
  let next = Number.NEGATIVE_INFINITY;
  return {
    async take(signal) {
      const now = clock.elapsed();
      const turn = Math.max(now, next);
      next = turn + 1000 / perSecond();
      if (turn > now) await clock.wait(turn - now, signal);
    },
  };
}

/** Makes every attempt wait for its turn. */
export function withRateLimit(attempt: Attempt, limiter: RateLimiter, closed: AbortSignal): Attempt {
  return async (request, budgetMs) => {
    // A closed client's attempt goes on to fail in the exchange, like any other.
    await limiter.take(closed).catch(() => undefined);
    return attempt(request, budgetMs);
  };
}

/** Fails every attempt of a day that has had its requests, without making it. */
export function withCeiling(attempt: Attempt, ceiling: RequestCeiling | undefined): Attempt {
  if (ceiling === undefined) return attempt;
  return async (request, budgetMs) => {
    const error = await ceiling.take();
    return error === undefined ? attempt(request, budgetMs) : { ok: false, error, retry: 'never' };
  };
}
