import type { Clock } from '../runtime/clock.ts';
import type { PlatformError } from '../runtime/errors.ts';
import type { Attempt } from './attempt.ts';

/** Remembers that the server asked for nothing to be sent for a while. */
export interface Pause {
  /** Holds back all requests of the organization for `ms` milliseconds; they fail with `error`. */
  hold(ms: number, error: PlatformError): void;
  /** The error with which a request fails now, if it does. */
  current(): PlatformError | undefined;
}

/** Creates the pause of one organization; there is none at first. */
export function createPause(clock: Clock): Pause {
  let held: { until: number; error: PlatformError } | undefined;
  return {
    hold(ms, error) {
      const until = clock.elapsed() + ms;
      if (until > (held?.until ?? 0)) held = { until, error };
    },
    current() {
      if (held !== undefined && clock.elapsed() >= held.until) held = undefined;
      return held?.error;
    },
  };
}

/** Fails attempts of a paused organization without making them. */
export function withPause(attempt: Attempt, pause: Pause): Attempt {
  return async (request, budgetMs) => {
    const error = pause.current();
    return error === undefined ? attempt(request, budgetMs) : { ok: false, error, retry: 'never' };
  };
}
