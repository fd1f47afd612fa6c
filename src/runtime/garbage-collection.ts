import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, getHeapStatistics, setFlagsFromString } from 'node:v8';

/** The young generation of a process with many organizations, in bytes, after which it grows no further. */
const YOUNG_BYTES = 32 * 1024 * 1024;
/** The same of a command that works through much data. */
const THROUGHPUT_YOUNG_BYTES = 16 * 1024 * 1024;
/** The old generation grows by so many bytes before it is collected, and by at least a share of what was in use. */
const GARBAGE = { bytes: 80 * 1024 * 1024, share: 0.3 };
/** Work has ended when the process has hardly collected for so long; V8 then waits for 8 s from its last collection. */
const QUIET_MS = 4_000;
/** Collections of the young generation within a second that mean work: of a large one, and of a small one, as at rest. */
const WORK = { large: 4, small: 30 };

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
 * young generation copies most of them several times, a third of the CPU time. A larger one than this saves no more
 * copies, but every new page of it has to be cleared by the kernel first; V8 keeps it resident, and lets the old
 * generation grow by as much before it is collected.
 */
export function collectForThroughput(): void {
  growYoungGeneration(THROUGHPUT_YOUNG_BYTES);
  // The old generation is small: marking it in helper threads takes more CPU time than it saves the main thread, and the
  // receiver of the samples is often on the same machine.
  setFlagsFromString('--no-concurrent-marking');
}

/**
 * For many organizations in one process. While they are polled, the young generation may grow: most of a small one is
 * still in use when it is collected, which otherwise takes a fifth of the CPU time. A fourth of its maximum is enough; V8
 * keeps the rest resident, and lets the old generation grow by as much before it is collected. The old generation is
 * collected when it has grown by three tenths of what was in use, buffers included, or by 80 MiB while that is more; by
 * default it grows to several times that, and a fourth of the resident memory is garbage. Until the returned function is
 * called, it may double: a program that loads what it has stored needs less memory than later, and collecting often takes
 * a tenth of the time.
 *
 * After work, V8 compacts the old generation and returns what is free to the system: a third of the resident memory, on
 * pages that contain something else too. V8 can do so by itself (its memory reducer), but in Node.js it never considers
 * the process idle, unless memory is favored over speed.
 */
export function collectForManyOrganizations(quietMs = QUIET_MS): () => void {
  let isLoading = true;
  growOldGeneration(1);
  // Otherwise, once 64 MiB of buffers were allocated since the last collection, each further one makes V8 mark for 5 to
  // 10 ms at once: a turn of the event loop that reads many answers takes a tenth of a second.
  setFlagsFromString('--external-memory-accounted-in-global-limit');
  let state: 'working' | 'compacting' | 'resting' = 'working';
  let compactions = 0;
  let stopGrowing = growYoungGeneration(YOUNG_BYTES);
  const second = { start: 0, collections: 0 };

  function work(): void {
    state = 'working';
    setFlagsFromString('--no-optimize-for-size');
    stopGrowing = growYoungGeneration(YOUNG_BYTES);
    quiet.refresh();
  }

  function compact(): void {
    state = 'compacting';
    compactions = 0;
    stopGrowing();
    setFlagsFromString('--optimize-for-size');
    // The first collection moves a little, which leaves less for the second one, which otherwise blocks longer.
    setFlagsFromString('--no-memory-reducer-favors-memory');
  }

  function compacted(): void {
    compactions += 1;
    setFlagsFromString('--memory-reducer-favors-memory');
    if (compactions < 2) return;
    state = 'resting';
    setFlagsFromString('--no-optimize-for-size');
  }

  // The time of V8, which is not that of the exporter's clock.
  const quiet = setTimeout(compact, quietMs).unref();
  observeCollections(({ isOld, startedAt }) => {
    if (isOld && !isLoading) growOldGeneration(shareOfGarbage());
    if (isOld && state === 'compacting') return compacted();
    if (startedAt - second.start > 1000) Object.assign(second, { start: startedAt, collections: 0 });
    second.collections += 1;
    if (state !== 'working') {
      if (second.collections > WORK.small) work();
    } else if (isOld || second.collections > WORK.large) quiet.refresh();
  });
  return () => {
    isLoading = false;
    // The same at each start, and only then what fits: V8 uses the cached code of the modules that are loaded next if
    // all flags are those with which it was compiled.
    growOldGeneration(GARBAGE.share);
  };
}

/** Lets the old generation grow by a share of what is in use after a collection. */
function growOldGeneration(share: number): void {
  setFlagsFromString(`--heap-growing-percent=${Math.round(100 * share)}`);
}

/** The share of what is in use by which it may grow; at most it doubles. */
function shareOfGarbage(): number {
  const { used_heap_size: objects, external_memory: buffers } = getHeapStatistics();
  return Math.min(1, Math.max(GARBAGE.share, GARBAGE.bytes / (objects + buffers)));
}

/** Lets the young generation grow until it has so many bytes, or until the returned function is called. */
function growYoungGeneration(bytes: number): () => void {
  setFlagsFromString('--semi-space-growth-factor=2');
  function stop(): void {
    setFlagsFromString('--semi-space-growth-factor=1');
    observer.disconnect();
  }
  // V8 reads its own flag for the maximum only when it starts.
  const observer = observeCollections(() => {
    const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
    if (young !== undefined && young.space_size >= bytes) stop();
  });
  return stop;
}

interface Collection {
  /** Whether it was one of the old generation. */
  readonly isOld: boolean;
  /** In milliseconds since the start of the process. */
  readonly startedAt: number;
}

/** What `list.getEntries()` contains for `gc`, which its types do not say. */
type CollectionEntry = PerformanceEntry & { readonly detail: { readonly kind: number } };

function observeCollections(onCollection: (collection: Collection) => void): PerformanceObserver {
  const observer = new PerformanceObserver((list) => {
    for (const { detail, startTime } of list.getEntries() as CollectionEntry[]) {
      onCollection({ isOld: detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR, startedAt: startTime });
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return observer;
}
