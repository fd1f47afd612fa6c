import type { DatasetName } from '../catalog/dataset.ts';
import type { Instant } from '../catalog/day.ts';
import type { PlatformError } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';

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
  /** Settles once the first request after it has ended; undefined until that has begun. */
  probe?: Promise<void>;
}

/** Holds requests for as long as the platform asked. */
export type ThrottleHolds = ReturnType<typeof createThrottleHolds>;

/** Creates the holds of one organization, none at first. They are measured in monotonic time. */
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
      // If it was asked to wait again, a new hold has replaced this one.
      if (holds.get(scope) === hold) holds.delete(scope);
      ended.resolve();
    }
  }

  return {
    /** Holds a scope for `ms` milliseconds; its requests fail with `error`. A longer hold in force is kept. */
    hold(scope: HoldScope, ms: number, error: PlatformError): void {
      const until = clock.elapsed() + ms;
      if (until > (holds.get(scope)?.until ?? 0)) holds.set(scope, { until, error });
    },
    /** The error with which a request to the endpoint would fail now, if any; that of the organization comes first. */
    current,
    /**
     * Runs a request unless its endpoint is held. The first one after a hold is a probe; the others wait for its outcome, so that
     * a platform that is still overloaded gets one request.
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
    active(): readonly ActiveHold[] {
      return inForce().map(([scope, { until, error }]) => ({
        scope,
        until: clock.now() + until - clock.elapsed(),
        error,
      }));
    },
  };
}
