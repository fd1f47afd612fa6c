import type { Clock } from './clock.ts';
import { createSerialQueue } from './serial-queue.ts';

/** Spaces requests evenly, without bursts; callers wait for their turn, first come, first served. */
export type PacingLimiter = ReturnType<typeof createPacingLimiter>;

/**
 * Creates a limiter of `perSecond` permissions per second, without bursts: the first is available at once, each other
 * one no sooner than an interval after the one before, however late that was.
 */
export function createPacingLimiter(perSecond: number, clock: Clock) {
  let intervalMs = 1000 / perSecond;
  let last = Number.NEGATIVE_INFINITY;
  const queue = createSerialQueue();

  async function takeNow(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      const wait = last + intervalMs - clock.elapsed();
      if (wait <= 0) break;
      // A timer may fire slightly early, which would accumulate.
      await clock.wait(wait, signal);
    }
    last = clock.elapsed();
  }

  return {
    /** Resolves when it is the caller's turn; rejects with the signal's reason when aborted. */
    take: (signal?: AbortSignal) => queue.run(() => takeNow(signal)),
    /** Sets another rate, from the next permission on; waits in progress are not shortened. */
    setRate(next: number): void {
      intervalMs = 1000 / next;
    },
    /** Makes the next permission wait an interval: another process may have had one just now. */
    restart(): void {
      last = clock.elapsed();
    },
  };
}

/** A token bucket: a token is added every `intervalMs` milliseconds, up to `burst`. */
interface BucketRate {
  readonly intervalMs: number;
  readonly burst: number;
}

/** Admits requests in bursts, at a limited average rate. */
export type TokenBucket = ReturnType<typeof createTokenBucket>;

/** Creates a full bucket. The rate may change between calls; used tokens stay used. */
export function createTokenBucket(clock: Pick<Clock, 'elapsed'>) {
  let used = 0;
  let at = clock.elapsed();
  return {
    /** Takes a token; if there is none, returns the milliseconds until the next. */
    take({ intervalMs, burst }: BucketRate): 'taken' | number {
      const now = clock.elapsed();
      used = Math.max(0, used - (now - at) / intervalMs);
      at = now;
      if (used + 1 > burst) return (used + 1 - burst) * intervalMs;
      used += 1;
      return 'taken';
    },
  };
}
