import type { Clock } from './clock.ts';

/** How long work may hold the event loop at a stretch, in milliseconds. */
const SLICE_MS = 5;

/** Steps between two looks at the clock. */
const STEPS = 256;

/** Runs a generator to its end and lets other work in between every few milliseconds. */
export async function runInSlices<Result>(
  work: Generator<unknown, Result>,
  clock: Pick<Clock, 'elapsed'>,
): Promise<Result> {
  let until = clock.elapsed() + SLICE_MS;
  for (let steps = 1; ; steps++) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (steps % STEPS !== 0 || clock.elapsed() < until) continue;
    await new Promise((resolve) => setImmediate(resolve));
    until = clock.elapsed() + SLICE_MS;
  }
}
