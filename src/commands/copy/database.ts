import { randomUUID } from 'node:crypto';
import type { Logger } from '../../log/logger.ts';
import { NotStored, type Query } from '../../store/database.ts';
import { PostgresDatabase, type UrlSource } from '../../store/postgres.ts';
import { migrate, readLeader } from '../../store/postgres-schema.ts';
import { TABLES } from '../../store/tables.ts';
import { ConfigError } from '../../text/errors.ts';
import type { Clock } from '../../work/clock.ts';
import type { CopyEnd } from './copy.ts';

/** Interval between looks at whether an exporter uses the database, in milliseconds. */
const LOOK_MS = 1_000;
/** How long a database must look unused, if the last exporter did not say goodbye, in milliseconds. */
const UNUSED_MS = 30_000;

const LOCKED = ['leader', ...TABLES.map(({ name }) => name)];

interface DatabaseEndParts {
  /** The text of the URL, and what to call it. */
  readonly url: UrlSource;
  readonly clock: Pick<Clock, 'elapsed' | 'wait'>;
  readonly log: Logger;
  /** For tests, which cannot wait for the usual one. */
  readonly unusedMs?: number;
}

/**
 * Opens a database as an end of a copy, which is one transaction that holds locks of its tables: meanwhile exporters neither
 * poll nor accept hook events. Rejects with a `ConfigError` if it cannot be used, or if an exporter uses it.
 */
export async function openDatabaseEnd({
  url,
  clock,
  log,
  unusedMs = UNUSED_MS,
}: DatabaseEndParts): Promise<CopyEnd> {
  const database = new PostgresDatabase({ url, log: quiet(log) });
  const place = `the database of ${url.describe()}`;

  /** An exporter that was killed may still look as if it used the database. */
  async function refuseUsed(): Promise<void> {
    const until = clock.elapsed() + unusedMs;
    const before = await leaderOf(database);
    for (let now = before; now.holder !== undefined; now = await leaderOf(database)) {
      if (now.holder !== before.holder || now.beat !== before.beat) {
        throw new ConfigError(
          `an exporter is using ${place}`,
          'stop it first; one that was killed counts for another 30 seconds',
        );
      }
      if (clock.elapsed() >= until) return;
      await clock.wait(Math.min(LOOK_MS, unusedMs));
    }
  }

  try {
    await explained(() => migrate(database));
    await explained(refuseUsed);
  } catch (error) {
    await database.close();
    throw error;
  }
  return {
    place,
    use: (work) =>
      explained(() =>
        database.transaction(async (query) => {
          await query(`LOCK TABLE ${LOCKED.map((name) => `S.${name}`).join(', ')} IN EXCLUSIVE MODE`);
          const result = await work(() => query);
          // Exporters that have looked at the empty database read everything again.
          await query('UPDATE S.leader SET epoch = $1', [randomUUID()]);
          return result;
        }, 'copy'),
      ),
    close: () => database.close(),
  };
}

function leaderOf(database: PostgresDatabase) {
  return database.transaction((query: Query) => readLeader(query), 'snapshot');
}

/** Problems of the database are reported as the error of the command. */
function quiet(log: Logger): Logger {
  const debug: Logger['debug'] = (message, fields) => log.debug(message, fields);
  return { error: debug, warn: debug, info: debug, debug };
}

async function explained<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof NotStored)) throw error;
    throw new ConfigError(`storage.url: ${error.details.detail}`, error.details.hint);
  }
}
