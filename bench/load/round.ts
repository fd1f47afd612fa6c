import type { LoadResult } from '../messages.ts';
import { quantile } from '../report/statistics.ts';

/** A load, and what the server has used for it. */
export interface MeasuredLoad extends LoadResult {
  /** CPU time of all threads of the server. */
  readonly cpuSeconds: number;
  /** The time in which the server's main thread ran or waited for a core. */
  readonly wantedSeconds: number;
}

/** The figures of a server in one round; times in milliseconds. */
export interface Round {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU milliseconds of all threads per scrape. */
  readonly cpuMs: number;
  /** The share of its loads in which its main thread ran or waited for a core. */
  readonly wanted: number;
  /** Bytes of an answer's body. */
  readonly bytes: number;
}

/** Adds up the loads of a server in one round; the quantiles are those of all its answers. */
export function addUp(loads: readonly MeasuredLoad[]): Round {
  const times = loads.flatMap((load) => load.times);
  const seconds = sum(loads.map((load) => load.seconds));
  return {
    perSecond: times.length / seconds,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    cpuMs: (sum(loads.map(({ cpuSeconds }) => cpuSeconds)) * 1000) / times.length,
    wanted: sum(loads.map(({ wantedSeconds }) => wantedSeconds)) / seconds,
    bytes: loads.at(-1)?.bytes ?? Number.NaN,
  };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
