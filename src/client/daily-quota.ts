import { addDays, type Day, dayOf, startOf } from '../catalog/day.ts';
import { PlatformError } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';
import { createSerialQueue } from '../work/serial-queue.ts';

/** The number of requests sent on a UTC day. */
export interface DayCount {
  readonly day: Day;
  readonly requests: number;
}

/** Stores the count, so that it survives restarts. */
export interface CountStore {
  read(): Promise<DayCount | undefined>;
  write(count: DayCount): Promise<void>;
}

/** Counts an organization's requests per UTC day against a limit. */
export type DailyQuota = ReturnType<typeof createDailyQuota>;

interface DailyQuotaDeps {
  /** The maximum number of requests per UTC day; undefined for no limit. */
  readonly limit: number | undefined;
  readonly store: CountStore;
  readonly clock: Pick<Clock, 'now'>;
}

/**
 * Requests are reserved in the store in batches of this size before they are sent: a killed process may have counted a
 * few that it never sent, but never the reverse.
 */
const RESERVED = 10;

/** Counts of this many days are kept, in case the clock is set back over midnight. */
const REMEMBERED_DAYS = 3;

/**
 * Creates the daily quota of one organization. Days are UTC. A count of a future day, left by a clock that ran ahead,
 * affects that day only.
 */
export function createDailyQuota({ limit, store, clock }: DailyQuotaDeps) {
  let max = limit;
  const queue = createSerialQueue();
  let counts: readonly Counted[] | undefined;

  async function countOf(today: Day): Promise<Counted> {
    counts ??= asStored(await store.read());
    return counts.find(({ day }) => day === today) ?? { day: today, requests: 0, stored: 0 };
  }

  function keep(count: Counted): void {
    const others = (counts ?? []).filter(({ day }) => day !== count.day);
    counts = [count, ...others].slice(0, REMEMBERED_DAYS);
  }

  async function takeNow(): Promise<PlatformError | undefined> {
    const { day, requests, stored } = await countOf(dayOf(clock.now()));
    if (max !== undefined && requests >= max) return usedUp(max, day);
    if (max === undefined || requests < stored) {
      keep({ day, requests: requests + 1, stored });
      return undefined;
    }
    keep({ day, requests: requests + 1, stored: requests + RESERVED });
    await store.write({ day, requests: requests + RESERVED });
    return undefined;
  }

  return {
    /** Counts one request; returns the error to fail it with if the day's quota is used up. */
    take: () => queue.run(takeNow),
    /** The error with which a request would fail now; undefined if it would be sent, or no count was read yet. */
    usedUp(): PlatformError | undefined {
      const today = dayOf(clock.now());
      const requests = counts?.find(({ day }) => day === today)?.requests ?? 0;
      return max !== undefined && requests >= max && counts !== undefined ? usedUp(max, today) : undefined;
    },
    /** The number of requests of the current day, and the limit if there is one; undefined until one was counted. */
    today(): { readonly sent: number; readonly limit?: number } | undefined {
      const today = dayOf(clock.now());
      const sent = counts?.find(({ day }) => day === today)?.requests;
      if (sent === undefined) return undefined;
      return max === undefined ? { sent } : { sent, limit: max };
    },
    /** Sets another limit, from the next request on; the count is kept. */
    setLimit(next: number | undefined): void {
      max = next;
    },
    /** Reads the stored count again before the next request: another process may have sent some. */
    forget(): void {
      counts = undefined;
    },
    /** Stores the exact count; no request may be counted afterwards. */
    async close(): Promise<void> {
      await queue.idle();
      const [newest] = counts ?? [];
      if (newest !== undefined && newest.requests !== newest.stored) {
        await store.write({ day: newest.day, requests: newest.requests });
      }
    },
  };
}

interface Counted extends DayCount {
  /** The count in the store, which is ahead by the reserved requests. */
  readonly stored: number;
}

function asStored(count: DayCount | undefined): readonly Counted[] {
  return count === undefined ? [] : [{ ...count, stored: count.requests }];
}

function usedUp(limit: number, day: Day): PlatformError {
  const retryAt = startOf(addDays(day, 1));
  return new PlatformError('limit', `the ${limit} requests of ${day} are used up (api.daily-request-limit)`, {
    hint: 'No more requests are sent before the next UTC day. Raise --api.daily-request-limit, or use less frequent schedules.',
    retryAt,
  });
}
