// Loaded into a measured program by `--import`: reports how long its event loop was blocked.
import { createHistogram } from 'node:perf_hooks';

/** The longest turn of the event loop since the last report, in milliseconds: by the clock, and of CPU time in it. */
export interface Stalls {
  readonly longest: number;
  readonly ran: number;
}

/** In milliseconds; the values include it. */
const RESOLUTION = 2;

// In microseconds: from one turn to the next, and the CPU time of this thread in between.
const turns = createHistogram();
const running = createHistogram();
let last = now();

setInterval(() => {
  const next = now();
  turns.record(Math.max(1, Math.round(next.at - last.at)));
  running.record(Math.max(1, next.cpu - last.cpu));
  last = next;
}, RESOLUTION).unref();

process.on('message', () => {
  const stalls: Stalls = { longest: turns.max / 1000, ran: running.max / 1000 };
  turns.reset();
  running.reset();
  process.send?.(stalls);
});
// The program ends as it does without a parent process.
process.channel?.unref();

function now(): { readonly at: number; readonly cpu: number } {
  const { user, system } = process.threadCpuUsage();
  return { at: performance.now() * 1000, cpu: user + system };
}
