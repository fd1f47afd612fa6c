import type { Clock } from '../../src/work/clock.ts';
import { createSlices } from '../../src/work/slices.ts';

/** Pauses up to this length end once the clock is advanced; longer ones belong to background work, and never end. */
const LONGEST_PAUSE_MS = 1_500;
/** Pauses below this length only spread requests, and end at once. */
const SHORTEST_PAUSE_MS = 100;

export interface WalkClock extends Clock {
  /** Advances the time by this many milliseconds. */
  advance(ms: number): void;
}

/** Creates a clock that stays at `start`: no work in the background begins on a road, and no slice of work is ever over. */
export function createWalkClock(start: number): WalkClock {
  const wakes = new Set<() => void>();
  let elapsed = 0;
  return {
    now: () => start + elapsed,
    elapsed: () => elapsed,
    slices: createSlices({ elapsed: () => 0 }),
    advance(ms) {
      elapsed += ms;
      for (const wake of wakes) wake();
      wakes.clear();
    },
    wait(ms, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      if (signal?.aborted) reject(signal.reason);
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      if (ms <= SHORTEST_PAUSE_MS) setImmediate(resolveAt, elapsed + ms);
      else if (ms <= LONGEST_PAUSE_MS) wakes.add(resolve);
      return promise;

      function resolveAt(at: number): void {
        elapsed = Math.max(elapsed, at);
        resolve();
      }
    },
  };
}
