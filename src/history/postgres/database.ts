import type { Pool, PoolClient } from 'pg';
import { type Clock, createSystemClock } from '../../runtime/clock.ts';
import { setConnectAttempt } from '../../runtime/connect-attempt.ts';
import { parseDatabaseUrl } from '../../runtime/database-url.ts';
import { messageOf } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { NotStored } from '../history.ts';
import { connectionOf } from './connection.ts';
import { type ConnectionTurn, createConnectionTurns, type Purpose } from './connection-turns.ts';
import { BeingCopied, type DatabaseTrouble, LASTING, NewerSchema, troubleOf } from './errors.ts';
import { createSilenceWatch, SilentServer } from './silence.ts';

/** A row of a result, by column. */
export type Row = Readonly<Record<string, unknown>>;

/** Sends one statement and resolves with its rows. */
export type Query = (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** The text of the URL, which may change. */
interface UrlSource {
  read(): Promise<string>;
  /** Describes the source of the URL, without a password. */
  describe(): string;
}

/** The connections to a database, and whether it can be used. */
export interface Database {
  /** Quoted name of the schema, to qualify tables with: connections keep no state, so that a proxy may share them. */
  readonly schema: string;
  /** Whether the last use of the database succeeded. */
  isUp(): boolean;
  /** Why it cannot be used; undefined if it can, or was not used yet. */
  trouble(): DatabaseTrouble | undefined;
  /**
   * Runs statements as one transaction. Rejects with what `work` throws, or with a `NotStored` if the database cannot be
   * used; after a lost connection the transaction may have been committed. While all connections are in use, it waits
   * until its purpose is next; if the database stops answering, all that wait reject together.
   */
  transaction<Result>(
    work: (query: Query) => Promise<Result>,
    mode?: TransactionMode,
    purpose?: Purpose,
  ): Promise<Result>;
  /** Rejects the transactions that wait for a connection, and resolves once the others have ended. */
  close(): Promise<void>;
}

/** `snapshot` is read-only, and all of its statements see the same state. */
type TransactionMode = 'write' | 'snapshot' | 'migration';

/** The part of the driver that is used. */
interface Driver {
  readonly Pool: typeof Pool;
}

interface DatabaseDeps {
  readonly url: UrlSource;
  /** Loads the driver; `pg` by default. */
  readonly loadDriver?: () => Promise<Driver>;
  readonly log: Logger;
  readonly clock?: Pick<Clock, 'wait'>;
  /** Called when the database can be used again. */
  readonly onRecovery?: () => void;
}

/** Maximum connections of a process: it writes little, and the connections of a busy server are scarce. */
const MAX_CONNECTIONS = 4;
const CONNECT_MS = 5_000;
const IDLE_MS = 30_000;
/** Without an answer for this time, the server is gone: its own limits are shorter. */
const ANSWER_MS = 30_000;

/**
 * Limits of a transaction. They are set within it: a suspended process must not hold locks, and session state is lost
 * behind a proxy.
 */
const BEGIN: Readonly<Record<TransactionMode, string>> = {
  write: begin('READ COMMITTED', 15),
  snapshot: begin('REPEATABLE READ READ ONLY', 25),
  migration: begin('READ COMMITTED', 25),
};

function begin(isolation: string, seconds: number): string {
  return `BEGIN ISOLATION LEVEL ${isolation}; SET LOCAL lock_timeout = '10s'; SET LOCAL statement_timeout = '${seconds}s'; SET LOCAL idle_in_transaction_session_timeout = '15s'`;
}

// Loaded on first use: most exporters have a file.
async function loadPg(): Promise<Driver> {
  setConnectAttempt(CONNECT_MS);
  return (await import('pg')).default;
}

/** Opens no connection before the first use. */
export function createDatabase(deps: DatabaseDeps): Database {
  const { url, log, onRecovery, clock = createSystemClock(), loadDriver = loadPg } = deps;
  const turns = createConnectionTurns(MAX_CONNECTIONS);
  const watch = createSilenceWatch({ clock, probe, onSilent: turns.silent });
  let pool: { readonly pool: Pool; readonly url: string } | undefined;
  let trouble: DatabaseTrouble | undefined;
  let isUp = false;
  /** Whether the trouble is one that reading does not have, so that only a write ends it. */
  let isOfWrites = false;
  let isClosed = false;
  let schema = 'agent_platform';

  /** A changed URL, such as another password, replaces the pool. */
  async function connect(): Promise<{ readonly client: PoolClient; readonly from: Pool }> {
    const text = await url.read();
    const driver = await loadDriver();
    if (isClosed) throw new Error('the database is closed');
    // Without waiting in between: of transactions that begin together, one creates the pool.
    if (pool?.url !== text) {
      discardPool();
      schema = parseDatabaseUrl(text).schema;
      pool = { pool: createPool(driver.Pool, text), url: text };
    }
    const from = pool.pool;
    return { client: await from.connect(), from };
  }

  /**
   * Connects once more: a slow server answers that nevertheless. It is no use to send a statement too: behind a proxy, it
   * would wait for the slow ones.
   */
  async function probe(): Promise<NotStored | undefined> {
    let own: Pool | undefined;
    try {
      own = createPool((await loadDriver()).Pool, await url.read());
      (await own.connect()).release(true);
      return undefined;
    } catch (error) {
      // A server that refuses a connection answers.
      return troubleOf(error).reason === 'slow' ? failed(error, 'snapshot') : undefined;
    } finally {
      void own?.end();
    }
  }

  /** Its idle connections close now, the others once they are no longer used. */
  function discardPool(): void {
    void pool?.pool.end();
    pool = undefined;
  }

  function createPool(create: typeof Pool, text: string): Pool {
    const created = new create({
      ...connectionOf(text),
      max: MAX_CONNECTIONS,
      connectionTimeoutMillis: CONNECT_MS,
      idleTimeoutMillis: IDLE_MS,
      query_timeout: ANSWER_MS,
      keepAlive: true,
    });
    // An idle connection that breaks is replaced by the next use, which reports any problem.
    created.on('error', () => undefined);
    // One that breaks in use rejects its statement; without a listener, the same error would also end the process.
    created.on('connect', (client) => client.on('error', () => undefined));
    return created;
  }

  async function run<Result>(
    turn: ConnectionTurn,
    mode: TransactionMode,
    work: (query: Query) => Promise<Result>,
  ): Promise<Result> {
    let connection: Awaited<ReturnType<typeof connect>>;
    try {
      connection = await connect();
    } catch (error) {
      const problem = failed(error, 'snapshot');
      // A server that refuses one more connection still answers on the others.
      if (problem.details.reason !== 'full') turn.silent(problem);
      throw problem;
    }
    const { client, from } = connection;
    let isBroken = true;
    try {
      await watch.heard(client.query(BEGIN[mode]));
      const outcome = await attempt(() => work((text, values) => ask(client, text, values)));
      const { command } = await watch.heard(client.query('thrown' in outcome ? 'ROLLBACK' : 'COMMIT'));
      if (!('thrown' in outcome) && command !== 'COMMIT') throw new Error('the transaction was rolled back');
      isBroken = false;
      turn.answered();
      // One of a discarded pool leads to where the others no longer lead.
      if (from === pool?.pool) succeeded(mode);
      if ('thrown' in outcome) throw outcome.thrown;
      return outcome.result;
    } catch (error) {
      if (!isBroken) throw error;
      const cause = error instanceof StatementError ? error.cause : error;
      if (cause instanceof SilentServer) throw cause.problem;
      const problem = failed(error, mode);
      // A lost connection says nothing about the server: whoever is next connects anew.
      if (problem.details.reason === 'slow') turn.silent(problem);
      throw problem;
    } finally {
      // A connection with an error may lead to a server that is no longer the right one.
      client.release(isBroken);
    }
  }

  async function ask(
    client: PoolClient,
    text: string,
    values: readonly unknown[] = [],
  ): Promise<readonly Row[]> {
    try {
      return (await watch.heard(client.query<Record<string, unknown>>(text, [...values]))).rows;
    } catch (error) {
      throw new StatementError(error);
    }
  }

  function failed(error: unknown, mode: TransactionMode): NotStored {
    const before = trouble;
    trouble = troubleOf(error);
    isUp = false;
    isOfWrites = mode === 'write' && trouble.reason !== 'unreachable';
    // After a failover, each open connection may lead to either server.
    if (trouble.reason === 'read-only') discardPool();
    const fields = { store: url.describe(), ...trouble };
    if (before?.reason !== trouble.reason && !isClosed) {
      const text = 'Database cannot be used; published data stays, polling and hook events wait';
      if (LASTING.has(trouble.reason)) log.error(text, fields);
      // While a server restarts, it is alternately unreachable and slow.
      else if (before === undefined || LASTING.has(before.reason)) log.warn(text, fields);
    }
    return new NotStored(trouble.detail, trouble);
  }

  function succeeded(mode: TransactionMode): void {
    if (isOfWrites && mode !== 'write') return;
    const before = trouble;
    isOfWrites = false;
    trouble = undefined;
    isUp = true;
    if (before === undefined) return;
    log.info('Database can be used again', { store: url.describe() });
    onRecovery?.();
  }

  return {
    get schema() {
      return `"${schema}"`;
    },
    isUp: () => isUp,
    trouble: () => trouble,
    transaction: (work, mode = 'write', purpose = 'days') =>
      turns.run(purpose, (turn) => run(turn, mode, work)),
    async close() {
      isClosed = true;
      turns.close();
      watch.close();
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
    if (thrown instanceof StatementError || thrown instanceof NewerSchema || thrown instanceof BeingCopied)
      throw thrown;
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
