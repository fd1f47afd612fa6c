import { addDays, type Day, dayOf, startOf } from '../catalog/day.ts';
import type { Clock } from '../runtime/clock.ts';
import { PlatformError } from '../runtime/errors.ts';

/** How many requests went out on a UTC day. */
export interface DayCount {
  readonly day: Day;
  readonly requests: number;
}

/** Keeps the count over restarts. */
export interface CountStore {
  read(): Promise<DayCount | undefined>;
  write(count: DayCount): Promise<void>;
}

/** Counts an organization's requests of each UTC day against a ceiling. */
export interface RequestCeiling {
  /** Counts one request; where the day's requests are used up, gives the error with which it fails instead. */
  take(): Promise<PlatformError | undefined>;
  /** Stores the count as it is; nothing may be taken afterwards. */
  close(): Promise<void>;
}

export interface CeilingDeps {
  /** The most requests of a UTC day; undefined where there is no ceiling. Asked for each request. */
  readonly limit: () => number | undefined;
  readonly store: CountStore;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * So many requests are stored before they are made: a process that is killed may have counted a few that it never
 * made, and never the other way round.
 */
const RESERVED = 10;

/** Creates the ceiling of one organization. Days are UTC; a clock that goes back begins no new one. */
export function createRequestCeiling({ limit, store, clock }: CeilingDeps): RequestCeiling {
  let count: DayCount | undefined;
  let stored = 0;
  let turn: Promise<unknown> = Promise.resolve();

  async function countOf(today: Day): Promise<DayCount> {
    const known = count ?? (await store.read());
    if (count === undefined) stored = known?.requests ?? 0;
    if (known !== undefined && known.day >= today) return known;
    stored = 0;
    return { day: today, requests: 0 };
  }

  async function takeNow(): Promise<PlatformError | undefined> {
    const most = limit();
    const { day, requests } = await countOf(dayOf(clock.now()));
    count = { day, requests };
    if (most !== undefined && requests >= most) return usedUp(most, day);
    count = { day, requests: requests + 1 };
    if (most === undefined || requests < stored) return undefined;
    stored = requests + RESERVED;
    await store.write({ day, requests: stored });
    return undefined;
  }

  return {
    take() {
      const taken = turn.then(takeNow);
      turn = taken.catch(() => undefined);
      return taken;
    },
    async close() {
      await turn;
      if (count !== undefined && count.requests !== stored) await store.write(count);
    },
  };
}

function usedUp(limit: number, day: Day): PlatformError {
  const retryAt = startOf(addDays(day, 1));
  return new PlatformError('limit', `the ${limit} requests of ${day} are used up (api.daily-request-limit)`, {
    hint: 'Nothing more is asked before the next UTC day. Raise --api.daily-request-limit, or let the schedules run less often.',
    retryAt,
  });
}
