import type { Instant } from '../../catalog/day.ts';
import type { Database, Query, Row } from './database.ts';
import { msOf } from './values.ts';

/** A lease without a renewal ends after this time, in milliseconds. */
export const LEASE_MS = 30_000;
/** How long the settings of a process without a heartbeat count, in milliseconds: it may be restarting. */
const SETTINGS_MS = 600_000;

/** The place of a process among those that are alive and have the newest settings. */
interface Rank {
  readonly isNewest: boolean;
  readonly place: number;
  readonly count: number;
}

/** A tick of a collector, claimed under a generation of the organization's lease. */
interface ClaimedTick {
  readonly org: string;
  readonly collector: string;
  readonly at: Instant;
  readonly generation: number;
}

/** The statements on the tables of leases, ticks and replicas; each runs within the caller's transaction. */
interface LeaseRows {
  /** Announces this process and creates missing leases; resolves with its rank. */
  announce(query: Query, orgs: readonly string[], pool: string, fingerprint: string): Promise<Rank>;
  /** Renews the leases that this process holds, and resolves with them. */
  renew(query: Query, orgs: readonly string[]): Promise<readonly Row[]>;
  /** Releases leases that are given away, and those of other organizations than `orgs`. */
  release(query: Query, given: readonly string[], orgs: readonly string[]): Promise<void>;
  /** Takes up to `count` expired leases, and resolves with them. */
  take(query: Query, orgs: readonly string[], count: number): Promise<readonly Row[]>;
  /** The newest finished tick of each collector. */
  finishedTicks(query: Query, orgs: readonly string[]): Promise<readonly Row[]>;
  /** Resolves with the requested refreshes of renewed leases, and clears them. */
  takeRefreshes(query: Query, renewed: readonly Row[]): Promise<readonly Row[]>;
  askToRefresh(query: Query, org: string, collectors: readonly string[]): Promise<void>;
  /** Claims a tick; false if it was finished (unless `isForced`), or if the lease is lost. */
  claimTick(query: Query, tick: ClaimedTick, isForced: boolean): Promise<boolean>;
  finishTick(query: Query, tick: ClaimedTick): Promise<void>;
  /** Whether this process holds the lease of that generation. */
  isHolder(query: Query, org: string, generation: number): Promise<boolean>;
  /** The time by the database's clock, in milliseconds. */
  now(query: Query): Promise<Instant>;
  /** Releases all leases and forgets this process. */
  leave(query: Query): Promise<void>;
}

interface LeaseRowsParts {
  /** Its schema is known once the database was connected to. */
  readonly database: Pick<Database, 'schema'>;
  /** Distinguishes this process from all others. */
  readonly id: string;
  /** The present time as an SQL expression. */
  readonly time: string;
}

/** Creates the statements of a process. */
export function createLeaseRows({ database, id, time }: LeaseRowsParts): LeaseRows {
  const seconds = (duration: number) => `interval '${duration / 1000} seconds'`;
  const table = (name: string) => `${database.schema}.${name}`;

  return {
    async announce(query, orgs, pool, fingerprint) {
      await query(
        `INSERT INTO ${table('lease')} (org, expires_at) SELECT org, '-infinity' FROM unnest($1::text[]) AS new (org)
         WHERE NOT EXISTS (SELECT FROM ${table('lease')} AS old WHERE old.org = new.org) ON CONFLICT DO NOTHING`,
        [orgs],
      );
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
    },
    renew: (query, orgs) =>
      query(
        `UPDATE ${table('lease')} SET expires_at = ${time} + ${seconds(LEASE_MS)}
         WHERE holder = $1 AND org = ANY($2) RETURNING org, generation::float8, cardinality(refresh) AS refreshes`,
        [id, orgs],
      ),
    async release(query, given, orgs) {
      await query(
        `UPDATE ${table('lease')} SET holder = NULL, expires_at = '-infinity'
         WHERE holder = $1 AND (org = ANY($2) OR NOT org = ANY($3))`,
        [id, given, orgs],
      );
    },
    take: (query, orgs, count) =>
      query(
        `UPDATE ${table('lease')} SET holder = $1, generation = generation + 1, expires_at = ${time} + ${seconds(LEASE_MS)}
         WHERE org IN (
           SELECT org FROM ${table('lease')} WHERE org = ANY($2) AND expires_at < ${time}
           ORDER BY org LIMIT $3 FOR UPDATE SKIP LOCKED
         ) RETURNING org, generation::float8`,
        [id, orgs, count],
      ),
    finishedTicks: (query, orgs) =>
      query(
        `SELECT org, collector, ${msOf('at')} FROM ${table('tick')} WHERE is_finished AND org = ANY($1)`,
        [orgs],
      ),
    async takeRefreshes(query, renewed) {
      const asked = renewed.filter((row) => Number(row['refreshes']) > 0).map(orgOf);
      if (asked.length === 0) return [];
      const rows = await query(
        `SELECT org, refresh AS collectors FROM ${table('lease')} WHERE org = ANY($1)`,
        [asked],
      );
      await query(`UPDATE ${table('lease')} SET refresh = '{}' WHERE org = ANY($1)`, [asked]);
      return rows;
    },
    async askToRefresh(query, org, collectors) {
      await query(
        `UPDATE ${table('lease')} SET refresh = array(SELECT DISTINCT unnest(refresh || $2::text[])) WHERE org = $1`,
        [org, collectors],
      );
    },
    async claimTick(query, { org, collector, at, generation }, isForced) {
      const rows = await query(
        `INSERT INTO ${table('tick')} AS old (org, collector, at, generation, is_finished)
         SELECT $1, $2, to_timestamp($3::float8 / 1000), generation, false FROM ${table('lease')}
         WHERE org = $1 AND holder = $4 AND generation = $5
         ON CONFLICT (org, collector) DO UPDATE
         SET at = excluded.at, generation = excluded.generation, is_finished = false
         WHERE old.at < excluded.at OR old.at = excluded.at AND (NOT old.is_finished OR $6) RETURNING 1 AS one`,
        [org, collector, at, id, generation, isForced],
      );
      return rows.length > 0;
    },
    async finishTick(query, { org, collector, at, generation }) {
      await query(
        `UPDATE ${table('tick')} SET is_finished = true
         WHERE org = $1 AND collector = $2 AND at = to_timestamp($3::float8 / 1000) AND generation = $4`,
        [org, collector, at, generation],
      );
    },
    async isHolder(query, org, generation) {
      const rows = await query(
        `SELECT 1 AS one FROM ${table('lease')} WHERE org = $1 AND holder = $2 AND generation = $3`,
        [org, id, generation],
      );
      return rows.length > 0;
    },
    async now(query) {
      const [row] = await query(`SELECT ${msOf(time, 'at')}`);
      return Number(row?.['at']);
    },
    async leave(query) {
      await query(`UPDATE ${table('lease')} SET holder = NULL, expires_at = '-infinity' WHERE holder = $1`, [
        id,
      ]);
      await query(`DELETE FROM ${table('replica')} WHERE id = $1`, [id]);
    },
  };
}

/** The organization of a row. */
export function orgOf(row: Row): string {
  return String(row['org']);
}
