import type { DatasetName } from '../catalog/dataset.ts';
import type { Clock } from '../runtime/clock.ts';
import type { PlatformError } from '../runtime/errors.ts';
import type { Attempt } from './attempt.ts';

/** What of an organization is left alone: all of it, or one endpoint. */
export type PauseScope = DatasetName | 'all';

/** Remembers which requests the server asked not to be sent for a while. */
export interface Pauses {
  /** Holds back requests of `scope` for `ms` milliseconds; they fail with `error`. */
  hold(scope: PauseScope, ms: number, error: PlatformError): void;
  /** The error with which a request of this endpoint fails now, if it does. */
  of(endpoint: DatasetName): PlatformError | undefined;
}

export function createPauses(clock: Clock): Pauses {
  const held = new Map<PauseScope, { until: number; error: PlatformError }>();
  function current(scope: PauseScope): PlatformError | undefined {
    const pause = held.get(scope);
    if (pause === undefined) return undefined;
    if (clock.elapsed() < pause.until) return pause.error;
    held.delete(scope);
    return undefined;
  }
  return {
    hold(scope, ms, error) {
      const until = clock.elapsed() + ms;
      if (until > (held.get(scope)?.until ?? 0)) held.set(scope, { until, error });
    },
    of: (endpoint) => current('all') ?? current(endpoint),
  };
}

/** Fails attempts of what is paused without making them. */
export function withPauses(attempt: Attempt, pauses: Pauses): Attempt {
  return async (request, budgetMs) => {
    const error = pauses.of(request.endpoint);
    return error === undefined ? attempt(request, budgetMs) : { ok: false, error, retry: 'never' };
  };
}
