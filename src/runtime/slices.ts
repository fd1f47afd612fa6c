import { setImmediate } from 'node:timers/promises';
import type { Clock } from './clock.ts';

/** How long work may hold the event loop at a stretch, in milliseconds. */
const SLICE_MS = 3;

/** Small steps between two looks at the clock. */
const SMALL_STEPS = 256;

/** Cuts work that must not block the event loop into slices. */
export interface Slices {
  /** Whether the budget of the present slice is used up, so that the caller should pause. */
  over(): boolean;
  /** Resolves at once while the present slice lasts; otherwise lets all other waiting work run first. */
  next(): Promise<void>;
}

/** Creates slices of `budgetMs` milliseconds each. */
export function createSlices(clock: Pick<Clock, 'elapsed'>, budgetMs = SLICE_MS): Slices {
  let startedAt = clock.elapsed();
  const over = () => clock.elapsed() - startedAt >= budgetMs;
  return {
    over,
    async next() {
      if (!over()) return;
      await setImmediate();
      startedAt = clock.elapsed();
    },
  };
}

/**
 * Runs a generator to its end and lets other work in between every few milliseconds. It looks at the clock after
 * so many steps: 1 where a single one can be large.
 */
export async function runInSlices<Result>(
  work: Generator<unknown, Result>,
  clock: Pick<Clock, 'elapsed'>,
  stepsPerLook = SMALL_STEPS,
): Promise<Result> {
  const slices = createSlices(clock);
  for (let steps = 1; ; steps++) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (steps % stepsPerLook === 0) await slices.next();
  }
}
