// Loaded into a measured program by `--import`: tells the parent process how long its event loop was blocked.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Stalls } from '../messages.ts';

/** In milliseconds; the values include it. */
const RESOLUTION = 5;

const delay = monitorEventLoopDelay({ resolution: RESOLUTION });
delay.enable();
process.on('message', () => {
  const stalls: Stalls = { p999: delay.percentile(99.9) / 1e6, longest: delay.max / 1e6 };
  delay.reset();
  process.send?.(stalls);
});
// The program ends as it does without a parent process.
process.channel?.unref();
