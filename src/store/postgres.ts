import { isDeepStrictEqual } from 'node:util';
import type { ClientConfig, CustomTypesConfig, Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import type { Logger } from '../log/logger.ts';
import { type DatabaseAccess, type DatabaseTls, parseDatabaseUrl } from '../net/database-url.ts';
import { setConnectAttempt } from '../net/node-http.ts';
import { messageOf } from '../text/errors.ts';
import { createTurns } from '../work/turns.ts';
import {
  type Database,
  NotStored,
  type Row,
  type TransactionMode,
  type Value,
  type Work,
} from './database.ts';
import {
  type DatabaseTrouble,
  isConnectionLost,
  LASTING,
  troubleOf,
  UnusableSchema,
} from './postgres-errors.ts';

/** The URL and its files, which may change. */
export interface UrlSource {
  read(): Promise<DatabaseAccess>;
  /** Describes the source of the URL, without a password. */
  describe(): string;
}

/**
 * `leader` is short and has a connection of its own, so that it waits for no other; there is one at a time. `copy` has no limit on
 * its time.
 */
type PostgresMode = TransactionMode | 'migration' | 'leader' | 'copy';

/** The part of the driver (`pg`) that this file uses. */
interface Driver {
  readonly Pool: typeof Pool;
  readonly types: CustomTypesConfig;
}

interface DatabaseDeps {
  readonly url: UrlSource;
  /** Loads the driver; `pg` by default. */
  readonly loadDriver?: () => Promise<Driver>;
  readonly log: Logger;
  /** Called when a connection is lost, in use or idle: the next one may lead to a server that lacks commits. */
  readonly onLost?: () => void;
}

/**
 * Maximum connections of a process: it writes little, and the connections of a busy server are scarce. One of them is the
 * leader's.
 */
const MAX_CONNECTIONS = 4;
const CONNECT_MS = 5_000;
const IDLE_MS = 30_000;
/** A server counts as gone if it has not answered this long after its own time limit, in milliseconds. */
const LATE_MS = 1_000;

/**
 * Limits of a transaction. They are set within it: a suspended process must not hold locks, and session state is lost
 * behind a proxy.
 */
const BEGIN: Readonly<Record<PostgresMode, string>> = {
  write: begin('READ COMMITTED', 15, 10),
  snapshot: begin('REPEATABLE READ READ ONLY', 25, 10),
  migration: begin('READ COMMITTED', 25, 10),
  leader: begin('READ COMMITTED', 5, 4),
  copy: begin('READ COMMITTED', 0, 10, 0),
};

function begin(isolation: string, seconds: number, lockSeconds: number, idleSeconds = 15): string {
  return `BEGIN ISOLATION LEVEL ${isolation}; SET LOCAL lock_timeout = '${lockSeconds}s'; SET LOCAL statement_timeout = '${seconds}s'; SET LOCAL idle_in_transaction_session_timeout = '${idleSeconds}s'`;
}

/** How long an answer may take, in milliseconds. */
const ANSWER_MS: Readonly<Record<PostgresMode, number>> = {
  write: 15_000 + LATE_MS,
  snapshot: 25_000 + LATE_MS,
  migration: 25_000 + LATE_MS,
  leader: 5_000 + LATE_MS,
  copy: 600_000,
};

/** The types of whole numbers and their sums (int8, numeric), which the driver returns as strings. */
const NUMBERS: ReadonlySet<number> = new Set([20, 1700]);

// Loaded on first use: most exporters use SQLite files.
async function loadPg(): Promise<Driver> {
  setConnectAttempt(CONNECT_MS);
  return (await import('pg')).default;
}

/** The open connections, and the URL to which they lead. */
interface OpenPool {
  readonly pool: Pool;
  readonly access: DatabaseAccess;
  readonly schema: string;
}

/** An outage of the database. */
interface Outage {
  readonly trouble: DatabaseTrouble;
  /** Whether only writes fail, so that only a successful write ends the outage. */
  readonly isOfWrites: boolean;
  /** The causes that were logged during this outage. */
  readonly logged: Set<DatabaseTrouble['reason']>;
}

/** A PostgreSQL database: its connections, and whether it is available. Connects on first use. */
export class PostgresDatabase implements Database {
  readonly #deps: DatabaseDeps;
  readonly #closing = new AbortController();
  // The driver's own queue counts a wait as slowness of the server.
  readonly #turns = createTurns({ limit: MAX_CONNECTIONS - 1, closing: this.#closing.signal });
  #pool: OpenPool | undefined;
  #state: 'unused' | 'usable' | Outage = 'unused';
  /** The number of transactions that the server has answered. */
  #answers = 0;
  /** The last failure without any answer. Transactions that were waiting then are rejected with it. */
  #silence: NotStored | undefined;

  constructor(deps: DatabaseDeps) {
    this.#deps = deps;
  }

  isUp(): boolean {
    return this.#state === 'usable';
  }

  /** The current outage; undefined while the database is available or was not used yet. */
  trouble(): DatabaseTrouble | undefined {
    return this.#outage?.trouble;
  }

  /**
   * As `Database.transaction`, with more modes. After a lost connection the transaction may have been committed. While all
   * connections are in use, it waits; if the database stops answering, all waiting transactions are rejected together.
   */
  transaction<Result>(work: Work<Result>, mode: PostgresMode = 'write'): Promise<Result> {
    return mode === 'leader' ? this.#run(mode, work) : this.#runInTurn(mode, work);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#pool?.pool.end();
  }

  get #outage(): Outage | undefined {
    return typeof this.#state === 'string' ? undefined : this.#state;
  }

  /** Opens the pool; replaces it if the URL (such as its password) or one of its files has changed. */
  async #connect(): Promise<{ readonly client: PoolClient; readonly from: OpenPool }> {
    const { url, onLost, loadDriver = loadPg } = this.#deps;
    const access = await url.read();
    const driver = await loadDriver();
    if (this.#closing.signal.aborted) throw new Error('the database is closed');
    // No `await` in between, so that of several concurrent transactions only one creates the pool.
    if (this.#pool === undefined || !isDeepStrictEqual(this.#pool.access, access)) {
      // Another URL may lead to another server.
      if (this.#pool !== undefined) onLost?.();
      this.#discardPool();
      const { schema } = parseDatabaseUrl(access.url);
      this.#pool = { pool: createPool(driver, access, onLost), access, schema };
    }
    const from = this.#pool;
    return { client: await from.pool.connect(), from };
  }

  /** Discards the pool: idle connections close now, the others after their transaction. */
  #discardPool(): void {
    void this.#pool?.pool.end();
    this.#pool = undefined;
  }

  async #runInTurn<Result>(mode: PostgresMode, work: Work<Result>): Promise<Result> {
    const before = this.#silence;
    const turn = await this.#turns.take('all', 'other');
    try {
      if (this.#silence !== undefined && this.#silence !== before) throw this.#silence;
      return await this.#run(mode, work);
    } finally {
      turn.end();
    }
  }

  async #run<Result>(mode: PostgresMode, work: Work<Result>): Promise<Result> {
    const before = this.#state;
    const answered = this.#answers;
    const { client, from } = await this.#connect().catch((error: unknown) => {
      const problem = this.#failed(error, 'snapshot');
      // A server that refuses one more connection still answers on the others.
      if (problem.details.reason !== 'full' && this.#answers === answered) this.#silence = problem;
      throw problem;
    });
    const prefix = `"${from.schema}".`;
    const send = (text: string, values?: readonly Value[]) =>
      ask(client, {
        text: text.replaceAll('S.', prefix),
        query_timeout: ANSWER_MS[mode],
        // Without values, several statements may be in one text.
        ...(values && { values: [...values] }),
      });
    let isBroken = true;
    try {
      await send(BEGIN[mode]);
      const outcome = await attempt(() => work(async (text, values) => (await send(text, values)).rows));
      const { command } = await send('thrown' in outcome ? 'ROLLBACK' : 'COMMIT');
      if (!('thrown' in outcome) && command !== 'COMMIT') throw new Error('the transaction was rolled back');
      isBroken = false;
      this.#answers += 1;
      // An old connection says nothing: its pool was discarded, or it began before the outage.
      if (from === this.#pool && before === this.#state) this.#succeeded(mode);
      if ('thrown' in outcome) throw outcome.thrown;
      return outcome.result;
    } catch (error) {
      if (!isBroken) throw error;
      const problem = this.#failed(error instanceof StatementError ? error.cause : error, mode);
      // A lost connection says nothing about the server: the next transaction connects again.
      if (problem.details.reason === 'slow' && this.#answers === answered) this.#silence = problem;
      throw problem;
    } finally {
      // A connection with an error may lead to a server that is no longer the right one.
      client.release(isBroken);
    }
  }

  #failed(error: unknown, mode: PostgresMode): NotStored {
    const { url, log, onLost } = this.#deps;
    const trouble = troubleOf(error);
    const { reason } = trouble;
    const logged = this.#outage?.logged ?? new Set();
    this.#state = { trouble, isOfWrites: mode !== 'snapshot' && reason !== 'unreachable', logged };
    if (isConnectionLost(error)) onLost?.();
    // After a failover, each open connection may lead to either server.
    if (reason === 'read-only') this.#discardPool();
    const fields = { store: url.describe(), ...trouble };
    // While a server restarts, it is alternately unreachable and slow.
    const cause = reason === 'slow' ? 'unreachable' : reason;
    if (!logged.has(cause) && !this.#closing.signal.aborted) {
      logged.add(cause);
      const text = 'Database cannot be used; published data stays, polling and hook events wait';
      log[LASTING.has(reason) ? 'error' : 'warn'](text, fields);
    }
    return new NotStored(trouble.detail, trouble);
  }

  #succeeded(mode: PostgresMode): void {
    const outage = this.#outage;
    if (outage?.isOfWrites && mode === 'snapshot') return;
    this.#state = 'usable';
    if (outage === undefined) return;
    this.#deps.log.info('Database can be used again', { store: this.#deps.url.describe() });
  }
}

function createPool(
  { Pool: create, types }: Driver,
  access: DatabaseAccess,
  onLost: DatabaseDeps['onLost'],
): Pool {
  const getTypeParser: CustomTypesConfig['getTypeParser'] = (oid, format) =>
    NUMBERS.has(oid) ? Number : types.getTypeParser(oid, format);
  const created = new create({
    ...connectionOf(access),
    types: { getTypeParser },
    max: MAX_CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
  });
  // An idle connection that breaks is replaced by the next use, which reports any problem.
  created.on('error', () => onLost?.());
  // One that breaks in use rejects its statement; without a listener, the same error would also end the process.
  created.on('connect', (client) => client.on('error', () => undefined));
  return created;
}

/**
 * How the driver connects to the database of a URL. Every setting for which the driver would otherwise look up a
 * variable of libpq or `~/.pgpass` is given. Throws a `ConfigError`.
 */
export function connectionOf(access: DatabaseAccess): ClientConfig {
  const { host, port, user, password, database, applicationName, tls } = parseDatabaseUrl(access.url);
  const secure = tls || undefined;
  return {
    host,
    port,
    user,
    // The driver asks a function, and nobody else, though it returns nothing.
    password: password ?? (() => ''),
    database,
    application_name: applicationName,
    ssl: secure === undefined ? false : secureOptions(secure, access),
    sslnegotiation: secure?.isDirect === true ? 'direct' : 'postgres',
  };
}

function secureOptions(
  { verify }: DatabaseTls,
  { rootCert, cert, key }: DatabaseAccess,
): ClientConfig['ssl'] {
  return {
    rejectUnauthorized: verify !== 'nothing',
    ...(verify === 'authority' ? { checkServerIdentity: () => undefined } : {}),
    ...(rootCert === undefined ? {} : { ca: rootCert }),
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  };
}

/** The driver takes a limit for each statement, unlike its types. */
type Statement = QueryConfig & { readonly query_timeout: number };

async function ask(client: PoolClient, statement: Statement): Promise<QueryResult<Row>> {
  try {
    return await client.query<Row>(statement);
  } catch (error) {
    throw new StatementError(error);
  }
}

/** The result of a caller's work, or what the caller itself throws; rejects with an error of the database. */
async function attempt<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result } | { readonly thrown: unknown }> {
  try {
    return { result: await work() };
  } catch (thrown) {
    if (thrown instanceof StatementError || thrown instanceof UnusableSchema) throw thrown;
    return { thrown };
  }
}

/** An error of a statement, as opposed to an error of the caller. */
class StatementError extends Error {
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
    this.code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  }
}
