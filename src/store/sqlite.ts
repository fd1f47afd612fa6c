import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { createFolder } from '../files/local-file.ts';
import type { Logger } from '../log/logger.ts';
import { ConfigError, messageOf } from '../text/errors.ts';
import { createSerialQueue } from '../work/serial-queue.ts';
import {
  NotStored,
  type Query,
  type Row,
  type StoreDatabase,
  type TransactionMode,
  type Value,
  type Work,
} from './database.ts';
import { isDamage, moveAside, type Trouble, troubleOf } from './sqlite-errors.ts';
import { createTable, type Table } from './tables.ts';

/** The path that means memory instead of a file. */
export const MEMORY = ':memory:';

/** How long SQLite waits for other processes, in milliseconds: they only read, and never for long. */
const BUSY_MS = 20;
/**
 * Number of pages (4 KiB) after which the write-ahead log is checkpointed. That happens within a commit: with SQLite's
 * default of 1000 it blocked the event loop for 10 to 17 ms, with 256 for 4.
 */
const LOG_PAGES = 256;
/** The maximum number of prepared statements, above the number of different texts. */
const MAX_STATEMENTS = 500;
const MAGIC = 'SQLite format 3\0';
/** The offset of the `application_id` in a database's header. */
const APPLICATION_ID_AT = 68;
const HEADER_BYTES = 100;

/** The kind of a file: its tables, and how durable its commits are. */
export interface Layout {
  /** Identifies a database as a file of this kind: the `application_id`. */
  readonly applicationId: number;
  /** The `user_version`; each incompatible layout gets the next number. */
  readonly version: number;
  readonly tables: readonly Table[];
  /** `FULL` waits for the disk with every commit. With `NORMAL`, a power failure may lose the newest transactions as a whole. */
  readonly synchronous: 'NORMAL' | 'FULL';
  /** What the operator loses if a damaged file is replaced. */
  readonly afterDamage: string;
}

export interface SqliteDeps {
  /** The file, which belongs to this process; it and its directory are created if necessary. `:memory:` is SQLite's own. */
  readonly path: string;
  readonly layout: Layout;
  /** What happens to a damaged file: `replace` it by a new one, or end the process with `onExit`. */
  readonly onDamage: 'replace' | 'exit';
  /** Ends the process; called when damage is found at run time in a file that must not be replaced. */
  readonly onExit?: ((error: ConfigError) => void) | undefined;
  readonly log: Logger;
  /** Called before each use; throws if the file belongs to another process now. */
  readonly keepOwning?: (() => void) | undefined;
  /** Called once the file is closed. */
  readonly onClosed?: (() => void) | undefined;
  /** Opens a database; `node:sqlite` by default. */
  readonly openDatabase?: ((path: string) => DatabaseSync) | undefined;
}

type SqliteMode = TransactionMode | 'probe';

/** An open file. */
interface OpenFile {
  readonly db: DatabaseSync;
  /** The inodes of the file and its log. SQLite would go on writing into a removed file, and a crash would lose that. */
  readonly inodes: string;
  readonly epoch: string;
  readonly statements: Map<string, StatementSync>;
}

/** An outage of a file. */
interface Outage {
  readonly trouble: Trouble;
  /** Whether only writes fail, so that only a write that changes something ends the outage. */
  readonly isOfWrites: boolean;
}

/** A SQLite file or memory, with one transaction at a time. An unavailable file is tried again at the next use. */
export class SqliteDatabase implements Required<StoreDatabase> {
  readonly #deps: SqliteDeps;
  readonly #queue = createSerialQueue();
  /** `shut`: the next use opens the file; `closed`: it stays closed. */
  #file: OpenFile | 'shut' | 'closed' = 'shut';
  #outage: Outage | undefined;
  #isScrubDue = false;

  /**
   * Opens a file. Throws a `ConfigError` if the file must not be touched: another program or a newer release has written it, or it
   * is damaged and must not be replaced. After any other error, the next use tries again.
   */
  static open(deps: SqliteDeps): SqliteDatabase {
    const database = new SqliteDatabase(deps);
    try {
      database.#file = openFile(deps);
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      database.#failed(error);
    }
    return database;
  }

  private constructor(deps: SqliteDeps) {
    this.#deps = deps;
  }

  isUp(): boolean {
    return this.#outage === undefined;
  }

  transaction<Result>(work: Work<Result>, mode: TransactionMode = 'write'): Promise<Result> {
    return this.#queue.run(() => this.#transact(work, mode));
  }

  probe(work: Work<unknown>): Promise<unknown> {
    return this.#queue.run(() => this.#transact(work, 'probe'));
  }

  async epochOf(): Promise<string> {
    return this.#open?.epoch ?? '';
  }

  tend(): Promise<void> {
    return this.#queue.run(() => {
      try {
        const { db } = this.#use();
        // Busy: another process reads, so that the log cannot be emptied now.
        if (this.#isScrubDue)
          this.#isScrubDue = db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 1;
        this.#succeeded(false);
      } catch (error) {
        this.#failed(error);
      }
    });
  }

  scrub(): Promise<void> {
    this.#isScrubDue = true;
    return this.tend();
  }

  async close(): Promise<void> {
    await this.#queue.idle();
    this.#shut();
    this.#file = 'closed';
    this.#deps.onClosed?.();
  }

  get #open(): OpenFile | undefined {
    return typeof this.#file === 'string' ? undefined : this.#file;
  }

  #use(): OpenFile {
    const { path, log, keepOwning } = this.#deps;
    if (this.#file === 'closed') throw new Error('the store is closed');
    keepOwning?.();
    const known = this.#open;
    if (known?.inodes === inodesOf(path)) return known;
    if (known !== undefined) {
      log.warn('Store file removed or replaced; opened anew, and missing data is fetched again', { path });
      this.#shut();
    }
    const opened = openFile(this.#deps);
    this.#file = opened;
    return opened;
  }

  #shut(): void {
    const { path, log } = this.#deps;
    const closing = this.#open;
    if (closing === undefined) return;
    this.#file = 'shut';
    try {
      closing.db.close();
    } catch (error) {
      log.debug('Closing the store file failed', { path, error: messageOf(error) });
    }
  }

  async #transact<Result>(work: Work<Result>, mode: SqliteMode): Promise<Result> {
    let current: OpenFile;
    let before = 0;
    try {
      current = this.#use();
      before = this.#outage === undefined ? 0 : changesOf(current);
      current.db.exec(mode === 'snapshot' ? 'BEGIN' : 'BEGIN IMMEDIATE');
    } catch (error) {
      throw this.#failed(error, mode);
    }
    let result: Result;
    try {
      result = await work(queryOf(current));
    } catch (error) {
      this.#rollback(current);
      throw error instanceof StatementError ? this.#failed(error.cause, mode) : error;
    }
    try {
      current.db.exec('COMMIT');
    } catch (error) {
      this.#rollback(current);
      throw this.#failed(error, mode);
    }
    if (this.#outage !== undefined) this.#succeeded(mode === 'write' && changesOf(current) > before);
    return result;
  }

  #rollback({ db }: OpenFile): void {
    const { path, log } = this.#deps;
    try {
      if (db.isTransaction) db.exec('ROLLBACK');
    } catch (error) {
      log.debug('Transaction rollback failed', { path, error: messageOf(error) });
      this.#shut();
    }
  }

  /** Converts an error of SQLite or the system into the error to throw; replaces a damaged file first. */
  #failed(error: unknown, mode: SqliteMode = 'snapshot'): NotStored {
    const { path, log, onExit } = this.#deps;
    let cause = error;
    if (isDamage(error) && path !== MEMORY) {
      this.#shut();
      try {
        replaceDamaged(this.#deps, messageOf(error));
      } catch (inner) {
        cause = inner;
        if (inner instanceof ConfigError) onExit?.(inner);
      }
    }
    const before = this.#outage?.trouble;
    const trouble = troubleOf(cause);
    this.#outage = { trouble, isOfWrites: mode !== 'snapshot' && this.#open !== undefined };
    if (before?.reason !== trouble.reason)
      log.warn('The store cannot be used; published data stays, polling and hook events wait', {
        path,
        ...trouble,
      });
    return new NotStored(trouble.detail, trouble);
  }

  #succeeded(isChanged: boolean): void {
    if (this.#outage === undefined || (this.#outage.isOfWrites && !isChanged)) return;
    this.#outage = undefined;
    this.#deps.log.info('The store can be used again', { path: this.#deps.path });
  }
}

function openFile(deps: SqliteDeps): OpenFile {
  const { path, layout, openDatabase = connect } = deps;
  if (path !== MEMORY) prepareFile(deps);
  const db = openDatabase(path);
  try {
    db.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = ${layout.synchronous}; PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = ${LOG_PAGES}`,
    );
    createTables(db, path, layout);
  } catch (error) {
    db.close();
    throw error;
  }
  return { db, inodes: inodesOf(path), epoch: randomUUID(), statements: new Map() };
}

/** Moves a damaged or older file aside. Throws if the file is not one of this exporter. */
function prepareFile(deps: SqliteDeps): void {
  const { path, layout, log } = deps;
  refuseSpecial(path);
  createFolder(dirname(path));
  // SQLite gives the files beside a database the mode of the database.
  closeSync(openSync(path, 'a', 0o600));
  const found = stateOf(path, layout);
  if (found === 'sound') return;
  if (found === 'older') {
    const aside = moveAside(path, 'older');
    log.warn('Store file has an older layout; moved aside, and its content is fetched again', {
      path,
      aside,
      hint: `${aside} can be removed`,
    });
  } else replaceDamaged(deps, found.damage);
  closeSync(openSync(path, 'a', 0o600));
}

function replaceDamaged({ path, layout, onDamage, log }: SqliteDeps, detail: string): void {
  if (onDamage === 'exit') {
    throw new ConfigError(
      `storage.path: ${path} is damaged: ${detail}`,
      'it is left untouched; restore a copy or move it away, or use --storage.on-damage=replace',
    );
  }
  const aside = moveAside(path, 'damaged');
  log.error('Store file damaged; moved aside and replaced by a new one', {
    path,
    aside,
    error: detail,
    hint: `${layout.afterDamage}; ${aside} can be removed once it is no longer needed`,
  });
}

function queryOf({ db, statements }: OpenFile): Query {
  return async (text, values = []) => {
    let statement = statements.get(text);
    if (statement === undefined) {
      if (statements.size >= MAX_STATEMENTS) statements.clear();
      statement = db.prepare(sqliteText(text));
      statements.set(text, statement);
    }
    try {
      return statement.all(...(values as Value[])) as readonly Row[];
    } catch (error) {
      throw new StatementError(error);
    }
  };
}

/** The number of rows written so far. */
function changesOf({ db }: OpenFile): number {
  return Number(db.prepare('SELECT total_changes() AS changes').get()?.['changes']);
}

/** An error of a statement, as opposed to an error of the caller. */
class StatementError extends Error {
  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}

/** Converts a statement to SQLite's dialect. */
export function sqliteText(text: string): string {
  return text.replaceAll('S.', '').replace(/\$(\d+)/g, '?$1');
}

function connect(path: string): DatabaseSync {
  return new DatabaseSync(path, { timeout: BUSY_MS });
}

/** Whether a database has a write-ahead log: without one there is no writer. */
export function hasLog(path: string): boolean {
  return existsSync(`${path}-wal`);
}

/** Opens a database so that closing it does not change the file. */
export function openForReading(path: string): DatabaseSync {
  const options = { readOnly: true, timeout: BUSY_MS };
  // Then SQLite needs no files beside a database without a log.
  if (hasLog(path)) return new DatabaseSync(path, options);
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return new DatabaseSync(url, options);
}

function inodesOf(path: string): string {
  if (path === MEMORY) return '';
  return [path, `${path}-wal`]
    .map((file) => statSync(file, { bigint: true, throwIfNoEntry: false })?.ino)
    .join();
}

/** Throws a `ConfigError` if a path is something that cannot be a file of this exporter. */
export function refuseSpecial(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return;
  throw new ConfigError(
    `storage.path: ${path} is ${found.isDirectory() ? 'a directory' : 'not a regular file'}`,
    'give the path of a file with --storage.path; it is created if necessary',
  );
}

type FileState = 'sound' | 'older' | { readonly damage: string };

/**
 * What a file is, without changing it; an empty one is sound. Throws a `ConfigError` if it is another program's or of a newer
 * layout, and SQLite's or the system's own error if it cannot be read.
 */
export function stateOf(path: string, layout: Layout): FileState {
  const header = headerOf(path);
  // A file with an interrupted change looks damaged until a process opens it for writing, which rolls back.
  if (header.length === 0 || (statSync(`${path}-journal`, { throwIfNoEntry: false })?.size ?? 0) > 0)
    return 'sound';
  const isOurs =
    header.length === HEADER_BYTES && header.readUInt32BE(APPLICATION_ID_AT) === layout.applicationId;
  const isDatabase = header.subarray(0, MAGIC.length).toString('latin1') === MAGIC;
  if (!isDatabase && !isOurs) throw foreign(path);
  try {
    const db = openForReading(path);
    try {
      return layoutOf(db, path, layout);
    } finally {
      db.close();
    }
  } catch (error) {
    if (isDamage(error) && isOurs) return { damage: messageOf(error) };
    throw isDamage(error) ? foreign(path) : error;
  }
}

function layoutOf(db: DatabaseSync, path: string, { applicationId, version }: Layout): FileState {
  const [id, found] = [numberOf(db, 'application_id'), numberOf(db, 'user_version')];
  if (id !== applicationId) {
    // A new file whose first transaction was not completed.
    if (id === 0 && found === 0 && isEmpty(db)) return 'sound';
    throw foreign(path);
  }
  if (found === version) return 'sound';
  if (found < version) return 'older';
  throw new ConfigError(
    `storage.path: ${path} was written by a newer release: its layout is number ${found}, this release has ${version}`,
    'it is left untouched; run a release at least as new, or give another path with --storage.path',
  );
}

function foreign(path: string): ConfigError {
  return new ConfigError(
    `storage.path: ${path} is not a file of this exporter`,
    'it is left untouched; give another path with --storage.path',
  );
}

/** The first bytes of a file, fewer if it has fewer. */
function headerOf(path: string): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  const file = openSync(path, 'r');
  try {
    return header.subarray(0, readSync(file, header, 0, HEADER_BYTES, 0));
  } finally {
    closeSync(file);
  }
}

/**
 * Creates the tables of an empty database, all or none, and those that an older one lacks. If it throws, closing the database rolls
 * back what was begun.
 */
function createTables(db: DatabaseSync, path: string, layout: Layout): void {
  const { applicationId, version, tables } = layout;
  layoutOf(db, path, layout);
  const statements = tables.flatMap(createTable).map(sqliteText);
  if (numberOf(db, 'application_id') === applicationId) {
    // Tables that this release has added.
    for (const statement of statements) db.exec(statement);
    return;
  }
  db.exec('BEGIN IMMEDIATE');
  for (const statement of statements) db.exec(statement);
  db.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${version}; COMMIT`);
}

function numberOf(db: DatabaseSync, pragma: 'application_id' | 'user_version'): number {
  return Number(db.prepare(`PRAGMA ${pragma}`).get()?.[pragma] ?? 0);
}

function isEmpty(db: DatabaseSync): boolean {
  return db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.['tables'] === 0;
}
