/** The value at the given quantile, by nearest rank; NaN if there are no values. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}

/** The median; the mean of the middle two for an even number of values; NaN if there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** A figure of several rounds: the median, and the lower and upper quartile. */
export interface Spread {
  readonly median: number;
  readonly lower: number;
  readonly upper: number;
}

/**
 * The spread of the rounds; with fewer than five, from the smallest value to the largest one. Its ends are expected at the
 * quartiles of 3, 7, 11 or 15 rounds, and closer to the median of 5, 9 or 13.
 */
export function spreadOf(rounds: readonly number[]): Spread {
  const sorted = rounds.toSorted((a, b) => a - b);
  const outside = Math.max(0, Math.ceil(sorted.length / 4) - 1);
  return {
    median: median(sorted),
    lower: sorted[outside] ?? Number.NaN,
    upper: sorted.at(-1 - outside) ?? Number.NaN,
  };
}

/** The spread of the ratios of each round: a machine that slows down for a while slows down both sides of a ratio. */
export function ratiosOf(rounds: readonly number[], others: readonly number[]): Spread {
  return spreadOf(rounds.map((value, round) => value / (others[round] ?? Number.NaN)));
}
