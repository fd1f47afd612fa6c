import { randomUUID } from 'node:crypto';
import { NotStored } from '../history/history.ts';
import { createDatabase, type Query, type Row } from '../history/postgres/database.ts';
import { migrate } from '../history/postgres/schema.ts';
import { ConfigError, messageOf } from '../runtime/errors.ts';
import type { Logger } from '../runtime/logger.ts';
import type { CopySource, CopyTarget } from './copy.ts';
import { STATEMENTS } from './postgres-tables.ts';
import { isSound, TABLES, type TableName, type Values } from './tables.ts';

/** A copy that has not been heard of for so long no longer protects the database that it reads. */
const PROTECTED = "interval '60 seconds'";
/** An exporter that was seen within this time may still be running. */
const ALIVE = "interval '30 seconds'";

/** The text of the URL, and what to call it. */
interface CopyUrl {
  read(): Promise<string>;
  describe(): string;
}

/**
 * Opens a database. Rejects with a `ConfigError` if it cannot be used, or if an exporter uses it: while it is read or
 * written, exporters neither poll nor accept hook events.
 */
async function openDatabase(url: CopyUrl, log: Logger, isTarget: boolean) {
  const database = createDatabase({ url, log: quiet(log) });
  const run = randomUUID();
  const use = <Result>(work: (query: Query) => Promise<Result>) =>
    explained(() => database.transaction(work));
  try {
    await explained(() => migrate(database));
  } catch (error) {
    await database.close();
    throw error;
  }

  const table = (name: string) => `${database.schema}.${name}`;

  /** Keeps exporters away, and fails if another copy has taken over. */
  async function renew(query: Query): Promise<void> {
    const renewed = await query(
      `UPDATE ${table('copy')} SET expires_at = clock_timestamp() + ${PROTECTED} WHERE run = $1 RETURNING 1 AS one`,
      [run],
    );
    if (renewed.length === 0)
      throw new ConfigError('another copy of the same database has been started', 'wait until it ends');
  }

  /** Returns what is known of an unfinished copy to this database. */
  async function protect(): Promise<Row | undefined> {
    return use(async (query) => {
      await query(`LOCK TABLE ${table('copy')} IN EXCLUSIVE MODE`);
      const [alive] = await query(
        `SELECT count(*)::int AS count FROM ${table('replica')} WHERE seen_at > clock_timestamp() - ${ALIVE}`,
      );
      if (Number(alive?.['count']) > 0) {
        throw new ConfigError(
          `exporters are using the database of ${url.describe()} (${String(alive?.['count'])})`,
          'stop them first; one that was killed counts for another 30 seconds',
        );
      }
      const [before] = await query(`SELECT is_target, fingerprint, positions FROM ${table('copy')}`);
      if (!isTarget && before?.['is_target'] === true) {
        throw new ConfigError(
          `the database of ${url.describe()} is the target of an unfinished copy`,
          'finish that copy first',
        );
      }
      // What a suspended exporter writes later is refused.
      await query(
        `UPDATE ${table('lease')} SET holder = NULL, generation = generation + 1, expires_at = '-infinity'`,
      );
      if (before === undefined || !isTarget) await mark(query, { fingerprint: '', is_target: false });
      else await query(`UPDATE ${table('copy')} SET run = $1`, [run]);
      return before?.['is_target'] === true ? before : undefined;
    });
  }

  /** Replaces the mark. */
  async function mark(query: Query, { fingerprint, is_target }: { fingerprint: string; is_target: boolean }) {
    await query(
      `INSERT INTO ${table('copy')} VALUES (true, $1, $2, $3, '{}', clock_timestamp() + ${PROTECTED})
       ON CONFLICT (single) DO UPDATE SET run = excluded.run, is_target = excluded.is_target,
       fingerprint = excluded.fingerprint, positions = excluded.positions, expires_at = excluded.expires_at`,
      [run, is_target, fingerprint],
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
      const found = await use(async (query) => {
        await renew(query);
        return query(
          `SELECT ${columns} FROM ${table(from)} WHERE true ${where} ORDER BY ${key.map(({ sql }) => sql).join(', ')} LIMIT ${batch}`,
          after === undefined ? [] : key.map(({ column }) => after[column]),
        );
      });
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
    // What is unfinished stays marked.
    await database
      .transaction((query) => query(`DELETE FROM ${table('copy')} WHERE run = $1 AND NOT is_target`, [run]))
      .catch((error: unknown) =>
        log.debug('Releasing the copied database failed', { error: messageOf(error) }),
      );
    await database.close();
  }

  try {
    const unfinished = await protect();
    return { use, renew, mark, rows, size, close, table, unfinished };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** Opens a database to copy it. */
export async function openDatabaseSource(url: CopyUrl, log: Logger): Promise<CopySource> {
  const { rows, size, close } = await openDatabase(url, log, false);
  return { place: `the database of ${url.describe()}`, rows, size, close };
}

/** Opens a database as the target of a copy. Its rows are used by nobody before the copy is finished. */
export async function openDatabaseTarget(url: CopyUrl, log: Logger): Promise<CopyTarget> {
  const { use, renew, mark, rows, size, close, table, unfinished } = await openDatabase(url, log, true);
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
      await use((query) => mark(query, { fingerprint: '', is_target: true }));
      await clear();
      await use((query) => mark(query, { fingerprint, is_target: true }));
      return new Map();
    },
    async write(name, values, done) {
      await use(async (query) => {
        await renew(query);
        const { insert, parameters } = STATEMENTS[name];
        await query(insert.replaceAll('S.', table('')), parameters(values));
        await query(
          `UPDATE ${table('copy')} SET positions = (positions::jsonb || jsonb_build_object($1::text, $2::bigint))::json`,
          [name, done],
        );
      });
    },
    spoil: () => use((query) => mark(query, { fingerprint: '', is_target: true })),
    async finish() {
      await use(async (query) => {
        await renew(query);
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
