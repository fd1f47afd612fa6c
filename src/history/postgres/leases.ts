import type { Instant } from '../../catalog/day.ts';
import type { Clock } from '../../runtime/clock.ts';
import { messageOf } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { NotStored } from '../history.ts';
import type { Database, Query, Row } from './database.ts';
import { createLeaseRows, LEASE_MS, orgOf } from './lease-rows.ts';
import { readPauses, type SharedPause } from './pauses.ts';
import { isBeingCopied } from './schema.ts';

/** What a process serves. */
export interface LeaseSettings {
  readonly orgs: readonly string[];
  /** The processes that share these organizations; those of another shard have other ones. */
  readonly pool: string;
  /** Fingerprint of the settings that shape what is stored. */
  readonly fingerprint: string;
}

/** The organizations that a process holds, one process at a time, and the ticks of their collectors. */
export interface Leases {
  /** Applies other settings from the next beat on. */
  use(settings: LeaseSettings): void;
  /** Starts to take part. Before that, nothing is held and nothing is refused. */
  start(): void;
  isHeld(org: string): boolean;
  /** Aborted once the organization is no longer held; undefined if it is not held. */
  lost(org: string): AbortSignal | undefined;
  /** The time by the database's clock, in milliseconds. */
  now(): Instant;
  /** The newest tick of a collector that was claimed or finished, as far as this process knows. */
  tickOf(org: string, collector: string): Instant | undefined;
  /**
   * Claims a tick for a collector of a held organization; false if it was finished, or if the organization is no longer
   * held. `isForced`: also if it was finished.
   */
  claim(org: string, collector: string, at: Instant, isForced: boolean): Promise<boolean>;
  /** Records that a claimed tick needs no other run. */
  finish(org: string, collector: string, at: Instant): Promise<void>;
  /** Forgets the claim of an aborted run, so that it is claimed again. */
  abandon(org: string, collector: string): void;
  /** Asks the holder of an organization to run collectors thoroughly. */
  askToRefresh(org: string, collectors: readonly string[]): Promise<void>;
  /** Returns the check of a write that begins now; throws a `NotStored` if the organization is not held. */
  fence(org: string): (query: Query) => Promise<void>;
  /** Whether this process may remove data of an organization. */
  mayClean(org: string): boolean;
  /** Releases everything; no run may be in progress. */
  close(): Promise<void>;
  /** Sets the listener of the leases. */
  subscribe(events: LeaseEvents): void;
}

/** Events of held organizations. */
interface LeaseEvents {
  /** Called before anything else can begin for the organization, with the pauses in force. */
  onHeld(org: string, pauses: readonly SharedPause[]): void;
  /** Another process was asked to refresh collectors that this one holds. */
  onRefresh(org: string, collectors: readonly string[]): void;
  /** Called after each beat. */
  onBeat(): void;
  /** Whether runs of an organization are in progress, so that it is not given away now. */
  isBusy(org: string): boolean;
}

interface LeasesDeps {
  readonly database: Database;
  /** Resolves once the schema is current. */
  readonly opened: Promise<void>;
  /** Distinguishes this process from all others. */
  readonly id: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** The present time as an SQL expression; the database's clock by default. */
  readonly time?: string;
}

/** Time between two renewals, in milliseconds. */
const BEAT_MS = 5_000;
/** A holder ends its runs this much earlier, in case its own clock runs slower. */
const MARGIN_MS = 5_000;
/** Interval between checks for expired leases. */
const LOOK_MS = 1_000;

interface Held {
  readonly generation: number;
  readonly lost: AbortController;
}

/** Creates the leases of a process, none at first. All expiry is by the database's clock. */
export function createLeases(deps: LeasesDeps): Leases {
  const { database, id, clock, log, time = 'clock_timestamp()' } = deps;
  const held = new Map<string, Held>();
  const ticks = new Map<string, Instant>();
  const closing = new AbortController();
  let settings: LeaseSettings = { orgs: [], pool: '', fingerprint: '' };
  let events: LeaseEvents | undefined;
  let isStarted = false;
  let isNewest = false;
  /** Monotonic instant until which held leases are surely valid. */
  let validUntil = 0;
  let seen = { at: clock.now(), elapsed: clock.elapsed() };
  let loops: Promise<unknown> = Promise.resolve();

  const leaseRows = createLeaseRows({ database, id, time });

  async function beats(): Promise<void> {
    await deps.opened;
    while (!closing.signal.aborted) {
      try {
        await beat();
        events?.onBeat();
      } catch (error) {
        log.debug('Renewing the leases failed', { error: messageOf(error) });
      }
      if (!closing.signal.aborted) await clock.wait(BEAT_MS, closing.signal);
    }
  }

  async function looks(): Promise<void> {
    for (;;) {
      await clock.wait(LOOK_MS, closing.signal);
      dropExpired();
    }
  }

  /** Detects that this process was suspended or disconnected, so that others may have taken over. */
  function dropExpired(): void {
    if (held.size === 0 || clock.elapsed() < validUntil) return;
    log.warn('Leases not renewed in time; polling waits', { organizations: held.size });
    for (const org of [...held.keys()]) drop(org);
  }

  function drop(org: string): void {
    held.get(org)?.lost.abort();
    held.delete(org);
    for (const key of [...ticks.keys()]) if (key.startsWith(`${org}\n`)) ticks.delete(key);
  }

  async function beat(): Promise<void> {
    const { orgs, pool, fingerprint } = settings;
    const sent = clock.elapsed();
    const result = await database.transaction(
      async (query) => {
        const rank = await leaseRows.announce(query, orgs, pool, fingerprint);
        const renewed = await leaseRows.renew(query, orgs);
        // A copy has ended all leases; none begins before it is finished.
        const isCopied = await isBeingCopied(query, database.schema);
        const share = rank.isNewest && !isCopied ? shareOf(orgs.length, rank) : 0;
        const idle = renewed.map(orgOf).filter((org) => events?.isBusy(org) !== true);
        const given = idle.slice(0, Math.max(0, renewed.length - share));
        await leaseRows.release(query, given, orgs);
        const missing = share - (renewed.length - given.length);
        const taken = missing > 0 ? await leaseRows.take(query, orgs, missing) : [];
        const kept = renewed.filter((row) => !given.includes(orgOf(row)));
        // A lease that was lost for a while, but taken by nobody, begins again.
        const begun = [...taken, ...kept.filter((row) => !held.has(orgOf(row)))];
        const known = await leaseRows.finishedTicks(query, begun.map(orgOf));
        const pauses = await readPauses(query, database.schema, begun.map(orgOf), time);
        // What is given away is refreshed by its next holder.
        const refreshes = await leaseRows.takeRefreshes(query, kept);
        const at = await leaseRows.now(query);
        return {
          ...{ kept, taken, begun, known, pauses, refreshes, isCopied, at },
          isNewest: rank.isNewest && !isCopied,
        };
      },
      'write',
      'lease',
    );
    seen = { at: result.at, elapsed: clock.elapsed() };
    if (isNewest && result.isCopied) log.warn('The database is being copied; polling waits');
    else if (isNewest && !result.isNewest)
      log.info('Newer settings are in use elsewhere; polling is left to them');
    isNewest = result.isNewest;
    apply(result.kept, result.taken, sent + LEASE_MS - MARGIN_MS);
    for (const row of result.known) ticks.set(keyOf(orgOf(row), String(row['collector'])), Number(row['at']));
    for (const org of result.begun.map(orgOf)) {
      events?.onHeld(
        org,
        result.pauses.filter((pause) => pause.org === org),
      );
    }
    for (const row of result.refreshes) events?.onRefresh(orgOf(row), row['collectors'] as readonly string[]);
  }

  function apply(kept: readonly Row[], taken: readonly Row[], until: number): void {
    validUntil = until;
    const generations = new Map(kept.map((row) => [orgOf(row), Number(row['generation'])]));
    for (const [org, { generation }] of [...held]) if (generations.get(org) !== generation) drop(org);
    for (const row of [...kept, ...taken]) {
      const org = orgOf(row);
      if (!held.has(org))
        held.set(org, { generation: Number(row['generation']), lost: new AbortController() });
    }
  }

  return {
    subscribe(next) {
      events = next;
    },
    use(next) {
      settings = next;
    },
    start() {
      isStarted = true;
      loops = Promise.allSettled([beats(), looks()]);
    },
    isHeld: (org) => held.has(org),
    lost: (org) => held.get(org)?.lost.signal,
    now: () => seen.at + clock.elapsed() - seen.elapsed,
    tickOf: (org, collector) => ticks.get(keyOf(org, collector)),
    async claim(org, collector, at, isForced) {
      const lease = held.get(org);
      if (lease === undefined) return !isStarted;
      const isClaimed = await database.transaction(
        (query) => leaseRows.claimTick(query, { org, collector, at, generation: lease.generation }, isForced),
        'write',
        'claim',
      );
      ticks.set(keyOf(org, collector), at);
      return isClaimed && held.get(org) === lease;
    },
    async finish(org, collector, at) {
      const lease = held.get(org);
      if (lease === undefined) return;
      await database.transaction(
        (query) => leaseRows.finishTick(query, { org, collector, at, generation: lease.generation }),
        'write',
        'claim',
      );
    },
    abandon: (org, collector) => void ticks.delete(keyOf(org, collector)),
    async askToRefresh(org, collectors) {
      await database.transaction((query) => leaseRows.askToRefresh(query, org, collectors), 'write', 'claim');
    },
    fence(org) {
      if (!isStarted) return async () => undefined;
      const lease = held.get(org);
      if (lease === undefined) {
        // An organization without any configured process is cleaned by any process with the newest settings.
        if (!settings.orgs.includes(org) && isNewest) return async () => undefined;
        throw notHeld(org);
      }
      return async (query) => {
        if (!(await leaseRows.isHolder(query, org, lease.generation))) throw notHeld(org);
      };
    },
    mayClean: (org) => !isStarted || held.has(org) || (isNewest && !settings.orgs.includes(org)),
    async close() {
      closing.abort();
      await loops;
      if (!isStarted) return;
      for (const org of [...held.keys()]) drop(org);
      await database
        .transaction((query) => leaseRows.leave(query), 'write', 'lease')
        .catch((error: unknown) => log.debug('Releasing the leases failed', { error: messageOf(error) }));
    },
  };
}

function shareOf(orgs: number, { place, count }: { readonly place: number; readonly count: number }): number {
  return Math.floor(orgs / count) + (place < orgs % count ? 1 : 0);
}

function notHeld(org: string): NotStored {
  const detail = `another process polls the organization ${org}`;
  return new NotStored(detail, {
    reason: 'taken',
    detail,
    hint: 'nothing: its data arrives from the database',
  });
}

function keyOf(org: string, collector: string): string {
  return `${org}\n${collector}`;
}
