/** The bounds of an exponential back-off, in milliseconds. */
export interface BackoffBounds {
  readonly baseMs: number;
  readonly capMs: number;
}

/**
 * The wait before a retry, in milliseconds: doubled with each earlier retry, up to the cap. If many would retry at the same
 * instant, `random`, which is uniform in [0, 1), gives it full jitter.
 */
export function backoffMs(
  earlierRetries: number,
  { baseMs, capMs }: BackoffBounds,
  random: () => number = () => 1,
): number {
  return random() * Math.min(capMs, baseMs * 2 ** earlierRetries);
}
