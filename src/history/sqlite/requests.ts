import { closeSync, mkdirSync, openSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { RequestCount } from '../history.ts';
import { moveAside, troubleOf } from './trouble.ts';

/** The counted requests of each organization, in a file of their own, which damage of the history does not touch. */
export interface RequestCounts {
  /** Whether the file holds all of them. */
  readonly isSaved: boolean;
  get(org: string): RequestCount | undefined;
  /** Stores a count; where that fails it is kept in memory and stored with the next one. */
  put(org: string, count: RequestCount): void;
  /** Takes what a release before has stored elsewhere, where nothing is known here. */
  absorb(stored: ReadonlyMap<string, RequestCount>): void;
  /** Tries again to store what could not be stored. */
  save(): void;
  close(): void;
}

/** Opens the file at its first use, and creates it where it is missing; it never fails. */
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

  function open(): DatabaseSync {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    closeSync(openSync(file, 'a', 0o600));
    const opened = new DatabaseSync(file);
    try {
      opened.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
        CREATE TABLE IF NOT EXISTS request_count (
          org TEXT PRIMARY KEY, day TEXT NOT NULL, requests INTEGER NOT NULL
        ) STRICT`);
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
      // Nothing but counts is in it: those in memory go into a new one.
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
    // What else keeps it from being written keeps the history from it too, which says so.
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

  /** What is in the file has to be known before anything is. */
  function read(): void {
    if (db === undefined) use(() => undefined);
  }

  return {
    get isSaved() {
      return unsaved.size === 0;
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
    absorb(stored) {
      if (stored.size > 0) read();
      for (const [org, count] of stored) {
        if (counts.has(org)) continue;
        counts.set(org, count);
        unsaved.add(org);
      }
    },
    save,
    close() {
      save();
      db?.close();
      db = undefined;
    },
  };
}
