import { isIPv6 } from 'node:net';
import type { Clock } from '../work/clock.ts';
import { createTokenBucket, type TokenBucket } from '../work/rate-limiters.ts';

interface ClientLimitsParts {
  readonly perSecond: number;
  /** Maximum number of requests at once after a pause. */
  readonly burst: number;
  readonly clock: Pick<Clock, 'elapsed'>;
  /** Maximum number of clients that are tracked separately. */
  readonly maxClients?: number;
}

/** Default for the maximum number of tracked clients. An evicted client starts again with a full bucket. */
const MAX_CLIENTS = 10_000;

/** Limits the requests per second of each client. */
export class ClientLimits {
  readonly #parts: ClientLimitsParts;
  readonly #rate: { readonly intervalMs: number; readonly burst: number };
  /** The most recent client is last. */
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(parts: ClientLimitsParts) {
    this.#parts = parts;
    this.#rate = { intervalMs: 1000 / parts.perSecond, burst: parts.burst };
  }

  /** Counts one request of a client; returns 0 if it is allowed, otherwise the seconds until it may retry. */
  take(address: string | undefined): number {
    const { clock, maxClients = MAX_CLIENTS } = this.#parts;
    const client = clientOf(address);
    const bucket = this.#buckets.get(client) ?? createTokenBucket(clock);
    this.#buckets.delete(client);
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size >= maxClients && oldest !== undefined) this.#buckets.delete(oldest);
    this.#buckets.set(client, bucket);
    const wait = bucket.take(this.#rate);
    return wait === 'taken' ? 0 : Math.ceil(wait / 1000);
  }
}

/** The key of a client: of an IPv6 address only the first half, because its owner has 2^64 addresses. */
function clientOf(address = ''): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const zeros = ':0'.repeat(8 - groups(address).length);
  return groups(address.replace('::', `${zeros}:`))
    .slice(0, 4)
    .join(':');
}
