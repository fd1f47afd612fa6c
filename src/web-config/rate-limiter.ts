import type { Clock } from '../runtime/clock.ts';
import type { RateLimit } from './settings.ts';

/** A token bucket. */
export interface RateLimiter {
  /** Takes a token; where there is none, the milliseconds until there is. */
  take(limit: RateLimit): 'taken' | number;
}

/** Creates a bucket that is full; a limit that changes finds it filled as far as it was. */
export function createRateLimiter(clock: Pick<Clock, 'elapsed'>): RateLimiter {
  let used = 0;
  let at = clock.elapsed();
  return {
    take({ intervalMs, burst }) {
      const now = clock.elapsed();
      used = Math.max(0, used - (now - at) / intervalMs);
      at = now;
      if (used + 1 > burst) return (used + 1 - burst) * intervalMs;
      used += 1;
      return 'taken';
    },
  };
}
