import { isDeepStrictEqual } from 'node:util';
import type { CustomTypesConfig, Pool, PoolClient, QueryConfig, QueryResult } from 'pg';
import type { Logger } from '../log/logger.ts';
import { type DatabaseAccess, parseDatabaseUrl } from '../net/database-url.ts';
import { setConnectAttempt } from '../net/node-http.ts';
import { messageOf } from '../text/errors.ts';
import { createTurns } from '../work/turns.ts';
import { connectionOf } from './connection.ts';
import {
  type Database,
  NotStored,
  type Query,
  type Row,
  type TransactionMode,
  type Value,
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

/** The connections to a PostgreSQL database, and whether it can be used. */
export interface PostgresDatabase extends Database {
  /** Why it cannot be used; undefined if it can, or was not used yet. */
  trouble(): DatabaseTrouble | undefined;
  /**
   * As `transaction`, also in the other modes. After a lost connection the transaction may have been committed. While all
   * connections are in use, it waits for its turn; if the database stops answering, all that wait reject together.
   */
  transaction<Result>(work: (query: Query) => Promise<Result>, mode?: PostgresMode): Promise<Result>;
}

/**
 * `leader` is short and has a connection of its own, so that it waits for no other; there is one at a time. `copy` has no limit on
 * its time.
 */
type PostgresMode = TransactionMode | 'migration' | 'leader' | 'copy';

/** The part of the driver that is used. */
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
/** A server that has not answered this long after its own limit is gone, in milliseconds. */
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

/** Whole numbers, and sums of them, which the driver gives as texts. */
const NUMBERS: ReadonlySet<number> = new Set([20, 1700]);

// Loaded on first use: most exporters have a file.
async function loadPg(): Promise<Driver> {
  setConnectAttempt(CONNECT_MS);
  return (await import('pg')).default;
}

/** Opens no connection before the first use. */
export function createDatabase(deps: DatabaseDeps): PostgresDatabase {
  const { url, log, onLost, loadDriver = loadPg } = deps;
  const closing = new AbortController();
  // The driver's own queue counts a wait as slowness of the server.
  const turns = createTurns({ limit: MAX_CONNECTIONS - 1, closing: closing.signal });
  /** Number of transactions that the server has answered. */
  let answers = 0;
  /** The last problem of a server that has answered nobody: whoever waited then is rejected with it. */
  let silence: NotStored | undefined;
  let pool: { readonly pool: Pool; readonly access: DatabaseAccess } | undefined;
  let trouble: DatabaseTrouble | undefined;
  let isUp = false;
  /** Whether the trouble is one that reading does not have, so that only a write ends it. */
  let isOfWrites = false;
  /** The causes of the present trouble that were logged. */
  const told = new Set<DatabaseTrouble['reason']>();
  let schema = 'agent_platform';

  /** A changed URL, such as another password, or a changed file of it replaces the pool. */
  async function connect(): Promise<{ readonly client: PoolClient; readonly from: Pool }> {
    const access = await url.read();
    const driver = await loadDriver();
    if (closing.signal.aborted) throw new Error('the database is closed');
    // Without waiting in between: of transactions that begin together, one creates the pool.
    if (pool === undefined || !isDeepStrictEqual(pool.access, access)) {
      // Another URL may lead to another server.
      if (pool !== undefined) onLost?.();
      discardPool();
      schema = parseDatabaseUrl(access.url).schema;
      pool = { pool: createPool(driver, access), access };
    }
    const from = pool.pool;
    return { client: await from.connect(), from };
  }

  /** Its idle connections close now, the others once they are no longer used. */
  function discardPool(): void {
    void pool?.pool.end();
    pool = undefined;
  }

  function createPool({ Pool: create, types }: Driver, access: DatabaseAccess): Pool {
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

  async function runInTurn<Result>(
    mode: PostgresMode,
    work: (query: Query) => Promise<Result>,
  ): Promise<Result> {
    const before = silence;
    const turn = await turns.take('all', 'other');
    try {
      if (silence !== undefined && silence !== before) throw silence;
      return await run(mode, work);
    } finally {
      turn.end();
    }
  }

  async function run<Result>(mode: PostgresMode, work: (query: Query) => Promise<Result>): Promise<Result> {
    const before = trouble;
    const answered = answers;
    let connection: Awaited<ReturnType<typeof connect>>;
    try {
      connection = await connect();
    } catch (error) {
      const problem = failed(error, 'snapshot');
      // A server that refuses one more connection still answers on the others.
      if (problem.details.reason !== 'full' && answers === answered) silence = problem;
      throw problem;
    }
    const { client, from } = connection;
    const prefix = `"${schema}".`;
    const send = (text: string, values?: readonly Value[]) =>
      ask(client, text.replaceAll('S.', prefix), values, ANSWER_MS[mode]);
    let isBroken = true;
    try {
      await send(BEGIN[mode]);
      const outcome = await attempt(() => work(async (text, values) => (await send(text, values)).rows));
      const { command } = await send('thrown' in outcome ? 'ROLLBACK' : 'COMMIT');
      if (!('thrown' in outcome) && command !== 'COMMIT') throw new Error('the transaction was rolled back');
      isBroken = false;
      answers += 1;
      // One of a discarded pool leads to where the others no longer lead, and one that began before the trouble is no news.
      if (from === pool?.pool && before === trouble) succeeded(mode);
      if ('thrown' in outcome) throw outcome.thrown;
      return outcome.result;
    } catch (error) {
      if (!isBroken) throw error;
      const problem = failed(error instanceof StatementError ? error.cause : error, mode);
      // A lost connection says nothing about the server: whoever is next connects anew.
      if (problem.details.reason === 'slow' && answers === answered) silence = problem;
      throw problem;
    } finally {
      // A connection with an error may lead to a server that is no longer the right one.
      client.release(isBroken);
    }
  }

  /** The driver takes a limit for each statement, unlike its types. */
  async function ask(
    client: PoolClient,
    text: string,
    values: readonly Value[] | undefined,
    limitMs: number,
  ): Promise<QueryResult<Row>> {
    const statement: QueryConfig & { readonly query_timeout: number } = { text, query_timeout: limitMs };
    try {
      // Without values, several statements may be in one text.
      return await client.query<Row>(
        values === undefined ? statement : { ...statement, values: [...values] },
      );
    } catch (error) {
      throw new StatementError(error);
    }
  }

  function failed(error: unknown, mode: PostgresMode): NotStored {
    trouble = troubleOf(error);
    isUp = false;
    if (isConnectionLost(error)) onLost?.();
    isOfWrites = mode !== 'snapshot' && trouble.reason !== 'unreachable';
    // After a failover, each open connection may lead to either server.
    if (trouble.reason === 'read-only') discardPool();
    const fields = { store: url.describe(), ...trouble };
    // While a server restarts, it is alternately unreachable and slow.
    const cause = trouble.reason === 'slow' ? 'unreachable' : trouble.reason;
    if (!told.has(cause) && !closing.signal.aborted) {
      told.add(cause);
      const text = 'Database cannot be used; published data stays, polling and hook events wait';
      log[LASTING.has(trouble.reason) ? 'error' : 'warn'](text, fields);
    }
    return new NotStored(trouble.detail, trouble);
  }

  function succeeded(mode: PostgresMode): void {
    if (isOfWrites && mode === 'snapshot') return;
    const before = trouble;
    isOfWrites = false;
    trouble = undefined;
    told.clear();
    isUp = true;
    if (before === undefined) return;
    log.info('Database can be used again', { store: url.describe() });
  }

  return {
    isUp: () => isUp,
    trouble: () => trouble,
    transaction: (work, mode = 'write') => (mode === 'leader' ? run(mode, work) : runInTurn(mode, work)),
    async close() {
      closing.abort();
      await pool?.pool.end();
    },
  };
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

/** An error of a statement, to distinguish it from one of the caller. */
class StatementError extends Error {
  readonly code: string | undefined;

  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
    this.code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  }
}
