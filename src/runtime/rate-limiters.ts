import type { Clock } from './clock.ts';
import { createSerialQueue } from './serial-queue.ts';

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
