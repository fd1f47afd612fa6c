// Loaded into a measured program by `--import`: tells the parent process how long its event loop was blocked.
import { createHistogram } from 'node:perf_hooks';
import type { Stalls } from '../messages.ts';

/** In milliseconds; the values include it. */
const RESOLUTION = 5;

// In microseconds: from one turn to the next, and the CPU time of this thread in between.
const [turns, running] = [createHistogram(), createHistogram()];
let last = now();

setInterval(() => {
  const next = now();
  turns.record(Math.max(1, Math.round(next.at - last.at)));
  running.record(Math.max(1, next.cpu - last.cpu));
  last = next;
}, RESOLUTION).unref();

process.on('message', () => {
  const stalls: Stalls = {
    p999: turns.percentile(99.9) / 1000,
    longest: turns.max / 1000,
    ran: running.percentile(99.9) / 1000,
  };
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
