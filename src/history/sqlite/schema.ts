import type { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../../runtime/errors.ts';
import { UnusableHistory } from './errors.ts';

/** Identifies a database as this exporter's history: the bytes of `APEh`. */
export const APPLICATION_ID = 0x41_50_45_68;

/**
 * The number of the layout, which is the database's `user_version`. Another layout gets the next number: nothing is lost with a
 * file of an older one, because its content is fetched again.
 */
export const LAYOUT = 6;

/**
 * `row` is null for a day that was answered without one. `form` is the dataset's schema version at the time, `sum` the CRC-32 of
 * the text: what does not match is not read. `name#org_id` is a former organization of a name: set aside and not published.
 */
const TABLES = `
  CREATE TABLE org (name TEXT PRIMARY KEY, org_id TEXT, confirmed_key TEXT) STRICT;
  CREATE TABLE dataset (
    org TEXT NOT NULL, name TEXT NOT NULL, answered_at INTEGER, succeeded_at INTEGER, revised_on TEXT,
    PRIMARY KEY (org, name)
  ) STRICT;
  CREATE TABLE day (
    org TEXT NOT NULL, dataset TEXT NOT NULL, day TEXT NOT NULL, form INTEGER NOT NULL, row TEXT, sum INTEGER,
    PRIMARY KEY (org, dataset, day)
  ) STRICT;
  CREATE TABLE document (
    org TEXT NOT NULL, dataset TEXT NOT NULL, id TEXT NOT NULL, form INTEGER NOT NULL, body TEXT NOT NULL,
    sum INTEGER NOT NULL, PRIMARY KEY (org, dataset, id)
  ) STRICT;
  CREATE TABLE sweep (only INTEGER PRIMARY KEY CHECK (only = 1), day TEXT NOT NULL, doubted_since INTEGER) STRICT;`;

/** The hint for a damaged file. */
export const LEFT_DAMAGED =
  'it is left untouched; restore a copy, or move it away: missing data is then fetched again. With --storage.on-damage=replace, the exporter moves it aside itself';

/**
 * Throws a `ConfigError` if a database is another program's, and an `UnusableHistory` if it has an older or a newer layout.
 */
export function refuseForeign(db: DatabaseSync, path: string): void {
  const id = numberOf(db, 'application_id');
  const version = numberOf(db, 'user_version');
  if (id !== APPLICATION_ID) {
    if (id === 0 && version === 0 && isEmpty(db)) return;
    // Without any table it holds nobody's data; the header alone is wrong.
    if (isEmpty(db) || hasOwnTables(db))
      throw new UnusableHistory('damaged', `storage.path: ${path} is damaged: invalid header`, LEFT_DAMAGED);
    throw new ConfigError(
      `storage.path: ${path} is a database of another program`,
      'it is left untouched; give another path with --storage.path',
    );
  }
  if (version === LAYOUT) return;
  if (version < LAYOUT) {
    throw new UnusableHistory(
      'older',
      `storage.path: ${path} was written by an older version: its layout is number ${version}, this version has ${LAYOUT}`,
      'start the exporter: it moves the file aside and fetches its content again',
    );
  }
  throw new UnusableHistory(
    'newer',
    `storage.path: ${path} was written by a newer release: its schema is version ${version}, this release supports ${LAYOUT}`,
    'it is left untouched; run a release at least as new, or give another path with --storage.path',
  );
}

/** Creates the tables of an empty database, all or none. */
export function createTables(db: DatabaseSync): void {
  if (numberOf(db, 'application_id') === APPLICATION_ID) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    db.exec(TABLES);
    db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${LAYOUT}; COMMIT`);
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function numberOf(db: DatabaseSync, pragma: 'application_id' | 'user_version'): number {
  return Number(db.prepare(`PRAGMA ${pragma}`).get()?.[pragma] ?? 0);
}

function isEmpty(db: DatabaseSync): boolean {
  return db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.['tables'] === 0;
}

/** Whether a database has this exporter's tables, regardless of its header. */
function hasOwnTables(db: DatabaseSync): boolean {
  const names = "'org', 'dataset', 'day', 'document'";
  const found = db.prepare(`SELECT count(*) AS tables FROM sqlite_schema WHERE name IN (${names})`).get();
  return found?.['tables'] === 4;
}
