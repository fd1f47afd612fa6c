import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { openForReading } from '../history/sqlite/check.ts';
import { troubleOf } from '../history/sqlite/errors.ts';
import { openHistoryFile } from '../history/sqlite/file.ts';
import { type Lock, ownerOf, takeLock, takeOwnership } from '../history/sqlite/lock.ts';
import { openRequestFile, requestFileBeside } from '../history/sqlite/requests.ts';
import { hookFileBeside, openHookFile } from '../hooks/intake/sqlite/file.ts';
import { ConfigError } from '../runtime/errors.ts';
import { writeWhole } from '../runtime/files.ts';
import { type CopySource, type CopyTarget, hasOtherData } from './copy.ts';
import { FILES, type FileName, STATEMENTS } from './sqlite-statements.ts';
import { isSound, TABLES, type TableName, type Values } from './tables.ts';

/** Rows between two opportunities for other work. */
const BATCH = 500;

/** An open database of a store. */
interface Open {
  readonly db: DatabaseSync;
  close(): void;
}

type Files = Partial<Readonly<Record<FileName, Open>>>;

function pathsOf(path: string): Readonly<Record<FileName, string>> {
  return { history: path, requests: requestFileBeside(path), hooks: hookFileBeside(path) };
}

function dbOf(files: Files, table: TableName): DatabaseSync | undefined {
  return files[STATEMENTS[table].file]?.db;
}

async function* rowsOf(files: Files, table: TableName): AsyncGenerator<readonly Values[]> {
  const { read } = STATEMENTS[table];
  const db = dbOf(files, table);
  if (db === undefined) return;
  let batch: Values[] = [];
  for (const row of db.prepare(read).iterate()) {
    const values = Object.values(row) as Values;
    if (!isSound(table, values)) continue;
    batch.push(values);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
    await setImmediate();
  }
  if (batch.length > 0) yield batch;
}

function sizeOf(files: Files): number {
  return [...countsOf(files).values()].reduce((sum, rows) => sum + rows, 0);
}

/** Opens a history file and those beside it. Rejects with a `ConfigError` if it cannot be read or another process has it open. */
export async function openFileSource(path: string): Promise<CopySource> {
  if (!existsSync(path)) {
    throw new ConfigError(`storage.path: ${path} does not exist`, 'give the path of the history file');
  }
  const files = openFiles(path);
  return {
    place: path,
    rows: (table) => rowsOf(files, table),
    size: async () => sizeOf(files),
    close: async () => closeAll(files),
  };
}

function openFiles(path: string, { isNew = false } = {}): Files {
  const paths = pathsOf(path);
  const files: Partial<Record<FileName, Open>> = {};
  try {
    // Rows keep the schema versions of their datasets.
    files.history = openHistoryFile(paths.history, () => 1).file;
    if (isNew || existsSync(paths.hooks)) files.hooks = openHookFile(paths.hooks);
    if (isNew || existsSync(paths.requests)) files.requests = opened(openRequestFile(paths.requests));
    return files;
  } catch (error) {
    closeAll(files);
    throw refusal(path, error);
  }
}

function opened(db: DatabaseSync): Open {
  return { db, close: () => db.close() };
}

function closeAll(files: Files): void {
  for (const name of FILES) files[name]?.close();
}

function refusal(path: string, error: unknown): ConfigError {
  if (error instanceof ConfigError) return error;
  const { reason, detail, hint } = troubleOf(error);
  if (reason === 'locked')
    return new ConfigError(
      `storage.path: another process has ${path} open: ${ownerOf(path)}`,
      'stop the exporter first',
    );
  return new ConfigError(`storage.path: ${path}: ${detail}`, hint);
}

/** What is known of an unfinished copy. */
interface CopyState {
  readonly fingerprint: string;
  /** Whether everything was written and compared. */
  readonly isVerified: boolean;
}

/** The table that counts the written rows, in each file until the end. */
const POSITIONS = 'CREATE TABLE IF NOT EXISTS copied (name TEXT PRIMARY KEY, rows INTEGER NOT NULL) STRICT';

/**
 * Opens a history file as the target of a copy. The copy is made in a directory beside it, and its files are moved to their
 * places once they are complete, so that an exporter never finds a part of them.
 */
export function openFileTarget(path: string): CopyTarget {
  const folder = `${path}.copying`;
  const inner = join(folder, basename(path));
  const stateFile = join(folder, 'state.json');
  const locks = lockPlace(path);
  let files: Files = {};

  function readState(): CopyState | undefined {
    if (!existsSync(stateFile)) return undefined;
    try {
      return JSON.parse(readFileSync(stateFile, 'utf8')) as CopyState;
    } catch {
      return undefined;
    }
  }

  function writeState(state: CopyState): void {
    writeWhole(stateFile, JSON.stringify(state));
  }

  function start(fingerprint: string): void {
    closeAll(files);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeState({ fingerprint, isVerified: false });
  }

  function positions(): ReadonlyMap<TableName, number> {
    const rows = FILES.flatMap(
      (name) => files[name]?.db.prepare('SELECT name, rows FROM copied').all() ?? [],
    );
    return new Map(rows.map((row) => [row['name'] as TableName, Number(row['rows'])]));
  }

  const isMoved = () => readState()?.isVerified === true;

  function moveToPlace(): void {
    for (const name of ['hooks', 'requests', 'history'] as const) {
      const [from, to] = [pathsOf(inner)[name], pathsOf(path)[name]];
      if (!existsSync(from)) continue;
      for (const beside of ['-wal', '-shm']) rmSync(to + beside, { force: true });
      renameSync(from, to);
    }
  }

  function openPlace(): Files {
    const found: Partial<Record<FileName, Open>> = {};
    try {
      for (const name of FILES) {
        const file = pathsOf(path)[name];
        if (existsSync(file)) found[name] = opened(openForReading(file));
      }
      return found;
    } catch (error) {
      closeAll(found);
      throw refusal(path, error);
    }
  }

  return {
    place: path,
    rows: (table) => rowsOf(files, table),
    size: async () => sizeOf(files),
    async begin(fingerprint) {
      const state = readState();
      if (state !== undefined && isMoved()) {
        // Only the moves were interrupted.
        moveToPlace();
        if (state.fingerprint !== fingerprint) throw hasOtherData(path);
        files = openPlace();
        return countsOf(files);
      }
      if (hasData(path)) {
        files = openPlace();
        return undefined;
      }
      if (state?.fingerprint !== fingerprint || !existsSync(folder)) start(fingerprint);
      files = openFiles(inner, { isNew: true });
      for (const name of FILES) files[name]?.db.exec(POSITIONS);
      return positions();
    },
    async write(table, rows, done) {
      const { file, write } = STATEMENTS[table];
      const db = files[file]?.db;
      if (db === undefined) throw new Error('the copy has not begun');
      db.exec('BEGIN IMMEDIATE');
      try {
        const statement = db.prepare(write);
        for (const values of rows) statement.run(...values);
        db.prepare('INSERT OR REPLACE INTO copied VALUES (?, ?)').run(table, done);
        db.exec('COMMIT');
      } catch (error) {
        if (db.isTransaction) db.exec('ROLLBACK');
        throw refusal(path, error);
      }
    },
    async spoil() {
      writeState({ fingerprint: '', isVerified: false });
    },
    async finish() {
      if (!isMoved()) for (const name of FILES) files[name]?.db.exec('DROP TABLE copied');
      closeAll(files);
      files = {};
      writeState({ fingerprint: readState()?.fingerprint ?? '', isVerified: true });
      moveToPlace();
      rmSync(folder, { recursive: true });
    },
    async close() {
      closeAll(files);
      for (const lock of locks) lock.release();
    },
  };
}

/** Keeps exporters away from the place for as long as the copy takes. */
function lockPlace(path: string): readonly Lock[] {
  const { history, hooks } = pathsOf(path);
  const locks: Lock[] = [];
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    locks.push(takeOwnership(history), takeLock(`${hooks}.lock`));
    return locks;
  } catch (error) {
    for (const lock of locks) lock.release();
    throw refusal(path, error);
  }
}

/** The number of rows of each table. */
function countsOf(files: Files): ReadonlyMap<TableName, number> {
  return new Map(
    TABLES.map((table) => {
      const { read } = STATEMENTS[table];
      const found = dbOf(files, table)?.prepare(`SELECT count(*) AS rows FROM (${read})`).get();
      return [table, Number(found?.['rows'] ?? 0)];
    }),
  );
}

/** Whether a place has any row that a copy would replace. Throws a `ConfigError` for data that is not of this program. */
function hasData(path: string): boolean {
  const paths = pathsOf(path);
  return FILES.some((name) => {
    if ((statSync(paths[name], { throwIfNoEntry: false })?.size ?? 0) === 0) return false;
    const db = openForReading(paths[name]);
    try {
      return sizeOf({ [name]: opened(db) }) > 0;
    } catch {
      // Not a file that this release can read: not empty.
      throw hasOtherData(path);
    } finally {
      db.close();
    }
  });
}
