import type { Clock } from '../../src/runtime/clock.ts';

/** Waits of this length or more are schedules, not pauses: they pass only when the test lets them. */
const SCHEDULE_MS = 60_000;

/** A clock whose short waits (pacing, back-off) pass at once, and which otherwise stands still. */
export interface StoryClock extends Clock {
  /** Lets so much time pass, in milliseconds. */
  advance(ms: number): void;
  /** The short waits asked for so far, in milliseconds. */
  readonly waits: readonly number[];
}

/** Creates a clock that stands at `start`, in milliseconds since the epoch. */
export function createStoryClock(start: number): StoryClock {
  const waits: number[] = [];
  const sleepers = new Set<{ readonly at: number; readonly wake: () => void }>();
  let elapsed = 0;

  function advanceTo(target: number): void {
    elapsed = Math.max(elapsed, target);
    for (const sleeper of sleepers) {
      if (sleeper.at > elapsed) continue;
      sleepers.delete(sleeper);
      sleeper.wake();
    }
  }

  return {
    waits,
    now: () => start + elapsed,
    elapsed: () => elapsed,
    advance: (ms) => advanceTo(elapsed + ms),
    wait(ms, signal) {
      const at = elapsed + ms;
      return new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason);
        const sleeper = { at, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          reject(signal.reason);
        });
        if (ms >= SCHEDULE_MS) return;
        waits.push(ms);
        setImmediate(() => advanceTo(at));
      });
    },
  };
}
