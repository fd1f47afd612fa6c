import { closeSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { DatasetName } from '../../catalog/dataset.ts';
import type { Day } from '../../catalog/day.ts';
import type { DatasetState } from '../history.ts';
import type { SweepMark } from '../retention.ts';
import type { OrgState } from '../state.ts';
import { inspect, refusalOf, refuseSpecial } from './inspect.ts';
import { type Lock, takeLock } from './lock.ts';
import { encode, migrate, refuseForeign } from './schema.ts';
import { moveAside, UnusableHistory } from './trouble.ts';

/** The form in which a dataset's rows or documents are kept at present. */
export type SchemaVersionOf = (dataset: DatasetName) => number;

/**
 * After how many pages (4 KiB) the write-ahead log is brought into the database. That happens within a commit: for
 * SQLite's own 1000 it held the event loop for 10 to 17 ms, for 256 for 4.
 */
const LOG_PAGES = 256;

/** Opens a database for writing. */
export type OpenDatabase = (path: string) => DatabaseSync;

/** An open history file, held by this process alone. */
export interface HistoryFile {
  readonly db: DatabaseSync;
  begin(): void;
  commit(): void;
  /** Does nothing where no transaction is open. */
  rollback(): void;
  /** Stores a day as it is kept; takes it out where it is not. */
  putDay(org: string, dataset: DatasetName, day: Day, kept: DatasetState | undefined): void;
  /** Stores a document as it is kept; takes it out where it is not. */
  putDocument(org: string, dataset: DatasetName, id: string, kept: DatasetState | undefined): void;
  /** Stores what is known of a dataset as a whole; takes it out where nothing is. */
  putDataset(org: string, dataset: DatasetName, kept: DatasetState | undefined): void;
  /** Stores who an organization is; takes it out where nothing is kept of it. */
  putOrg(org: string, identity: Pick<OrgState, 'orgId' | 'confirmedKey'> | undefined): void;
  putSweepMark(mark: SweepMark): void;
  /** Leaves nothing of replaced rows in the files beside the database; false where another reader is in the way. */
  scrub(): boolean;
  close(): void;
}

/** What happens to a history that may not be written to: it stays where it is, or makes way for a new one. */
export type OnDamage = 'keep' | 'replace';

/** How a file is opened. */
export interface Opening {
  readonly onDamage?: OnDamage | undefined;
  /** As SQLite does it, unless told otherwise. */
  readonly openDatabase?: OpenDatabase | undefined;
}

/** A file that made way for a new one. */
export interface Replaced {
  /** Where it is now. */
  readonly path: string;
  readonly reason: UnusableHistory;
}

/**
 * Opens the file and creates it and its directory where they are missing, for this user alone. Throws a `ConfigError`
 * where the file must be left alone, an `UnusableHistory` among them where it is damaged or newer and stays, and
 * anything else where it may work another time.
 */
export function openHistoryFile(
  location: string,
  schemaVersionOf: SchemaVersionOf,
  { onDamage = 'keep', openDatabase = (file) => new DatabaseSync(file) }: Opening = {},
): { readonly file: HistoryFile; readonly replaced: Replaced | undefined } {
  refuseSpecial(location);
  mkdirSync(path.dirname(location), { recursive: true, mode: 0o700 });
  // One process at a time may write; readers see what is stored.
  const lock = takeLock(`${location}.lock`);
  try {
    const replaced = onDamage === 'replace' ? replaceUnusable(location) : undefined;
    inspect(location);
    // SQLite gives the files beside a database the database's own mode.
    closeSync(openSync(location, 'a', 0o600));
    const file = openLocked(location, schemaVersionOf, openDatabase);
    return { file: { ...file, close: () => closeAll(file, lock) }, replaced };
  } catch (error) {
    lock.undo();
    throw error;
  }
}

function replaceUnusable(location: string): Replaced | undefined {
  try {
    inspect(location);
    return undefined;
  } catch (error) {
    if (!(error instanceof UnusableHistory)) throw error;
    return { path: moveAside(location), reason: error };
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
    // NORMAL: a process that is killed loses nothing that was committed; a machine without power may lose the
    // newest transactions, whole, and the platform is asked for those days again. FULL would wait for the disk
    // with every answer, on the event loop.
    db.exec(
      `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON; PRAGMA wal_autocheckpoint = ${LOG_PAGES}`,
    );
    migrate(db);
    return createHistoryFile(db, schemaVersionOf);
  } catch (error) {
    db.close();
    throw refusalOf(error, location);
  }
}

function createHistoryFile(db: DatabaseSync, schemaVersionOf: SchemaVersionOf): HistoryFile {
  // What is stored already costs no write: a listing is put as a whole, though little of it is new.
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
      const row = kept.days.get(date);
      const { text, sum } = row === undefined ? { text: null, sum: null } : encode(row);
      day.run(org, name, date, schemaVersionOf(name), text, sum);
    },
    putDocument(org, name, id, kept) {
      if (kept === undefined || !kept.documents.has(id)) {
        noDocument.run(org, name, id);
        return;
      }
      const { text, sum } = encode(kept.documents.get(id));
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
