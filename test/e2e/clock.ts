import { LOOK_MS } from '../../src/config/followed.ts';
import type { Clock } from '../../src/work/clock.ts';
import { createSlices } from '../../src/work/slices.ts';

/** Waits of at least this length are schedules, not pauses: they end only when the test advances the clock. */
const SCHEDULE_MS = 60_000;

/** A clock whose short waits (pacing, backoff) end at once, and which otherwise does not advance. */
export interface StoryClock extends Clock {
  /** Advances the clock by this many milliseconds. */
  advance(ms: number): void;
  /** The short waits so far, in milliseconds. */
  readonly waits: readonly number[];
}

/** Creates a clock that is stopped at `start`, in milliseconds since the epoch. */
export function createStoryClock(start: number, heldMs = SCHEDULE_MS): StoryClock {
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
    slices: createSlices({ elapsed: () => elapsed }),
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
        // Files are looked at as time passes: their waits would let it pass without end.
        if (ms >= heldMs || ms === LOOK_MS) return;
        waits.push(ms);
        setImmediate(() => advanceTo(at));
      });
    },
  };
}

/** Lets a service look once at the files that it follows, which must be in memory. */
export async function lookAtFiles(clock: StoryClock): Promise<void> {
  clock.advance(LOOK_MS);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
