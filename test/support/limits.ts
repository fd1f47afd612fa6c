/**
 * How long a condition may take before the test counts as hung, in milliseconds. It does not measure speed: it is far more
 * than a busy machine needs.
 */
export const WAIT_LIMIT_MS = 5 * 60_000;

/** Time limit of a test or a hook, in milliseconds: above the limit of a wait, so that the wait reports first. */
export const TEST_LIMIT_MS = 3 * WAIT_LIMIT_MS;
