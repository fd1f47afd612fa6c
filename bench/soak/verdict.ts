import { median, quantile } from '../report/statistics.ts';
import type { Sample } from './samples.ts';

/** What a soak came to. */
export interface Soak {
  readonly minutes: number;
  readonly perSecond: number;
  readonly pollSeconds: number;
  readonly polls: number;
  /** Of the platform's answers, by status; 0 where it closed the connection. */
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

/** Memory may differ by so much between the second and the last third, and still be level. */
const GROWTH = 1.1;
const SLACK_BYTES = 8 * 2 ** 20;
const SLACK_FILES = 16;
const SLOWEST_MS = 1000;

/** Holds a soak to what was promised: the first third warms up, the last is compared with the second. */
export function judge(soak: Soak): readonly Check[] {
  const third = (soak.minutes * 60) / 3;
  const second = soak.samples.filter((sample) => sample.second >= third && sample.second < 2 * third);
  const last = soak.samples.filter((sample) => sample.second >= 2 * third);
  const p99 = quantile(soak.scrapes, 0.99);
  return [
    {
      what: 'no scrape failed',
      found: `${soak.scrapes.length} scrapes, ${soak.failures.length} failed`,
      held: soak.failures.length === 0 && soak.scrapes.length > 0,
    },
    {
      what: `99 % of the scrapes took under ${SLOWEST_MS} ms`,
      found: `${p99.toFixed(1)} ms`,
      held: p99 < SLOWEST_MS,
    },
    level('resident memory is level', second, last, ({ residentBytes }) => residentBytes),
    level('the heap is level', second, last, ({ heapBytes }) => heapBytes),
    files(second, last),
    {
      what: 'no line of the log is an ERROR',
      found: `${soak.errors.length}`,
      held: soak.errors.length === 0,
    },
  ];
}

function level(
  what: string,
  second: readonly Sample[],
  last: readonly Sample[],
  of: (sample: Sample) => number,
): Check {
  const [before, after] = [median(second.map(of)), median(last.map(of))];
  return {
    what: `${what}: median of the last third against the second`,
    found: `${mebibytes(before)} → ${mebibytes(after)} MiB`,
    held: after <= Math.max(before * GROWTH, before + SLACK_BYTES),
  };
}

function files(second: readonly Sample[], last: readonly Sample[]): Check {
  const most = (samples: readonly Sample[]) => Math.max(...samples.map(({ openFiles }) => openFiles));
  return {
    what: 'open files are level: most of the last third against the second',
    found: `${most(second)} → ${most(last)}`,
    held: most(last) <= most(second) + SLACK_FILES,
  };
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}
