/**
 * How long a condition may take to come true before the test counts as hung, in milliseconds. It is no statement about
 * speed: it is far above what a machine needs that is busy with other things.
 */
export const WAIT_LIMIT_MS = 5 * 60_000;

/** How long a test or a hook may take, in milliseconds: above the limit of a wait, so that the wait speaks first. */
export const TEST_LIMIT_MS = 3 * WAIT_LIMIT_MS;
