import { randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { RequestCount } from '../history.ts';
import { moveAside, troubleOf } from './errors.ts';

/** The request counts of each organization, in a separate file that damage of the history does not affect. */
interface RequestCounts {
  /** Whether all counts are in the file. */
  readonly isSaved: boolean;
  /** A random identifier of the store, kept in the file; undefined until the file could be used. */
  readonly storeId: string | undefined;
  get(org: string): RequestCount | undefined;
  /** Stores a count; if that fails, it is kept in memory and stored with the next one. */
  put(org: string, count: RequestCount): void;
  /** Retries failed writes. */
  save(): void;
  close(): void;
}

/** `data/history-requests.db` for `data/history.db`. */
export function requestFileBeside(historyPath: string): string {
  const { dir, name } = path.parse(historyPath);
  return path.join(dir, `${name}-requests.db`);
}

/** Opens the file and creates it and its directory if necessary, accessible to this user only. */
export function openRequestFile(file: string): DatabaseSync {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
  const opened = new DatabaseSync(file);
  try {
    opened.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS request_count (
        org TEXT PRIMARY KEY, day TEXT NOT NULL, requests INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE IF NOT EXISTS store (only INTEGER PRIMARY KEY CHECK (only = 1), id TEXT NOT NULL) STRICT`);
    return opened;
  } catch (error) {
    opened.close();
    throw error;
  }
}

/** Opens the file on first use and creates it if necessary; never fails. */
export function createRequestCounts({
  path: file,
  log,
}: {
  readonly path: string;
  readonly log: Logger;
}): RequestCounts {
  const counts = new Map<string, RequestCount>();
  const unsaved = new Set<string>();
  let db: DatabaseSync | undefined;
  let isReported = false;
  let storeId: string | undefined;

  function open(): DatabaseSync {
    const opened = openRequestFile(file);
    try {
      opened.prepare('INSERT OR IGNORE INTO store VALUES (1, ?)').run(storeId ?? randomUUID());
      storeId = String(opened.prepare('SELECT id FROM store').get()?.['id']);
      for (const row of opened.prepare('SELECT org, day, requests FROM request_count').iterate()) {
        const org = String(row['org']);
        const day = String(row['day']) as RequestCount['day'];
        if (!counts.has(org)) counts.set(org, { day, requests: Number(row['requests']) });
      }
      return opened;
    } catch (error) {
      opened.close();
      throw error;
    }
  }

  function use<Result>(work: (open: DatabaseSync) => Result): Result | undefined {
    try {
      db ??= open();
      const result = work(db);
      isReported = false;
      return result;
    } catch (error) {
      fail(error);
      return undefined;
    }
  }

  function fail(error: unknown): void {
    const { reason, hint } = troubleOf(error);
    try {
      db?.close();
      db = undefined;
      // It contains only counts: those in memory are written to a new one.
      if (reason === 'damaged') moveAside(file);
    } catch (inner) {
      log.debug('Moving the file of request counts aside failed', {
        path: file,
        error: messageOf(inner),
      });
    }
    for (const org of counts.keys()) unsaved.add(org);
    if (isReported) return;
    isReported = true;
    // Other reasons affect the history file too, which reports them.
    const level = reason === 'damaged' ? 'error' : 'debug';
    log[level]('Request counts are kept in memory only; their file cannot be used', {
      ...{ path: file, reason, error: messageOf(error), hint },
    });
  }

  function save(): void {
    if (unsaved.size === 0) return;
    use((opened) => {
      const put = opened.prepare(
        `INSERT INTO request_count (org, day, requests) VALUES (?, ?, ?)
         ON CONFLICT DO UPDATE SET day = excluded.day, requests = excluded.requests`,
      );
      for (const org of [...unsaved]) {
        const count = counts.get(org);
        if (count !== undefined) put.run(org, count.day, count.requests);
        unsaved.delete(org);
      }
    });
  }

  /** The content of the file must be known before anything is written. */
  function read(): void {
    if (db === undefined) use(() => undefined);
  }

  return {
    get isSaved() {
      return unsaved.size === 0;
    },
    get storeId() {
      read();
      return storeId;
    },
    get(org) {
      read();
      return counts.get(org);
    },
    put(org, count) {
      counts.set(org, count);
      unsaved.add(org);
      save();
    },
    save,
    close() {
      save();
      db?.close();
      db = undefined;
    },
  };
}
