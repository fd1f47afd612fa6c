/**
 * How long a condition may take before the test counts as hung, in milliseconds. It does not measure speed: it is far more
 * than a busy machine needs.
 */
export const WAIT_LIMIT_MS = 5 * 60_000;

/** Time limit of a test or a hook, in milliseconds: above the limit of a wait, so that the wait reports first. */
export const TEST_LIMIT_MS = 3 * WAIT_LIMIT_MS;

/**
 * After this time in milliseconds, a wait of `npm test` also ends once nothing has run for so many seconds: what is awaited will
 * not come. Other programs, such as a Prometheus between two scrapes, may be quiet for longer.
 */
export const QUIET_AFTER_MS = 15_000;
export const QUIET_SECONDS = process.env['QUIET_ENDS_WAITS'] === 'yes' ? 10 : Number.POSITIVE_INFINITY;
