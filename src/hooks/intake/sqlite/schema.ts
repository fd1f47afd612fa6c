import type { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../../../runtime/errors.ts';

/** Identifies a database as this exporter's hook events: the bytes of `APEk`. */
const APPLICATION_ID = 0x41_50_45_6b;

/** The version of the database's schema, as its `user_version`. */
const VERSION = 2;

/** Added by version 2. */
const AGEING = `
  CREATE TABLE ageing (only INTEGER PRIMARY KEY CHECK (only = 1), at INTEGER NOT NULL, doubted_since INTEGER) STRICT;`;

/** `seen` is in the order of arrival, `at` its time; `forgotten` is the newest arrival that was evicted early. */
const TABLES = `
  CREATE TABLE event (name TEXT PRIMARY KEY, count INTEGER NOT NULL, last_at INTEGER NOT NULL) STRICT;
  CREATE TABLE session_end (reason TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT;
  CREATE TABLE session (
    id TEXT PRIMARY KEY, at INTEGER NOT NULL, waiting INTEGER NOT NULL, until INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE seen (arrival INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL) STRICT;
  CREATE TABLE forgotten (only INTEGER PRIMARY KEY CHECK (only = 1), at INTEGER NOT NULL) STRICT;
  INSERT INTO forgotten VALUES (1, 0);`;

/** Creates missing tables; throws a `ConfigError` if this release does not support the file. */
export function prepare(db: DatabaseSync, path: string): void {
  const id = numberOf(db, 'application_id');
  const version = numberOf(db, 'user_version');
  if (id === APPLICATION_ID && version === VERSION) return;
  if (id === APPLICATION_ID && version === 1) {
    db.exec(`BEGIN IMMEDIATE; ${AGEING} PRAGMA user_version = ${VERSION}; COMMIT`);
    return;
  }
  if (id !== 0 || version !== 0 || !isEmpty(db)) {
    throw new ConfigError(
      `${path} is not a file of hook events that this release supports`,
      'it is left untouched; move it away, or give another --storage.path',
    );
  }
  db.exec(`BEGIN IMMEDIATE; ${TABLES} ${AGEING}
    PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${VERSION}; COMMIT`);
}

function numberOf(db: DatabaseSync, pragma: 'application_id' | 'user_version'): number {
  return Number(db.prepare(`PRAGMA ${pragma}`).get()?.[pragma] ?? 0);
}

function isEmpty(db: DatabaseSync): boolean {
  return db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.['tables'] === 0;
}
