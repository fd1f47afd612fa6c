import { statSync } from 'node:fs';
import type { Clock } from '../../runtime/clock.ts';
import { ConfigError, messageOf } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { runInSlices } from '../../runtime/slices.ts';
import type { History } from '../history.ts';
import { createKept, type Touched } from '../kept.ts';
import { type FormOf, type HistoryFile, type OpenDatabase, openHistoryFile } from './file.ts';
import { openForReading } from './inspect.ts';
import { type Loaded, load } from './load.ts';
import { createRequestCounts } from './requests.ts';
import { type Trouble, troubleOf } from './trouble.ts';
import { createUnsaved, type UnsavedDataset } from './unsaved.ts';
import { writes } from './writes.ts';

/** One row can be large. */
const ROWS_PER_LOOK = 1;

export interface SqliteHistoryDeps {
  /** The file; it and its directory are created where they are missing. */
  readonly path: string;
  /** The form of a dataset's rows: those that were stored in another one count as never asked for. */
  readonly formOf: FormOf;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly log: Logger;
  /** Told when a file that could not be opened at first has brought more than was known. */
  readonly onLateLoad?: () => void;
  /** As SQLite does it, unless told otherwise. */
  readonly openDatabase?: OpenDatabase | undefined;
}

/** A history that outlasts its process. */
export interface SqliteHistory extends History {
  /** Whether everything is in the file; where not, it is in memory and stored once the file can be written. */
  isPersistent(): boolean;
}

/**
 * Opens a history in an SQLite file. What is known is read from memory; every write goes there and then, as one
 * transaction, to the file. A file that cannot be opened or written costs the persistence and no data. Rejects
 * with a `ConfigError` where the file is damaged, another program's, or of a newer release.
 */
export async function createSqliteHistory(deps: SqliteHistoryDeps): Promise<SqliteHistory> {
  const { path, formOf, clock, log } = deps;
  const kept = createKept();
  const unsaved = createUnsaved();
  const requests = createRequestCounts();
  let file: HistoryFile | undefined;
  let inode: number | undefined;
  let trouble: Trouble | undefined;
  let closed = false;
  let saving: Promise<void> = Promise.resolve();

  async function open(): Promise<HistoryFile> {
    const opened = openHistoryFile(path, formOf, deps.openDatabase);
    try {
      absorb(await runInSlices(load(opened.db, formOf), clock, ROWS_PER_LOOK));
    } catch (error) {
      opened.close();
      throw error;
    }
    inode = inodeOf(path);
    return opened;
  }

  function absorb({ orgs, days, documents, unreadable, requests: stored }: Loaded): void {
    requests.absorb(stored);
    for (const touched of kept.absorb(orgs)) unsaved.add(touched);
    log.info('The history is open', { path, days, documents });
    if (unreadable === 0) return;
    log.warn('Stored days and documents of another form, or altered, are fetched again', {
      path,
      unreadable,
    });
  }

  /** Stores everything unsaved as one transaction, after the one under way. */
  function save(): Promise<void> {
    saving = saving.then(saveNow);
    return saving;
  }

  async function saveNow(): Promise<void> {
    if (closed || (file !== undefined && unsaved.isEmpty && requests.isSaved)) return;
    let batch: readonly UnsavedDataset[] = [];
    let counted: readonly string[] = [];
    try {
      const isLate = file === undefined;
      file ??= await open();
      if (isLate) deps.onLateLoad?.();
      batch = unsaved.take();
      file.begin();
      counted = requests.write(file);
      await runInSlices(writes(file, kept, batch), clock, ROWS_PER_LOOK);
      file.commit();
      noteRecovery();
    } catch (error) {
      rollback();
      for (const dataset of batch) unsaved.add(dataset);
      requests.unsave(counted);
      noteTrouble(error);
    }
  }

  function rollback(): void {
    try {
      file?.rollback();
    } catch (error) {
      log.debug('A transaction could not be rolled back', { path, error: messageOf(error) });
    }
  }

  function noteTrouble(error: unknown): void {
    const before = trouble;
    trouble = troubleOf(error);
    if (before !== undefined) return;
    const { reason, detail, hint } = trouble;
    log.warn('The history is kept in memory only, its file cannot be used', { path, reason, detail, hint });
  }

  function noteRecovery(): void {
    if (trouble === undefined) return;
    trouble = undefined;
    log.info('The history is stored again', { path });
  }

  /** What was replaced must not be found in the log of writes either. */
  function scrub(): void {
    try {
      file?.scrub();
    } catch (error) {
      log.debug('What was replaced may still be in the write-ahead log', { path, error: messageOf(error) });
    }
  }

  /** A file that was taken away or replaced no longer holds what was written to it. */
  function noticeReplacement(): void {
    if (file === undefined || inodeOf(path) === inode) return;
    log.warn('The history file was removed or replaced, everything known is stored again', { path });
    try {
      file.close();
    } catch (error) {
      log.debug('The replaced history file could not be closed', { path, error: messageOf(error) });
    }
    file = undefined;
    for (const touched of kept.all()) unsaved.add(touched);
    requests.unsave();
  }

  function adopt(org: string, orgId: string): Promise<void> {
    const before = kept.identity(org)?.orgId;
    const moved = kept.adopt(org, orgId);
    if (before !== undefined && before !== orgId) {
      log.warn('The name now stands for another organization; what is kept of the former one is set aside', {
        ...{ org, orgId, before },
      });
    }
    return moved.length === 0 ? Promise.resolve() : store(moved);
  }

  async function store(changes: readonly Touched[]): Promise<void> {
    for (const touched of changes) unsaved.add(touched);
    await save();
  }

  function put(touched: Touched): Promise<void> {
    return store([touched]);
  }

  try {
    file = await open();
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    noteTrouble(error);
    await readOnly();
  }

  /** What is stored can be shown even where nothing can be added to it. */
  async function readOnly(): Promise<void> {
    try {
      const db = openForReading(path);
      try {
        absorb(await runInSlices(load(db, formOf), clock, ROWS_PER_LOOK));
      } finally {
        db.close();
      }
    } catch (error) {
      log.debug('The history file cannot be read either', { path, error: messageOf(error) });
    }
  }

  return {
    isPersistent: () => trouble === undefined,
    read: async (org) => kept.read(org),
    adopt,
    async putConfirmedKey(org, key) {
      const changes = kept.putConfirmedKey(org, key);
      if (changes.length > 0) await store(changes);
    },
    async putDays(org, dataset, answer) {
      const revisions = kept.putDays(org, dataset, answer);
      await put({ org, dataset, days: answer.days, documents: [] });
      return revisions;
    },
    async putDocuments(org, dataset, answer) {
      const documents = kept.putDocuments(org, dataset, answer);
      await put({ org, dataset, days: [], documents });
    },
    revisedOn: async (org, dataset) => kept.dataset(org, dataset)?.revisedOn,
    async putRevisedOn(org, dataset, day) {
      kept.putRevisedOn(org, dataset, day);
      await put({ org, dataset, days: [], documents: [] });
    },
    async putSucceeded(org, dataset, at) {
      kept.putSucceeded(org, dataset, at);
      await put({ org, dataset, days: [], documents: [] });
    },
    requestsOf: async (org) => requests.get(org),
    async putRequests(org, count) {
      requests.put(org, count);
      await save();
    },
    async amend(dataset, change) {
      const touched = kept.amend(dataset, change);
      if (touched.length === 0) return;
      for (const one of touched) unsaved.add(one);
      await save();
      scrub();
    },
    async sweep(retention) {
      if (retention !== undefined) for (const touched of kept.retain(retention)) unsaved.add(touched);
      await saving;
      noticeReplacement();
      await save();
    },
    async close() {
      await save();
      closed = true;
      file?.close();
      file = undefined;
    },
  };
}

function inodeOf(path: string): number | undefined {
  try {
    return statSync(path).ino;
  } catch {
    return undefined;
  }
}
