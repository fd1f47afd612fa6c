import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../runtime/clock.ts';

/** How long rows are written or read at a stretch, in milliseconds. */
const SLICE_MS = 5;

/** Runs a generator to its end and looks at the clock after each step: one row can be large. */
export async function stepwise<Result>(
  work: Generator<void, Result>,
  clock: Pick<Clock, 'elapsed'>,
): Promise<Result> {
  let until = clock.elapsed() + SLICE_MS;
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (clock.elapsed() < until) continue;
    await setImmediate();
    until = clock.elapsed() + SLICE_MS;
  }
}
