import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../runtime/clock.ts';

/** Cuts work that must not hold the event loop into slices. */
export interface Turns {
  /** Resolves when a slice may start: at once while the present turn's budget lasts. */
  next(): Promise<void>;
  /** Whether the present turn's budget is used up, so that the slice should end. */
  over(): boolean;
}

/** Creates turns of `budget` milliseconds, each with all other waiting work before it. */
export function createTurns(clock: Pick<Clock, 'elapsed'>, budget = 3): Turns {
  let startedAt = Number.NEGATIVE_INFINITY;
  const over = () => clock.elapsed() - startedAt >= budget;
  return {
    over,
    async next() {
      if (!over()) return;
      await setImmediate();
      startedAt = clock.elapsed();
    },
  };
}
