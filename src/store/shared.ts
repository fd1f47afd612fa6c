import { randomUUID } from 'node:crypto';
import type { Logger } from '../log/logger.ts';
import { messageOf } from '../text/errors.ts';
import { backoffMs } from '../work/backoff.ts';
import type { Clock } from '../work/clock.ts';
import type { Query } from './database.ts';
import { Leader } from './leader.ts';
import type { LeaderIntervals } from './leader-row.ts';
import { PostgresLeaderStore } from './leader-store.ts';
import { createDatabase, type UrlSource } from './postgres.ts';
import { migrate, readLeader } from './postgres-schema.ts';

/** The waits between attempts to use the database, in milliseconds. */
const RETRY = { baseMs: 1_000, capMs: 5_000 };

interface SharedDeps {
  readonly url: UrlSource;
  readonly clock: Clock;
  readonly log: Logger;
  readonly intervals?: LeaderIntervals | undefined;
}

/** A PostgreSQL database that several processes share. */
export type SharedDatabase = ReturnType<typeof openShared>;

/** Opens a database; it is tried until it can be used. */
export function openShared({ url, clock, log, intervals }: SharedDeps) {
  const closing = new AbortController();
  const database = createDatabase({ url, log, onLost: () => leadership.connectionLost() });
  const leadership: Leader = new Leader({
    store: new PostgresLeaderStore({ database, reopen }),
    id: randomUUID(),
    clock,
    log,
    intervals,
  });
  let storeId: string | undefined;

  /** Makes the schema current, also after it was dropped or emptied. */
  async function reopen(): Promise<void> {
    storeId = await migrate(database);
  }

  async function open(): Promise<void> {
    for (let tries = 0; ; tries += 1) {
      try {
        await reopen();
        return;
      } catch (error) {
        // Reported by the database.
        log.debug('Opening the database failed', { error: messageOf(error) });
        await clock.wait(backoffMs(tries, RETRY), closing.signal);
      }
    }
  }

  const opened = open();
  opened.catch(() => undefined);

  return {
    isUp: database.isUp,
    trouble: database.trouble,
    transaction: database.transaction,
    async epochOf(query: Query) {
      const { epoch } = await readLeader(query);
      return epoch;
    },
    /** Which of the processes polls; it takes part once it is started. */
    leadership,
    /** Resolves once the schema is current; the database is tried again until then. */
    opened,
    /** Identifies the store, the same in all of its processes; undefined until it was opened. */
    storeId: () => storeId,
    /** Resolves once the transactions under way have ended. */
    async close(): Promise<void> {
      closing.abort();
      await database.close();
    },
  };
}
