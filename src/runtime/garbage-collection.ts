import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** The young generation of a process with many organizations, in bytes, after which it grows no further. */
const YOUNG_BYTES = 32 * 1024 * 1024;
/** The same of a command that works through much data. */
const THROUGHPUT_YOUNG_BYTES = 64 * 1024 * 1024;

/**
 * Keeps V8's young generation at its initial size of one to two mebibytes. Otherwise it grows to 64 MiB within minutes
 * and stays there: half of what the exporter needs with a hundred thousand series. One thread collects such a small
 * generation in under a millisecond; coordinating helper threads takes longer, especially on a busy machine. Call it
 * before anything large is loaded. V8 reads both flags at each collection, so they can be changed while it runs.
 */
export function keepYoungGenerationSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--no-parallel-scavenge');
}

/**
 * For commands that work through much data and end. Objects of a day live as long as the day is being written: a small
 * young generation copies most of them several times, a third of the CPU time. By default it grows to twice this size,
 * which saves nothing more; V8 keeps it resident, and lets the old generation grow by as much before it is collected.
 */
export function collectForThroughput(): void {
  growYoungGeneration(THROUGHPUT_YOUNG_BYTES);
}

/**
 * For many organizations in one process. The young generation may grow: while they are polled at the same time, most of a
 * small one is still in use when it is collected, which otherwise takes a fifth of the CPU time. A fourth of its maximum is
 * enough; V8 keeps the rest resident, and lets the old generation grow by as much before it is collected. The old
 * generation is collected when it has grown by half of what was in use; by default it grows to several times that, and a
 * fourth of the resident memory is garbage.
 */
export function collectForManyOrganizations(): void {
  growYoungGeneration(YOUNG_BYTES);
  setFlagsFromString('--heap-growing-percent=50');
}

/** Lets the young generation grow until it has so many bytes. */
function growYoungGeneration(bytes: number): void {
  setFlagsFromString('--semi-space-growth-factor=2');
  // V8 reads its own flag for the maximum only when it starts.
  const observer = new PerformanceObserver(() => {
    const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
    if (young === undefined || young.space_size < bytes) return;
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  });
  observer.observe({ entryTypes: ['gc'] });
}
