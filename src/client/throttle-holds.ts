import type { DatasetName } from '../catalog/dataset.ts';
import type { Instant } from '../catalog/day.ts';
import type { PlatformError } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';

/** Ends of a pause that differ by less, in milliseconds, are of the same pause: `Retry-After` counts seconds. */
const SAME_MS = 1000;

/** What a hold applies to: one endpoint, or all requests of the organization. */
type HoldScope = DatasetName | 'organization';

/** A hold in force; `until` is wall-clock time. */
interface ActiveHold {
  readonly scope: HoldScope;
  readonly until: Instant;
  readonly error: PlatformError;
}

interface Hold {
  readonly until: number;
  readonly error: PlatformError;
  /** Settles when the first request after the hold has ended; undefined until that request begins. */
  probe?: Promise<void>;
}

/** The pauses that the platform has requested (429 or `Retry-After`): requests fail without being sent while a hold is in force. */
export type ThrottleHolds = ReturnType<typeof createThrottleHolds>;

/** Creates the holds of one organization, initially none. Their ends are measured in monotonic time. */
export function createThrottleHolds(clock: Clock) {
  const holds = new Map<HoldScope, Hold>();

  function inForce() {
    return [...holds].filter(([, { until }]) => clock.elapsed() < until);
  }

  function current(endpoint: DatasetName): PlatformError | undefined {
    const held = new Map(inForce());
    return (held.get('organization') ?? held.get(endpoint))?.error;
  }

  async function probe<Result>(scope: HoldScope, hold: Hold, request: () => Promise<Result>) {
    const ended = Promise.withResolvers<void>();
    hold.probe = ended.promise;
    try {
      return await request();
    } finally {
      // If the platform asked for another pause, a new hold has replaced this one.
      if (holds.get(scope) === hold) holds.delete(scope);
      ended.resolve();
    }
  }

  return {
    /**
     * Holds a scope for `ms` milliseconds; its requests fail with `error`. A longer hold in force is kept. Returns whether the
     * hold is news: requests under way at the same time are asked for the same pause.
     */
    hold(scope: HoldScope, ms: number, error: PlatformError): boolean {
      const until = clock.elapsed() + ms;
      const known = holds.get(scope)?.until ?? 0;
      if (until > known) holds.set(scope, { until, error });
      return until >= known + SAME_MS;
    },
    /** The error of the hold that applies to an endpoint now, if any. A hold of the organization comes first. */
    current,
    /**
     * Runs a request unless its endpoint is held. The first request after a hold is a probe, and other requests wait until it ends:
     * a platform that is still overloaded gets a single request.
     */
    async guard<Result>(endpoint: DatasetName, request: () => Promise<Result>): Promise<Result> {
      for (;;) {
        const error = current(endpoint);
        if (error !== undefined) throw error;
        const scope = holds.has('organization') ? 'organization' : endpoint;
        const hold = holds.get(scope);
        if (hold === undefined) return request();
        if (hold.probe === undefined) return probe(scope, hold, request);
        await hold.probe;
      }
    },
    /** All holds in force. */
    active(): readonly ActiveHold[] {
      return inForce().map(([scope, { until, error }]) => ({
        scope,
        until: clock.now() + until - clock.elapsed(),
        error,
      }));
    },
  };
}
