import { plus } from '../counts.ts';
import type { CreditStatistics } from './dataset.ts';

/** Below so many active people a statistic would be as good as somebody's own figure. */
const LEAST_FOR_QUANTILES = 5;
const LEAST_FOR_EXTREMES = 10;
const LEAST_FOR_TOP_SHARE = 50;

/** How credits are spread over the active people whose credits are known; undefined where they are too few. */
export function creditStatistics(credits: readonly number[]): CreditStatistics | undefined {
  const people = credits.length;
  if (people < LEAST_FOR_QUANTILES) return undefined;
  const sorted = Float64Array.from(credits).sort();
  const hasExtremes = people >= LEAST_FOR_EXTREMES;
  return {
    p50: quantile(0.5, sorted),
    p90: quantile(0.9, sorted),
    p99: hasExtremes ? quantile(0.99, sorted) : undefined,
    max: hasExtremes ? sorted[people - 1] : undefined,
    topRatio: people >= LEAST_FOR_TOP_SHARE ? topShare(sorted) : undefined,
  };
}

/** As PromQL's quantile: between two people's figures in proportion. */
function quantile(share: number, sorted: Float64Array): number {
  const rank = share * (sorted.length - 1);
  const below = sorted[Math.floor(rank)] ?? 0;
  const above = sorted[Math.ceil(rank)] ?? 0;
  return below + (above - below) * (rank - Math.floor(rank));
}

/** The share of the tenth (rounded up) of the people that consumed most; undefined where nobody consumed any. */
function topShare(sorted: Float64Array): number | undefined {
  const total = sorted.reduce(plus, 0);
  const top = sorted.subarray(-Math.ceil(sorted.length / 10)).reduce(plus, 0);
  return total === 0 ? undefined : Math.min(1, top / total);
}
