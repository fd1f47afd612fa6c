import { type Day, earlier, type Instant } from '../catalog/day.ts';
import { ConfigError } from '../text/errors.ts';
import { newestStampedDay } from './sample-times.ts';

/** The first and the last day that are asked for, where they are given. */
export interface GivenDays {
  readonly from: Day | undefined;
  readonly to: Day | undefined;
}

/** The days to backfill since the start of history, inclusive, without those that the live series covers. Throws like `rangeUpTo`. */
export function rangeOf(given: GivenDays & { readonly step: number | undefined }, start: Day, now: Instant) {
  const tooNew = 'is still covered by the live series; the newest day to backfill is';
  return rangeUpTo(newestStampedDay(given.step, now), given, start, tooNew);
}

/**
 * The given days up to the newest possible one, inclusive: by default all since the start of history. `tooNew` is what to
 * say of a first day after the newest one. Throws a `ConfigError` if no day is left.
 */
export function rangeUpTo(newest: Day, given: GivenDays, start: Day, tooNew: string) {
  const from = given.from ?? start;
  const to = given.to === undefined ? newest : earlier(given.to, newest);
  if (from < start) {
    throw new ConfigError(
      `--from: ${from} is before ${start}, the first day that is fetched`,
      'start with that day, or change --history.start',
    );
  }
  if (given.to !== undefined && given.to < from) {
    throw new ConfigError(`--to: ${given.to} is before the first day, ${from}`);
  }
  if (to < from) throw new ConfigError(`--from: ${from} ${tooNew} ${newest}`);
  return { from, to };
}
