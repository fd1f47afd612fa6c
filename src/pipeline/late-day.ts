/** How long after its end a day answered without a row may still get one, in milliseconds. */
export const LATE_DAY_MS = 72 * 3_600_000;
