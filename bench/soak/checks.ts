import { median } from '../statistics.ts';
import type { Sample } from './samples.ts';

/** The result of a soak test. */
export interface Soak {
  readonly minutes: number;
  readonly organizations: number;
  readonly perSecond: number;
  readonly pollSeconds: number;
  readonly polls: number;
  /** The platform's answers by status; 0 if it closed the connection. */
  readonly answers: ReadonlyMap<number, number>;
  readonly scrapes: readonly number[];
  readonly failures: readonly string[];
  readonly samples: readonly Sample[];
  /** Lines of the exporter's log by level. */
  readonly logLines: ReadonlyMap<string, number>;
  /** The ERROR lines among them. */
  readonly errors: readonly string[];
}

export interface Check {
  readonly what: string;
  readonly found: string;
  readonly held: boolean;
}

/** Maximum relative difference of memory between the second and the last third that counts as stable. */
const GROWTH = 1.1;
const SLACK_BYTES = 8 * 2 ** 20;
/** Allowance for uncollected garbage at the minimum heap usage. */
const GARBAGE_BYTES = 16 * 2 ** 20;
/** Allowance for additional scraper connections at the minimum, as on a machine that has become slower. */
const SLACK_FILES = 8;
const SLOWEST_MS = 250;

/**
 * Checks a soak test: the first third is warm-up, the last is compared with the second. The limit on the duration of a
 * scrape applies only to the machine that the benchmark names.
 */
export function evaluate(soak: Soak, { anyMachine = false } = {}): readonly Check[] {
  const third = (soak.minutes * 60) / 3;
  const second = soak.samples.filter((sample) => sample.second >= third && sample.second < 2 * third);
  const last = soak.samples.filter((sample) => sample.second >= 2 * third);
  const slowest = soak.scrapes.reduce((most, took) => Math.max(most, took), 0);
  return [
    {
      what: 'no scrape failed',
      found: `${soak.scrapes.length} scrapes, ${soak.failures.length} failed`,
      held: soak.failures.length === 0 && soak.scrapes.length > 0,
    },
    ...(anyMachine
      ? []
      : [
          {
            what: `every scrape took under ${SLOWEST_MS} ms`,
            found: `${slowest.toFixed(1)} ms`,
            held: slowest < SLOWEST_MS,
          },
        ]),
    resident(second, last),
    heap(second, last),
    files(second, last),
    {
      what: 'the log contains no ERROR',
      found: `${soak.errors.length}`,
      held: soak.errors.length === 0,
    },
  ];
}

function resident(second: readonly Sample[], last: readonly Sample[]): Check {
  const middle = (samples: readonly Sample[]) => median(samples.map(({ residentBytes }) => residentBytes));
  const [before, after] = [middle(second), middle(last)];
  return {
    what: 'resident memory is level: median of the last third against the second',
    found: `${mebibytes(before)} → ${mebibytes(after)} MiB`,
    held: after <= Math.max(before * GROWTH, before + SLACK_BYTES),
  };
}

/** Compares the minimum of each third: usage above it is mostly garbage not yet collected. */
function heap(second: readonly Sample[], last: readonly Sample[]): Check {
  const least = (samples: readonly Sample[]) => Math.min(...samples.map(({ heapBytes }) => heapBytes));
  const [before, after] = [least(second), least(last)];
  return {
    what: 'the heap is level: minimum of the last third against the second',
    found: `${mebibytes(before)} → ${mebibytes(after)} MiB`,
    held: after <= before + GARBAGE_BYTES,
  };
}

/** Compares the minimum of each third: slow moments have many connections, but a leak also shows in the best one. */
function files(second: readonly Sample[], last: readonly Sample[]): Check {
  const least = (samples: readonly Sample[]) => Math.min(...samples.map(({ openFiles }) => openFiles));
  const [before, after] = [least(second), least(last)];
  return {
    what: 'open files are level: minimum of the last third against the second',
    found: `${before} → ${after}`,
    held: after <= before + SLACK_FILES,
  };
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}
