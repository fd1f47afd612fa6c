import type { DatasetName } from '../catalog/dataset.ts';
import type { Instant } from '../catalog/day.ts';
import type { Clock } from '../runtime/clock.ts';
import type { PlatformError } from '../runtime/errors.ts';
import type { PacingLimiter } from '../runtime/rate-limiters.ts';
import { createTurns } from '../runtime/turns.ts';
import { type Attempt, endOf } from './attempt.ts';
import type { DailyQuota } from './daily-quota.ts';

/** What a hold applies to: one endpoint, or all requests of the organization. */
type HoldScope = DatasetName | 'organization';

/** A hold in force; `until` is wall-clock time. */
export interface ActiveHold {
  readonly scope: HoldScope;
  readonly until: Instant;
  readonly error: PlatformError;
}

/** Holds requests for as long as the platform asked. */
export interface ThrottleHolds {
  /** Holds a scope for `ms` milliseconds; its requests fail with `error`. A longer hold in force is kept. */
  hold(scope: HoldScope, ms: number, error: PlatformError): void;
  /** The error with which a request to the endpoint would fail now, if any. */
  current(endpoint: DatasetName): PlatformError | undefined;
  /**
   * Runs a request unless its endpoint is held. The first one after a hold is a probe; the others wait for its outcome,
   * so that a platform that is still overloaded gets one request.
   */
  guard<Result>(endpoint: DatasetName, request: () => Promise<Result>): Promise<Result>;
  active(): readonly ActiveHold[];
}

interface Hold {
  readonly until: number;
  readonly error: PlatformError;
  /** Settles once the probe has ended; undefined until one has begun. */
  probe?: Promise<void>;
}

/** Creates the holds of one organization, none at first. They are measured in monotonic time. */
export function createThrottleHolds(clock: Clock): ThrottleHolds {
  const holds = new Map<HoldScope, Hold>();

  function isOver({ until }: Hold): boolean {
    return clock.elapsed() >= until;
  }

  function current(endpoint: DatasetName): PlatformError | undefined {
    for (const scope of ['organization', endpoint] as const) {
      const hold = holds.get(scope);
      if (hold !== undefined && !isOver(hold)) return hold.error;
    }
    return undefined;
  }

  async function probe<Result>(
    scope: HoldScope,
    hold: Hold,
    request: () => Promise<Result>,
  ): Promise<Result> {
    const ended = Promise.withResolvers<void>();
    hold.probe = ended.promise;
    try {
      return await request();
    } finally {
      // If the probe was asked to wait again, a new hold has replaced this one.
      if (holds.get(scope) === hold) holds.delete(scope);
      ended.resolve();
    }
  }

  async function guard<Result>(endpoint: DatasetName, request: () => Promise<Result>): Promise<Result> {
    for (;;) {
      const error = current(endpoint);
      if (error !== undefined) throw error;
      const scope = holds.has('organization') ? 'organization' : endpoint;
      const hold = holds.get(scope);
      if (hold === undefined) return request();
      if (hold.probe === undefined) return probe(scope, hold, request);
      await hold.probe;
    }
  }

  return {
    hold(scope, ms, error) {
      const until = clock.elapsed() + ms;
      if (until > (holds.get(scope)?.until ?? 0)) holds.set(scope, { until, error });
    },
    current,
    guard,
    active() {
      const inForce = [...holds].filter(([, hold]) => !isOver(hold));
      return inForce.map(([scope, { until, error }]) => ({
        scope,
        until: clock.now() + until - clock.elapsed(),
        error,
      }));
    },
  };
}

/** Fails attempts to a held endpoint without sending them. */
export function withThrottleHolds(attempt: Attempt, holds: ThrottleHolds): Attempt {
  return async (request, budgetMs) => {
    const error = holds.current(request.endpoint);
    return error === undefined ? attempt(request, budgetMs) : { ok: false, error, retry: 'never' };
  };
}

/** Limits the rate of attempts. */
export function withRateLimit(attempt: Attempt, limiter: PacingLimiter, closed: AbortSignal): Attempt {
  return async (request, budgetMs) => {
    // If the client was closed, the attempt fails in the exchange, like any other.
    await limiter.take(endOf(request, closed)).catch(() => undefined);
    return attempt(request, budgetMs);
  };
}

/** Fails every attempt beyond the daily quota without sending it. */
export function withDailyQuota(attempt: Attempt, quota: DailyQuota | undefined): Attempt {
  if (quota === undefined) return attempt;
  return async (request, budgetMs) => {
    const error = await quota.take();
    return error === undefined ? attempt(request, budgetMs) : { ok: false, error, retry: 'never' };
  };
}

/** Allows at most `limit` attempts at a time; the others wait in order. */
export function withConcurrency(attempt: Attempt, limit: number): Attempt {
  const turns = createTurns({ limit });
  return async (request, budgetMs) => {
    const turn = await turns.take('all', 'other');
    try {
      return await attempt(request, budgetMs);
    } finally {
      turn.end();
    }
  };
}
