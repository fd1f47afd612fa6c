import type { Clock } from '../runtime/clock.ts';
import type { Attempt } from './attempt.ts';

/** Hands out permissions in the order in which they were asked for, evenly spaced. */
export interface RateLimiter {
  /** Resolves when it is the caller's turn; rejects with the signal's reason when aborted. */
  take(signal?: AbortSignal): Promise<void>;
}

/** Creates a limiter of `perSecond` permissions a second, without bursts: the first is free at once. */
export function createRateLimiter(perSecond: number, clock: Clock): RateLimiter {
  const interval = 1000 / perSecond;
  let next = Number.NEGATIVE_INFINITY;
  return {
    async take(signal) {
      const now = clock.elapsed();
      const turn = Math.max(now, next);
      next = turn + interval;
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
