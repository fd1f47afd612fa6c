import { randomUUID } from 'node:crypto';
import { NotStored } from '../history/history.ts';
import { createDatabase, type Query, type Row } from '../history/postgres/database.ts';
import { createLeadership, type LeaderEvents, type Leadership } from '../history/postgres/leader.ts';
import { COPIER, type LeaderIntervals } from '../history/postgres/leader-row.ts';
import { createLeaderStore } from '../history/postgres/leader-store.ts';
import { migrate } from '../history/postgres/schema.ts';
import { createSystemClock } from '../runtime/clock.ts';
import { ConfigError } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import type { CopySource, CopyTarget } from './copy.ts';
import { STATEMENTS } from './postgres-tables.ts';
import { isSound, TABLES, type TableName, type Values } from './tables.ts';

/** Interval between checks whether the database is free, in milliseconds. */
const LOOK_MS = 1_000;

/** The text of the URL, and what to call it. */
interface CopyUrl {
  read(): Promise<string>;
  describe(): string;
}

/** For tests, which cannot wait for the usual intervals. */
interface CopyTimes {
  readonly intervals?: LeaderIntervals;
}

/**
 * Opens a database. Rejects with a `ConfigError` if it cannot be used, or if an exporter or another copy uses it. The copy
 * holds the leader's row: meanwhile exporters neither poll nor accept hook events.
 */
async function openDatabase(url: CopyUrl, log: Logger, isTarget: boolean, { intervals }: CopyTimes = {}) {
  const clock = createSystemClock();
  const told = quiet(log);
  const database = createDatabase({ url, log: told, onLost: () => leadership.connectionLost() });
  const id = `${COPIER}${randomUUID()}`;
  const store = createLeaderStore({ database, reopen: async () => undefined, isCopier: true });
  const leadership: Leadership = createLeadership({ store, id, clock, log: told, intervals });
  const table = (name: string) => `${database.schema}.${name}`;

  const use = <Result>(work: (query: Query) => Promise<Result>) => explained(() => leadership.write(work));

  async function holder(): Promise<Row | undefined> {
    const rows = await explained(() =>
      database.transaction((query) =>
        query(`SELECT holder, generation::float8, beat::float8 FROM ${table('leader')}`),
      ),
    );
    return rows[0];
  }

  /** Waits until this copy may use the database: as long as an exporter that was killed holds it. */
  async function take(): Promise<void> {
    await leadership.start(SILENT);
    const before = await holder();
    for (let found = before; !leadership.isLeader(); found = await holder()) {
      if (found?.['holder'] !== id && found?.['beat'] !== before?.['beat']) {
        throw new ConfigError(
          `an exporter or another copy is using the database of ${url.describe()}`,
          'stop it first; one that was killed counts for another 30 seconds',
        );
      }
      await clock.wait(Math.min(LOOK_MS, intervals?.beatMs ?? LOOK_MS));
    }
  }

  /** Returns what is known of an unfinished copy to this database. */
  async function protect(): Promise<Row | undefined> {
    await explained(() => migrate(database));
    await take();
    return use(async (query) => {
      await query(`INSERT INTO ${table('sweep')} VALUES (true, NULL, NULL) ON CONFLICT DO NOTHING`);
      await query(
        `INSERT INTO ${table('hook_state')} VALUES (true, 0, NULL, NULL, NULL) ON CONFLICT DO NOTHING`,
      );
      // Events that were taken before are copied; later ones find out that the database is being copied.
      await query(`SELECT FROM ${table('hook_state')} FOR UPDATE`);
      const [before] = await query(`SELECT fingerprint, positions FROM ${table('copy')}`);
      if (!isTarget && before !== undefined) {
        throw new ConfigError(
          `the database of ${url.describe()} is the target of an unfinished copy`,
          'finish that copy first',
        );
      }
      return before;
    });
  }

  /** Marks the database as the target of a copy of the content with this fingerprint. */
  async function mark(query: Query, fingerprint: string) {
    await query(
      `INSERT INTO ${table('copy')} VALUES (true, $1, '{}')
       ON CONFLICT (single) DO UPDATE SET fingerprint = excluded.fingerprint, positions = excluded.positions`,
      [fingerprint],
    );
  }

  async function* rows(name: TableName): AsyncGenerator<readonly Values[]> {
    const { columns, from, key, batch, valuesOf } = STATEMENTS[name];
    let last: Row | undefined;
    for (;;) {
      const after = last;
      const where =
        after === undefined
          ? ''
          : `AND (${key.map(({ sql }) => sql).join(', ')}) > (${key.map(({ cast }, index) => cast.replace('?', `$${index + 1}`)).join(', ')})`;
      const found = await use((query) =>
        query(
          `SELECT ${columns} FROM ${table(from)} WHERE true ${where} ORDER BY ${key.map(({ sql }) => sql).join(', ')} LIMIT ${batch}`,
          after === undefined ? [] : key.map(({ column }) => after[column]),
        ),
      );
      const sound = found.flatMap((row) => {
        const values = valuesOf(row);
        return values !== undefined && isSound(name, values) ? [values] : [];
      });
      if (sound.length > 0) yield sound;
      last = found.at(-1);
      if (last === undefined || found.length < batch) return;
    }
  }

  async function size(): Promise<number> {
    let sum = 0;
    for (const name of TABLES) {
      const { from, isEmpty } = STATEMENTS[name];
      const [row] = await use((query) =>
        query(`SELECT count(*)::float8 AS rows FROM ${table(from)} WHERE NOT (${isEmpty ?? 'false'})`),
      );
      sum += Number(row?.['rows']);
    }
    return sum;
  }

  async function close(): Promise<void> {
    await leadership.close();
    await database.close();
  }

  try {
    const unfinished = await protect();
    return { use, mark, rows, size, close, table, unfinished };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens a database to copy it. */
export async function openDatabaseSource(url: CopyUrl, log: Logger, times?: CopyTimes): Promise<CopySource> {
  const { rows, size, close } = await openDatabase(url, log, false, times);
  return { place: `the database of ${url.describe()}`, rows, size, close };
}

/** Opens a database as the target of a copy. Its rows are used by nobody before the copy is finished. */
export async function openDatabaseTarget(url: CopyUrl, log: Logger, times?: CopyTimes): Promise<CopyTarget> {
  const { use, mark, rows, size, close, table, unfinished } = await openDatabase(url, log, true, times);
  const place = `the database of ${url.describe()}`;

  async function clear(): Promise<void> {
    for (const name of TABLES) {
      const { from, clear: text } = STATEMENTS[name];
      await use((query) => query(text?.replaceAll('S.', `${table('')}`) ?? `DELETE FROM ${table(from)}`));
    }
  }

  return {
    ...{ place, rows, size, close },
    async begin(fingerprint) {
      if (unfinished?.['fingerprint'] === fingerprint) {
        const positions = unfinished['positions'] as Readonly<Record<string, number>>;
        return new Map(Object.entries(positions)) as ReadonlyMap<TableName, number>;
      }
      if (unfinished === undefined && (await size()) > 0) return undefined;
      await use((query) => mark(query, ''));
      await clear();
      await use((query) => mark(query, fingerprint));
      return new Map();
    },
    async write(name, values, done) {
      await use(async (query) => {
        const { insert, parameters } = STATEMENTS[name];
        await query(insert.replaceAll('S.', table('')), parameters(values));
        await query(
          `UPDATE ${table('copy')} SET positions = (positions::jsonb || jsonb_build_object($1::text, $2::bigint))::json`,
          [name, done],
        );
      });
    },
    spoil: () => use((query) => mark(query, '')),
    async finish() {
      await use(async (query) => {
        // Exporters that have looked at the empty database read everything again.
        await query(
          `INSERT INTO ${table('org_version')} AS old (org, version)
           SELECT org, 1 FROM ${table('org')} UNION SELECT org, 1 FROM ${table('dataset')}
           UNION SELECT org, 1 FROM ${table('day')} UNION SELECT org, 1 FROM ${table('document')}
           ON CONFLICT (org) DO UPDATE SET version = old.version + 1, reset_version = old.version + 1`,
        );
        await query(`UPDATE ${table('hook_state')} SET version = version + 1`);
        await query(`DELETE FROM ${table('copy')}`);
      });
    },
  };
}

/** A copy polls nothing. */
const SILENT: LeaderEvents = {
  settings: () => '',
  onOtherSettings: () => undefined,
  onLead: () => undefined,
  onResume: () => undefined,
  onBeat: () => undefined,
  onEnd: () => undefined,
  onRefresh: () => undefined,
};

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
    if (error.details.reason === 'taken')
      throw new ConfigError(
        'the database is no longer held by this copy',
        'run the copy again: it continues',
      );
    throw new ConfigError(`storage.url: ${error.details.detail}`, error.details.hint);
  }
}
