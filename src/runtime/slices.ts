import { setImmediate } from 'node:timers/promises';
import type { Clock } from './clock.ts';

/** How long work may hold the event loop at a stretch, in milliseconds. */
const SLICE_MS = 5;

/** Small steps between two looks at the clock. */
const SMALL_STEPS = 256;

/**
 * Runs a generator to its end and lets other work in between every few milliseconds. It looks at the clock after
 * so many steps: 1 where a single one can be large.
 */
export async function runInSlices<Result>(
  work: Generator<unknown, Result>,
  clock: Pick<Clock, 'elapsed'>,
  stepsPerLook = SMALL_STEPS,
): Promise<Result> {
  let until = clock.elapsed() + SLICE_MS;
  for (let steps = 1; ; steps++) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (steps % stepsPerLook !== 0 || clock.elapsed() < until) continue;
    await setImmediate();
    until = clock.elapsed() + SLICE_MS;
  }
}
