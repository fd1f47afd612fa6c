/** The bounds of an exponential back-off, in milliseconds. */
export interface BackoffBounds {
  readonly baseMs: number;
  readonly capMs: number;
}

/**
 * How long to wait before a retry, in milliseconds: exponential in the number of earlier retries, with full jitter.
 * `random` is uniform in [0, 1).
 */
export function backoffMs(earlierRetries: number, random: () => number, bounds: BackoffBounds): number {
  return random() * Math.min(bounds.capMs, bounds.baseMs * 2 ** earlierRetries);
}
