import { randomUUID } from 'node:crypto';
import type { Logger } from '../log/logger.ts';
import { messageOf } from '../text/errors.ts';
import { backoffMs } from '../work/backoff.ts';
import type { Clock } from '../work/clock.ts';
import { NotStored, type Query, type StoreDatabase } from './database.ts';
import { Leader, type LeaderStep, type LeaderStore } from './leader.ts';
import type { LeaderIntervals, LeaderRow } from './leader-row.ts';
import { PostgresDatabase, type UrlSource } from './postgres.ts';
import { lockLeader, lookAtLeader, migrate, readLeader } from './postgres-schema.ts';

/** The waits between attempts to use the database, in milliseconds. */
const RETRY = { baseMs: 1_000, capMs: 5_000 };

interface SharedDeps {
  readonly url: UrlSource;
  readonly clock: Clock;
  readonly log: Logger;
  readonly intervals?: LeaderIntervals | undefined;
}

/** The PostgreSQL database that several processes share. Retries until the database is available. */
export class SharedDatabase extends PostgresDatabase implements StoreDatabase {
  /** Decides which of the processes polls; takes part once it is started. */
  readonly leadership: Leader;
  /** Resolves once the schema is migrated; retries until then. */
  readonly opened: Promise<void>;
  readonly #deps: SharedDeps;
  readonly #closing = new AbortController();
  /** Identifies the store, the same in all of its processes; undefined until it was opened. */
  storeId: string | undefined;

  constructor(deps: SharedDeps) {
    super({ ...deps, onLost: () => this.leadership.connectionLost() });
    this.#deps = deps;
    const store = new PostgresLeaderStore({ database: this, reopen: () => this.#reopen() });
    this.leadership = new Leader({ ...deps, store, id: randomUUID() });
    this.opened = this.#open();
    this.opened.catch(() => undefined);
  }

  async epochOf(query: Query): Promise<string> {
    return (await readLeader(query)).epoch;
  }

  override async close(): Promise<void> {
    this.#closing.abort();
    await super.close();
  }

  async #open(): Promise<void> {
    const { clock, log } = this.#deps;
    for (let tries = 0; ; tries += 1) {
      try {
        await this.#reopen();
        return;
      } catch (error) {
        // The database has logged it.
        log.debug('Opening the database failed', { error: messageOf(error) });
        await clock.wait(backoffMs(tries, RETRY), this.#closing.signal);
      }
    }
  }

  /** Migrates the schema, also after it was dropped or emptied. */
  async #reopen(): Promise<void> {
    this.storeId = await migrate(this);
  }
}

interface LeaderStoreParts {
  readonly database: Pick<PostgresDatabase, 'transaction'>;
  /** Migrates the schema again after it was dropped or emptied. */
  reopen(): Promise<void>;
}

/** The leader's row in a database. */
export class PostgresLeaderStore implements LeaderStore {
  readonly #parts: LeaderStoreParts;

  constructor(parts: LeaderStoreParts) {
    this.#parts = parts;
  }

  async step(next: (row: LeaderRow) => LeaderRow | undefined): Promise<LeaderStep> {
    const { database, reopen } = this.#parts;
    try {
      return await database.transaction((query) => stepIn(query, next), 'leader');
    } catch (error) {
      if (error instanceof NotStored && error.details.reason === 'gone') await reopen();
      throw error;
    }
  }

  fenced<Result>(
    generation: number,
    work: (query: Query, row: LeaderRow | undefined) => Promise<Result>,
  ): Promise<Result> {
    return this.#parts.database.transaction(async (query) =>
      work(query, await lockLeader(query, generation)),
    );
  }

  async ask(): Promise<void> {
    await this.#parts.database.transaction(async (query) => {
      // Not written if a newer release has migrated the schema.
      await readLeader(query);
      await query('INSERT INTO S.refresh VALUES (true) ON CONFLICT DO NOTHING');
    });
  }
}

async function stepIn(query: Query, next: (row: LeaderRow) => LeaderRow | undefined): Promise<LeaderStep> {
  const row = await lookAtLeader(query);
  const after = next(row);
  if (after === undefined || !(await replace(query, row, after)))
    return { row, isWritten: false, isAsked: false };
  const asked = await query('DELETE FROM S.refresh RETURNING 1 AS one');
  return { row: after, isWritten: true, isAsked: asked.length > 0 };
}

/** Replaces the row unless another process has changed it meanwhile; resolves with whether it was replaced. */
async function replace(query: Query, row: LeaderRow, after: LeaderRow): Promise<boolean> {
  // A locked row means that the leader is still writing. The takeover is tried again with the next look.
  const isTaking = after.generation !== row.generation;
  const written = await query(
    // Settings that have not changed are not written with each beat: they list hundreds of organizations.
    `UPDATE S.leader SET holder = $1, generation = $2, beat = $3, epoch = $4,
       settings = CASE WHEN settings = $5 THEN settings ELSE $5 END
     WHERE single IN (
       SELECT single FROM S.leader
       WHERE generation = $6 AND beat = $7 AND epoch = $8 AND holder IS NOT DISTINCT FROM $9
       FOR NO KEY UPDATE ${isTaking ? 'SKIP LOCKED' : ''}
     ) RETURNING 1 AS one`,
    [
      after.holder ?? null,
      after.generation,
      after.beat,
      after.epoch,
      after.settings,
      row.generation,
      row.beat,
      row.epoch,
      row.holder ?? null,
    ],
  );
  return written.length > 0;
}
