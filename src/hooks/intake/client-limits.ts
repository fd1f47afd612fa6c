import { isIPv6 } from 'node:net';
import type { Clock } from '../../runtime/clock.ts';

/** Holds each client to a number of requests per second. */
export interface ClientLimits {
  /** Takes one request of a client; 0 where it may go on, else the seconds after which it may come again. */
  take(address: string | undefined): number;
}

export interface ClientLimitsDeps {
  readonly perSecond: number;
  /** Requests that may come at once after a pause. */
  readonly burst: number;
  readonly clock: Pick<Clock, 'elapsed'>;
  /** Most clients that are told apart. */
  readonly most?: number;
}

/** Clients that are told apart; a client that is forgotten begins anew. */
const MOST_CLIENTS = 10_000;

/** Creates limits under which nobody has asked yet. */
export function createClientLimits(deps: ClientLimitsDeps): ClientLimits {
  const { perSecond, burst, clock, most = MOST_CLIENTS } = deps;
  // By client, when its burst would be whole again; those that asked last come last.
  const wholeAt = new Map<string, number>();
  return {
    take(address) {
      const client = clientOf(address);
      const now = clock.elapsed();
      const whole = Math.max(now, wholeAt.get(client) ?? 0) + 1000 / perSecond;
      const wait = whole - now - (burst * 1000) / perSecond;
      wholeAt.delete(client);
      const [oldest] = wholeAt.keys();
      if (wholeAt.size >= most && oldest !== undefined) wholeAt.delete(oldest);
      wholeAt.set(client, wait > 0 ? whole - 1000 / perSecond : whole);
      return wait > 0 ? Math.ceil(wait / 1000) : 0;
    },
  };
}

/** Whoever has an IPv6 address has 2^64 of them. */
function clientOf(address = ''): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  if (tail === undefined) return groups.slice(0, 4).join(':');
  const after = tail.split(':').filter((group) => group !== '');
  const zeros = Array.from({ length: Math.max(0, 8 - groups.length - after.length) }, () => '0');
  return [...groups, ...zeros, ...after].slice(0, 4).join(':');
}
