/** The bounds of an exponential back-off, in milliseconds. */
export interface BackoffBounds {
  readonly baseMs: number;
  readonly capMs: number;
}

/** The wait before a retry, in milliseconds: doubled with each earlier retry, up to the cap. */
export function backoffMs(earlierRetries: number, { baseMs, capMs }: BackoffBounds): number {
  return Math.min(capMs, baseMs * 2 ** earlierRetries);
}

/** The same with full jitter, if many would retry at the same instant; `random` is uniform in [0, 1). */
export function jitteredBackoffMs(
  earlierRetries: number,
  random: () => number,
  bounds: BackoffBounds,
): number {
  return random() * backoffMs(earlierRetries, bounds);
}
