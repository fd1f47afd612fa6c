import { createHash } from 'node:crypto';
import { ConfigError } from '../text/errors.ts';

/** The shard of a process: number `index`, from 0, of `total`. */
export interface Shard {
  readonly index: number;
  readonly total: number;
}

/** The shard of two options; throws a `ConfigError` if it does not exist. */
export function createShard(index: number, total: number): Shard {
  if (index < total) return { index, total };
  const last = total === 1 ? 'the only shard is number 0' : `shards are numbered 0 to ${total - 1}`;
  throw new ConfigError(`--shard is ${index}, but of --total-shards ${total} ${last}`);
}

/** Whether a shard serves an organization: of any number of shards, exactly one does. */
export function serves({ index, total }: Shard, org: string): boolean {
  return shardOf(org, total) === index;
}

/** Whether a process accepts hook events: they belong to no organization, so one shard counts them all. */
export function takesHookEvents({ index }: Shard): boolean {
  return index === 0;
}

// Of the linear congruential generator of the jump hash (Lamping and Veach, 2014).
const MULTIPLIER = 2_862_933_555_777_941_757n;

/**
 * The shard that serves an organization: the jump consistent hash of the first eight bytes of its name's SHA-256.
 * Adding a shard moves about one organization in `total`, and only to the new shard.
 */
export function shardOf(org: string, total: number): number {
  let key = createHash('sha256').update(org).digest().readBigUInt64BE();
  let shard = 0;
  for (let next = 0; next < total; ) {
    shard = next;
    key = BigInt.asUintN(64, key * MULTIPLIER + 1n);
    next = Math.floor((shard + 1) * (2 ** 31 / Number((key >> 33n) + 1n)));
  }
  return shard;
}
