import { closeSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { DatasetName } from '../../catalog/dataset.ts';
import type { Day } from '../../catalog/day.ts';
import { encode } from '../encoding.ts';
import type { DatasetState } from '../history.ts';
import type { SweepMark } from '../retention.ts';
import type { OrgState } from '../state.ts';
import { check } from './check.ts';
import { moveAside, UnusableHistory } from './errors.ts';
import { inspect, refusalOf, refuseSpecial } from './inspect.ts';
import { type Lock, takeOwnership } from './lock.ts';
import { createTables, refuseForeign } from './schema.ts';

/** The current schema version of a dataset's rows or documents: those stored with another version are fetched again. */
export type SchemaVersionOf = (dataset: DatasetName) => number;

/**
 * Number of pages (4 KiB) after which the write-ahead log is checkpointed. That happens within a commit: with SQLite's
 * default of 1000 it blocked the event loop for 10 to 17 ms, with 256 for 4.
 */
const LOG_PAGES = 256;

/** Opens a database for writing. */
type OpenDatabase = (path: string) => DatabaseSync;

/** An open history file, exclusive to this process. */
export interface HistoryFile {
  readonly db: DatabaseSync;
  begin(): void;
  commit(): void;
  /** Does nothing if no transaction is open. */
  rollback(): void;
  /** Stores a day; deletes it if it is no longer kept. */
  putDay(org: string, dataset: DatasetName, day: Day, kept: DatasetState | undefined): void;
  /** Stores a document; deletes it if it is no longer kept. */
  putDocument(org: string, dataset: DatasetName, id: string, kept: DatasetState | undefined): void;
  /** Stores the state of a dataset; deletes it if there is none. */
  putDataset(org: string, dataset: DatasetName, kept: DatasetState | undefined): void;
  /** Stores the identity of an organization; deletes it if there is none. */
  putOrg(org: string, identity: Pick<OrgState, 'orgId' | 'confirmedKey'> | undefined): void;
  putSweepMark(mark: SweepMark): void;
  /** Removes replaced rows from the files beside the database; false if another reader prevents it. */
  scrub(): boolean;
  close(): void;
}

/** What happens to a history that must not be written to: it stays, or is replaced by a new one. */
type OnDamage = 'keep' | 'replace';

/** Options for opening a file. */
export interface Opening {
  readonly onDamage?: OnDamage | undefined;
  /** Likewise for a file whose layout is that of an older version. */
  readonly onOlder?: OnDamage | undefined;
  /** Whether a write has found the file damaged. */
  readonly isSuspect?: boolean | undefined;
  /** SQLite's own by default. */
  readonly openDatabase?: OpenDatabase | undefined;
}

/** A file that was replaced by a new one. */
export interface Replaced {
  /** Its new path. */
  readonly path: string;
  readonly reason: UnusableHistory;
}

interface OpenedFile {
  readonly file: HistoryFile;
  readonly replaced: Replaced | undefined;
}

/**
 * Takes the lock of a file for this process, which only one has at a time, and creates its directory if necessary. Throws a
 * `ConfigError` if the path is no regular file, and the error of SQLite or the system.
 */
export function ownHistoryFile(location: string): Lock {
  refuseSpecial(location);
  mkdirSync(path.dirname(location), { recursive: true, mode: 0o700 });
  return takeOwnership(location);
}

/** Opens the file of `openOwnedFile` with its lock, which is released with it. */
export function openHistoryFile(
  location: string,
  schemaVersionOf: SchemaVersionOf,
  opening: Opening = {},
): OpenedFile {
  const lock = ownHistoryFile(location);
  try {
    const { file, replaced } = openOwnedFile(location, schemaVersionOf, opening);
    return { file: { ...file, close: () => closeAll(file, lock) }, replaced };
  } catch (error) {
    lock.undo();
    throw error;
  }
}

/**
 * Opens a file whose lock this process has, and creates it if necessary, accessible to this user only. Throws a
 * `ConfigError` if the file must not be touched (an `UnusableHistory` if it is damaged or newer and stays), and any other
 * error if opening may succeed later.
 */
export function openOwnedFile(
  location: string,
  schemaVersionOf: SchemaVersionOf,
  {
    onDamage = 'keep',
    onOlder = 'keep',
    isSuspect = false,
    openDatabase = (file) => new DatabaseSync(file),
  }: Opening = {},
): OpenedFile {
  return openOrReplace(location, { onDamage, onOlder }, () => {
    inspect(location, () => check(location, isSuspect));
    // SQLite gives the files beside a database the mode of the database.
    closeSync(openSync(location, 'a', 0o600));
    return openLocked(location, schemaVersionOf, openDatabase);
  });
}

function openOrReplace(
  location: string,
  { onDamage, onOlder }: Required<Pick<Opening, 'onDamage' | 'onOlder'>>,
  open: () => HistoryFile,
): OpenedFile {
  try {
    return { file: open(), replaced: undefined };
  } catch (error) {
    if (!(error instanceof UnusableHistory)) throw error;
    const isOlder = error.reason === 'older';
    if ((isOlder ? onOlder : onDamage) !== 'replace') throw error;
    const replaced = { path: moveAside(location, isOlder ? 'older' : 'damaged'), reason: error };
    return { file: open(), replaced };
  }
}

function closeAll(file: HistoryFile, lock: Lock): void {
  try {
    file.close();
  } finally {
    lock.release();
  }
}

function openLocked(
  location: string,
  schemaVersionOf: SchemaVersionOf,
  openDatabase: OpenDatabase,
): HistoryFile {
  const db = openDatabase(location);
  try {
    refuseForeign(db, location);
    // NORMAL: a killed process loses nothing that was committed; a power failure may lose the newest transactions as a
    // whole, and those days are fetched again. FULL would wait for the disk on the event loop with every answer.
    db.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = ${LOG_PAGES}`,
    );
    createTables(db);
    return createHistoryFile(db, schemaVersionOf);
  } catch (error) {
    db.close();
    throw refusalOf(error, location);
  }
}

function createHistoryFile(db: DatabaseSync, schemaVersionOf: SchemaVersionOf): HistoryFile {
  // Unchanged data is not written: a listing is stored as a whole, though little of it is new.
  const day = db.prepare(
    `INSERT INTO day (org, dataset, day, form, row, sum) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET form = excluded.form, row = excluded.row, sum = excluded.sum
     WHERE row IS NOT excluded.row OR form <> excluded.form OR sum IS NOT excluded.sum`,
  );
  const noDay = db.prepare('DELETE FROM day WHERE org = ? AND dataset = ? AND day = ?');
  const document = db.prepare(
    `INSERT INTO document (org, dataset, id, form, body, sum) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET form = excluded.form, body = excluded.body, sum = excluded.sum
     WHERE body <> excluded.body OR form <> excluded.form OR sum <> excluded.sum`,
  );
  const noDocument = db.prepare('DELETE FROM document WHERE org = ? AND dataset = ? AND id = ?');
  const dataset = db.prepare(
    `INSERT INTO dataset (org, name, answered_at, succeeded_at, revised_on) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET
       answered_at = excluded.answered_at, succeeded_at = excluded.succeeded_at, revised_on = excluded.revised_on`,
  );
  const noDataset = db.prepare('DELETE FROM dataset WHERE org = ? AND name = ?');
  const organization = db.prepare(
    `INSERT INTO org (name, org_id, confirmed_key) VALUES (?, ?, ?)
     ON CONFLICT DO UPDATE SET org_id = excluded.org_id, confirmed_key = excluded.confirmed_key
     WHERE org_id IS NOT excluded.org_id OR confirmed_key IS NOT excluded.confirmed_key`,
  );
  const noOrganization = db.prepare('DELETE FROM org WHERE name = ?');

  const sweepMark = db.prepare('INSERT OR REPLACE INTO sweep (only, day, doubted_since) VALUES (1, ?, ?)');

  return {
    db,
    begin: () => db.exec('BEGIN IMMEDIATE'),
    commit: () => db.exec('COMMIT'),
    rollback() {
      if (db.isTransaction) db.exec('ROLLBACK');
    },
    putDay(org, name, date, kept) {
      if (kept === undefined || !kept.days.has(date)) {
        noDay.run(org, name, date);
        return;
      }
      const { text, sum } = encode(kept.days, date);
      day.run(org, name, date, schemaVersionOf(name), text, sum);
    },
    putDocument(org, name, id, kept) {
      if (kept === undefined || !kept.documents.has(id)) {
        noDocument.run(org, name, id);
        return;
      }
      const { text, sum } = encode(kept.documents, id);
      document.run(org, name, id, schemaVersionOf(name), text, sum);
    },
    putDataset(org, name, kept) {
      if (kept === undefined) {
        noDataset.run(org, name);
        return;
      }
      const { answeredAt = null, succeededAt = null, revisedOn = null } = kept;
      dataset.run(org, name, answeredAt, succeededAt, revisedOn);
    },
    putOrg(org, identity) {
      if (identity === undefined) noOrganization.run(org);
      else organization.run(org, identity.orgId ?? null, identity.confirmedKey ?? null);
    },
    putSweepMark: ({ day, doubtedSince = null }) => void sweepMark.run(day, doubtedSince),
    scrub: () => db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0,
    close: () => db.close(),
  };
}
