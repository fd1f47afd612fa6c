import type { Instant } from '../../catalog/day.ts';
import type { Clock } from '../../runtime/clock.ts';
import { messageOf } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { NotStored } from '../history.ts';
import type { Database, Query, Row } from './database.ts';
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
  /** Begins to take part. Before that, nothing is held and nothing is refused. */
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
  /** Forgets a claim whose run was cut, so that it is claimed again. */
  abandon(org: string, collector: string): void;
  /** Asks the holder of an organization to run collectors thoroughly. */
  askToRefresh(org: string, collectors: readonly string[]): Promise<void>;
  /** Returns the check of a write that begins now; throws a `NotStored` if the organization is not held. */
  fence(org: string): (query: Query) => Promise<void>;
  /** Whether this process may remove data of an organization. */
  mayClean(org: string): boolean;
  /** Releases everything; no run may be in progress. */
  close(): Promise<void>;
  /** Sets who is told what happens to the leases. */
  subscribe(events: LeaseEvents): void;
}

/** What happens to held organizations. */
export interface LeaseEvents {
  onHeld(org: string): void;
  /** Another process was asked to refresh collectors that this one holds. */
  onRefresh(org: string, collectors: readonly string[]): void;
  /** Called after each beat. */
  onBeat(): void;
  /** Whether runs of an organization are in progress, so that it is not given away now. */
  isBusy(org: string): boolean;
}

export interface LeasesDeps {
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
/** A lease without a renewal ends after this time. */
const LEASE_MS = 30_000;
/** Its holder ends its runs that much earlier, in case its own time passes more slowly. */
const MARGIN_MS = 5_000;
/** How often the end of leases is looked for. */
const LOOK_MS = 1_000;
/** The settings of a process that ended without a goodbye count for so long: it may be about to start again. */
const SETTINGS_MS = 600_000;

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

  const seconds = (ms: number) => `interval '${ms / 1000} seconds'`;
  const table = (name: string) => `${database.schema}.${name}`;

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

  /** A process that was suspended or cut off learns here that others may have taken over. */
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
    const result = await database.transaction(async (query) => {
      await query(
        `INSERT INTO ${table('lease')} (org, expires_at) SELECT org, '-infinity' FROM unnest($1::text[]) AS new (org)
         WHERE NOT EXISTS (SELECT FROM ${table('lease')} AS old WHERE old.org = new.org) ON CONFLICT DO NOTHING`,
        [orgs],
      );
      const rank = await announce(query, pool, fingerprint);
      const renewed = await query(
        `UPDATE ${table('lease')} SET expires_at = ${time} + ${seconds(LEASE_MS)}
         WHERE holder = $1 AND org = ANY($2) RETURNING org, generation::float8, cardinality(refresh) AS refreshes`,
        [id, orgs],
      );
      // A copy has ended all leases; none begins before it is finished.
      const isCopied = await isBeingCopied(query, database.schema);
      const share = rank.isNewest && !isCopied ? shareOf(orgs.length, rank) : 0;
      const idle = renewed.map(orgOf).filter((org) => events?.isBusy(org) !== true);
      const given = idle.slice(0, Math.max(0, renewed.length - share));
      await query(
        `UPDATE ${table('lease')} SET holder = NULL, expires_at = '-infinity'
         WHERE holder = $1 AND (org = ANY($2) OR NOT org = ANY($3))`,
        [id, given, orgs],
      );
      const missing = share - (renewed.length - given.length);
      const taken = missing > 0 ? await take(query, orgs, missing) : [];
      const kept = renewed.filter((row) => !given.includes(orgOf(row)));
      // Those that were lost for a while without anybody noticing are begun anew.
      const begun = [...taken, ...kept.filter((row) => !held.has(orgOf(row)))];
      const known = await query(
        `SELECT org, collector, ${ms('at')} FROM ${table('tick')} WHERE is_finished AND org = ANY($1)`,
        [begun.map(orgOf)],
      );
      const refreshes = await refreshesOf(query, renewed);
      const [now] = await query(`SELECT ${ms(time, 'at')}`);
      return {
        ...{ kept, taken, begun, known, refreshes, isCopied },
        isNewest: rank.isNewest && !isCopied,
        at: Number(now?.['at']),
      };
    });
    seen = { at: result.at, elapsed: clock.elapsed() };
    if (isNewest && result.isCopied) log.warn('The database is being copied; polling waits');
    else if (isNewest && !result.isNewest)
      log.info('Newer settings are in use elsewhere; polling is left to them');
    isNewest = result.isNewest;
    apply(result.kept, result.taken, sent + LEASE_MS - MARGIN_MS);
    for (const row of result.known) ticks.set(keyOf(orgOf(row), String(row['collector'])), Number(row['at']));
    for (const row of result.begun) events?.onHeld(orgOf(row));
    for (const row of result.refreshes) events?.onRefresh(orgOf(row), row['collectors'] as readonly string[]);
  }

  /** Announces this process, and returns its place among those that are alive and have the newest settings. */
  async function announce(query: Query, pool: string, fingerprint: string) {
    await query(`INSERT INTO ${table('settings')} (fingerprint) VALUES ($1) ON CONFLICT DO NOTHING`, [
      fingerprint,
    ]);
    await query(
      `INSERT INTO ${table('replica')} (id, pool, settings, seen_at)
       SELECT $1, $2, generation, ${time} FROM ${table('settings')} WHERE fingerprint = $3
       ON CONFLICT (id) DO UPDATE SET pool = excluded.pool, settings = excluded.settings, seen_at = excluded.seen_at`,
      [id, pool, fingerprint],
    );
    await query(`DELETE FROM ${table('replica')} WHERE seen_at < ${time} - interval '1 day'`);
    const others = await query(
      `SELECT id, settings::float8, seen_at > ${time} - ${seconds(LEASE_MS)} AS lives FROM ${table('replica')}
       WHERE pool = $1 AND seen_at > ${time} - ${seconds(SETTINGS_MS)} ORDER BY id`,
      [pool],
    );
    const newest = Math.max(...others.map((row) => Number(row['settings'])));
    const peers = others.filter((row) => row['lives'] === true && Number(row['settings']) === newest);
    const place = peers.findIndex((row) => row['id'] === id);
    return { isNewest: place >= 0, place, count: peers.length };
  }

  function take(query: Query, orgs: readonly string[], count: number): Promise<readonly Row[]> {
    return query(
      `UPDATE ${table('lease')} SET holder = $1, generation = generation + 1, expires_at = ${time} + ${seconds(LEASE_MS)}
       WHERE org IN (
         SELECT org FROM ${table('lease')} WHERE org = ANY($2) AND expires_at < ${time}
         ORDER BY org LIMIT $3 FOR UPDATE SKIP LOCKED
       ) RETURNING org, generation::float8`,
      [id, orgs, count],
    );
  }

  async function refreshesOf(query: Query, renewed: readonly Row[]): Promise<readonly Row[]> {
    const asked = renewed.filter((row) => Number(row['refreshes']) > 0).map(orgOf);
    if (asked.length === 0) return [];
    const rows = await query(`SELECT org, refresh AS collectors FROM ${table('lease')} WHERE org = ANY($1)`, [
      asked,
    ]);
    await query(`UPDATE ${table('lease')} SET refresh = '{}' WHERE org = ANY($1)`, [asked]);
    return rows;
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
      const [row] = await database.transaction((query) =>
        query(
          `INSERT INTO ${table('tick')} AS old (org, collector, at, generation, is_finished)
           SELECT $1, $2, to_timestamp($3::float8 / 1000), generation, false FROM ${table('lease')}
           WHERE org = $1 AND holder = $4 AND generation = $5
           ON CONFLICT (org, collector) DO UPDATE
           SET at = excluded.at, generation = excluded.generation, is_finished = false
           WHERE old.at < excluded.at OR old.at = excluded.at AND (NOT old.is_finished OR $6) RETURNING 1 AS one`,
          [org, collector, at, id, lease.generation, isForced],
        ),
      );
      ticks.set(keyOf(org, collector), at);
      return row !== undefined && held.get(org) === lease;
    },
    async finish(org, collector, at) {
      const lease = held.get(org);
      if (lease === undefined) return;
      await database.transaction((query) =>
        query(
          `UPDATE ${table('tick')} SET is_finished = true
           WHERE org = $1 AND collector = $2 AND at = to_timestamp($3::float8 / 1000) AND generation = $4`,
          [org, collector, at, lease.generation],
        ),
      );
    },
    abandon: (org, collector) => void ticks.delete(keyOf(org, collector)),
    async askToRefresh(org, collectors) {
      await database.transaction((query) =>
        query(
          `UPDATE ${table('lease')} SET refresh = array(SELECT DISTINCT unnest(refresh || $2::text[])) WHERE org = $1`,
          [org, collectors],
        ),
      );
    },
    fence(org) {
      if (!isStarted) return async () => undefined;
      const lease = held.get(org);
      if (lease === undefined) {
        // An organization that nobody is configured with is cleaned by anyone with the newest settings.
        if (!settings.orgs.includes(org) && isNewest) return async () => undefined;
        throw notHeld(org);
      }
      return async (query) => {
        const found = await query(
          `SELECT 1 AS one FROM ${table('lease')} WHERE org = $1 AND holder = $2 AND generation = $3`,
          [org, id, lease.generation],
        );
        if (found.length === 0) throw notHeld(org);
      };
    },
    mayClean: (org) => !isStarted || held.has(org) || (isNewest && !settings.orgs.includes(org)),
    async close() {
      closing.abort();
      await loops;
      if (!isStarted) return;
      for (const org of [...held.keys()]) drop(org);
      await database
        .transaction(async (query) => {
          await query(
            `UPDATE ${table('lease')} SET holder = NULL, expires_at = '-infinity' WHERE holder = $1`,
            [id],
          );
          await query(`DELETE FROM ${table('replica')} WHERE id = $1`, [id]);
        })
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

function orgOf(row: Row): string {
  return String(row['org']);
}

function keyOf(org: string, collector: string): string {
  return `${org}\n${collector}`;
}

/** An instant as a number, in milliseconds. */
function ms(expression: string, name = expression): string {
  return `round(extract(epoch FROM ${expression}) * 1000)::float8 AS ${name}`;
}
