import { randomUUID } from 'node:crypto';
import type { Logger } from '../log/logger.ts';
import { messageOf } from '../text/errors.ts';
import { backoffMs } from '../work/backoff.ts';
import type { Clock } from '../work/clock.ts';
import type { Query, StoreDatabase } from './database.ts';
import { Leader } from './leader.ts';
import type { LeaderIntervals } from './leader-row.ts';
import { PostgresLeaderStore } from './leader-store.ts';
import { PostgresDatabase, type UrlSource } from './postgres.ts';
import { migrate, readLeader } from './postgres-schema.ts';

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
  #storeId: string | undefined;

  constructor(deps: SharedDeps) {
    super({ ...deps, onLost: () => this.leadership.connectionLost() });
    this.#deps = deps;
    const store = new PostgresLeaderStore({ database: this, reopen: () => this.#reopen() });
    this.leadership = new Leader({ ...deps, store, id: randomUUID() });
    this.opened = this.#open();
    this.opened.catch(() => undefined);
  }

  /** Identifies the store, the same in all of its processes; undefined until it was opened. */
  storeId(): string | undefined {
    return this.#storeId;
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
    this.#storeId = await migrate(this);
  }
}
