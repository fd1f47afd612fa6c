import type { Clock } from '../../src/work/clock.ts';
import { createSlices } from '../../src/work/slices.ts';

/** A clock for tests: time moves only by `advance`, or immediately by `wait` with `autoAdvance`. */
export interface FakeClock extends Clock {
  advance(ms: number): Promise<void>;
  set(now: number): void;
  /** The requested waits so far, in milliseconds. */
  readonly waits: readonly number[];
}

/** Creates a clock that starts at `start` (milliseconds since the epoch). */
export function createFakeClock(start: number, options: { autoAdvance?: boolean } = {}): FakeClock {
  let now = start;
  const waits: number[] = [];
  const sleepers = new Set<{ at: number; wake: () => void }>();
  async function settle(): Promise<void> {
    for (const sleeper of [...sleepers].sort((a, b) => a.at - b.at)) {
      if (sleeper.at > now) continue;
      sleepers.delete(sleeper);
      sleeper.wake();
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  return {
    waits,
    now: () => now,
    elapsed: () => now - start,
    slices: createSlices({ elapsed: () => now - start }),
    set: (value) => {
      now = value;
    },
    async advance(ms) {
      now += ms;
      await settle();
    },
    wait(ms, signal) {
      waits.push(ms);
      if (signal?.aborted) return Promise.reject(signal.reason);
      if (options.autoAdvance) {
        now += ms;
        return new Promise((resolve) => setImmediate(resolve));
      }
      return new Promise((resolve, reject) => {
        const sleeper = { at: now + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          reject(signal.reason);
        });
      });
    },
  };
}
