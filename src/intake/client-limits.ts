import { isIPv6 } from 'node:net';
import type { Clock } from '../work/clock.ts';
import { createTokenBucket, type TokenBucket } from '../work/rate-limiters.ts';

/** Limits the requests per second of each client. */
export interface ClientLimits {
  /** Counts one request of a client; returns 0 if it is allowed, otherwise the seconds until it may retry. */
  take(address: string | undefined): number;
}

interface ClientLimitsDeps {
  readonly perSecond: number;
  /** Maximum number of requests at once after a pause. */
  readonly burst: number;
  readonly clock: Pick<Clock, 'elapsed'>;
  /** Maximum number of distinguished clients. */
  readonly maxClients?: number;
}

/** Clients that are tracked; a client that is evicted starts with a full bucket. */
const MAX_CLIENTS = 10_000;

/** Creates limits without any clients. */
export function createClientLimits(deps: ClientLimitsDeps): ClientLimits {
  const { perSecond, burst, clock, maxClients = MAX_CLIENTS } = deps;
  const rate = { intervalMs: 1000 / perSecond, burst };
  // The most recent client is last.
  const buckets = new Map<string, TokenBucket>();
  return {
    take(address) {
      const client = clientOf(address);
      const bucket = buckets.get(client) ?? createTokenBucket(clock);
      buckets.delete(client);
      const [oldest] = buckets.keys();
      if (buckets.size >= maxClients && oldest !== undefined) buckets.delete(oldest);
      buckets.set(client, bucket);
      const wait = bucket.take(rate);
      return wait === 'taken' ? 0 : Math.ceil(wait / 1000);
    },
  };
}

/** The owner of an IPv6 address has 2^64 of them. */
function clientOf(address = ''): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const zeros = ':0'.repeat(8 - groups(address).length);
  return groups(address.replace('::', `${zeros}:`))
    .slice(0, 4)
    .join(':');
}
