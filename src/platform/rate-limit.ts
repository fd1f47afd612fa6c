import type { Clock } from '../runtime/clock.ts';
import { createSerialQueue } from '../runtime/serial-queue.ts';
import type { Attempt } from './attempt.ts';
import type { RequestCeiling } from './ceiling.ts';
import { endOf } from './deadline.ts';

/** Hands out permissions in the order in which they were asked for, evenly spaced. */
export interface RateLimiter {
  /** Resolves when it is the caller's turn; rejects with the signal's reason when aborted. */
  take(signal?: AbortSignal): Promise<void>;
}

/**
 * Creates a limiter of `perSecond` permissions a second, without bursts: the first is free at once, each other one comes
 * no sooner after the one before, however late that was. The rate is asked for each permission, so that it may change.
 */
export function createRateLimiter(perSecond: () => number, clock: Clock): RateLimiter {
  let last = Number.NEGATIVE_INFINITY;
  const turns = createSerialQueue();

  async function takeNow(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const wait = last + 1000 / perSecond() - clock.elapsed();
      if (wait <= 0) break;
      // A timer may fire a little early, which would add up.
      await clock.wait(wait, signal);
    }
    last = clock.elapsed();
  }

  return {
    take: (signal) => turns.run(() => takeNow(signal)),
  };
}

/** Makes every attempt wait for its turn. */
export function withRateLimit(attempt: Attempt, limiter: RateLimiter, closed: AbortSignal): Attempt {
  return async (request, budgetMs) => {
    // A closed client's attempt goes on to fail in the exchange, like any other.
    await limiter.take(endOf(request, closed)).catch(() => undefined);
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
