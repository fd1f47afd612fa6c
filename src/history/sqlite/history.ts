import { existsSync, truncateSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../runtime/clock.ts';
import { ConfigError, messageOf } from '../../runtime/errors.ts';
import type { Logger } from '../../runtime/logger.ts';
import { createSerialQueue } from '../../runtime/serial-queue.ts';
import { runInSlices } from '../../runtime/slices.ts';
import type { History } from '../history.ts';
import type { SweepMark } from '../retention.ts';
import { createHistoryState, type Touched } from '../state.ts';
import { openForReading } from './check.ts';
import { type Trouble, type TroubleReason, troubleOf, UnusableHistory } from './errors.ts';
import {
  type HistoryFile,
  type Opening,
  openOwnedFile,
  ownHistoryFile,
  type Replaced,
  type SchemaVersionOf,
} from './file.ts';
import { type FileMark, isSamePlace, markOf } from './file-identity.ts';
import { refusalOf } from './inspect.ts';
import { load } from './load.ts';
import { type Lock, ownerOf } from './lock.ts';
import { createRequestCounts, requestFileBeside } from './requests.ts';
import { createUnsaved, type UnsavedDataset, writes } from './unsaved.ts';

/** How long a start waits for a file that another process owns, in milliseconds. */
const OWNER_WAIT_MS = 30_000;
const OWNER_LOOK_MS = 250;

/** A single row can be large. */
const ROWS_PER_LOOK = 1;

/** Reasons that require an operator. */
const LASTING: ReadonlySet<TroubleReason> = new Set(['damaged', 'newer', 'foreign']);

export interface SqliteHistoryDeps extends Opening {
  readonly schemaVersionOf: SchemaVersionOf;
  /** The file; it and its directory are created if necessary. */
  readonly path: string;
  readonly clock: Pick<Clock, 'elapsed' | 'wait'>;
  readonly log: Logger;
  /** Called when a file that could not be opened at first has added data. */
  readonly onLateLoad?: () => void;
  /** Also aborts reading the file, which is then closed. */
  readonly signal?: AbortSignal | undefined;
}

/** A history that outlives its process. */
export interface SqliteHistory extends History {
  /** Whether everything is in the file; otherwise the rest is in memory and stored once the file can be written. */
  isPersistent(): boolean;
  /** A random identifier of the store; undefined until it could be stored. */
  storeId(): string | undefined;
}

/**
 * Opens a history in an SQLite file. Reads are served from memory; every write goes to memory and, as one transaction,
 * to the file. With a file that cannot be opened or written, is damaged or is from a newer release, only persistence is
 * lost, and no readable data. Rejects with a `ConfigError` if the file is another program's or not a regular file, or if
 * another process still owns it after half a minute; this one owns it from then on.
 */
export async function createSqliteHistory(deps: SqliteHistoryDeps): Promise<SqliteHistory> {
  const { path, clock, log, signal } = deps;
  const state = createHistoryState();
  const unsaved = createUnsaved();
  const requests = createRequestCounts({ path: requestFileBeside(path), log });
  const queue = createSerialQueue();
  let lock: Lock | undefined;
  let file: HistoryFile | undefined;
  /** The state of the file after this process last wrote to it. */
  let ours: FileMark | undefined;
  /** The state of the file when it was found unusable; it is not checked again before it changes. */
  let refused: FileMark | undefined;
  let trouble: Trouble | undefined;
  /** Whether a write has found the file damaged, though it looked well when it was opened. */
  let isSuspect = false;
  let storedMark: SweepMark | undefined;
  let isScrubDue = false;
  let closed = false;
  /** The transaction that has not begun yet. */
  let nextSave: Promise<void> | undefined;

  /** Takes the lock for as long as the history is open, and again if somebody has removed its file. */
  function own(): void {
    if (lock?.isInPlace()) return;
    lock?.release();
    lock = undefined;
    lock = ownHistoryFile(path);
  }

  /** Waits for another process to release the file; any other trouble is met again by opening it. */
  async function ownAtStart(): Promise<void> {
    const until = clock.elapsed() + OWNER_WAIT_MS;
    for (let isFirst = true; ; isFirst = false) {
      try {
        own();
        return;
      } catch (error) {
        if (troubleOf(error).reason !== 'locked') return;
      }
      const owner = ownerOf(path);
      if (clock.elapsed() >= until) {
        throw new ConfigError(
          `storage.path: ${path} belongs to another exporter: ${owner}`,
          'stop it, or give each exporter its own --storage.path',
        );
      }
      if (isFirst) log.info('Waiting for the history file, which another process owns', { path, owner });
      await clock.wait(OWNER_LOOK_MS, signal);
    }
  }

  async function open(): Promise<HistoryFile> {
    own();
    const { file: opened, replaced } = openOwnedFile(path, deps.schemaVersionOf, {
      ...deps,
      isSuspect,
      onOlder: 'replace',
    });
    try {
      if (replaced !== undefined) await takeFrom(replaced);
      else await runInSlices(takeAll(opened.db), clock, ROWS_PER_LOOK, signal);
    } catch (error) {
      opened.close();
      signal?.throwIfAborted();
      throw refusalOf(error, path);
    }
    ours = markOf(path);
    refused = undefined;
    isSuspect = false;
    return opened;
  }

  /** Copies what can be read of a replaced file into the new one. */
  async function takeFrom({ path: aside, reason }: Replaced): Promise<void> {
    if (reason.reason === 'older') {
      log.warn('History file has an older layout; moved aside, and its content is fetched again', {
        ...{ path, aside, detail: reason.message },
        hint: `${aside} can be removed`,
      });
      await markAllUnsaved();
      return;
    }
    log.error('History file unusable; moved aside and replaced by a new one', {
      ...{ path, aside, reason: reason.reason, error: reason.message },
      hint: `check whether anything is missing; ${aside} can be removed once it is no longer needed`,
    });
    await salvage(aside);
    await markAllUnsaved();
  }

  /** Adds what a file holds; `isSalvage`: as much of it as can be read. */
  function* takeAll(db: DatabaseSync, isSalvage = false): Generator<void, void> {
    const { orgs, days, documents, unreadable, sweepMark } = yield* load(db, deps.schemaVersionOf, isSalvage);
    yield* noting(state.absorb(orgs, sweepMark));
    log.info('Stored history loaded', { path, days, documents });
    if (unreadable === 0) return;
    log.warn('Refetching stored rows with an outdated schema or a bad checksum', { path, unreadable });
  }

  /** Notes what each step of a change has to store; returns whether there is anything. */
  function* noting(change: Iterable<readonly Touched[]>): Generator<void, boolean> {
    let isChanged = false;
    for (const step of change) {
      for (const touched of step) {
        unsaved.add(touched);
        isChanged = true;
      }
      yield;
    }
    return isChanged;
  }

  /**
   * Stores everything unsaved as one transaction, after the one in progress. It begins once all pending work has run:
   * answers of many organizations arrive together, and a transaction each would be a tenth of the CPU time.
   */
  function save(): Promise<void> {
    nextSave ??= queue.run(async () => {
      await setImmediate();
      nextSave = undefined;
      await saveNow();
    });
    return nextSave;
  }

  async function saveNow({ isSecondTry = false } = {}): Promise<void> {
    const isDue = !unsaved.isEmpty || isScrubDue || !isSame(storedMark, state.sweepMark());
    if (closed || (file !== undefined && !isDue)) return;
    if (file === undefined && refused !== undefined && refused === markOf(path)) return;
    let batch: readonly UnsavedDataset[] = [];
    let wasOurs = false;
    try {
      const isLate = file === undefined;
      file ??= await open();
      if (isLate) deps.onLateLoad?.();
      batch = unsaved.take();
      wasOurs = markOf(path) === ours;
      file.begin();
      await runInSlices(writes(file, state, batch), clock, ROWS_PER_LOOK);
      if (!isSame(storedMark, state.sweepMark())) storeMark(file);
      file.commit();
      if (isScrubDue && unsaved.isEmpty) scrub(file);
      ours = markOf(path);
      noteRecovery();
    } catch (error) {
      rollback();
      // A transaction that fails may have been written to the log in part, for instance before the disk was full.
      if (wasOurs) ours = markOf(path);
      for (const dataset of batch) unsaved.add(dataset);
      storedMark = undefined;
      // What could not be stored is fetched again by the next process.
      if (isStopped(error)) return;
      if (!isDamageFound(error)) return noteTrouble(error);
      isSuspect = true;
      await abandon();
      // Opening it says what is damaged and what to do about it, or replaces it: one report, not two.
      if (isSecondTry) noteTrouble(error);
      else await saveNow({ isSecondTry: true });
    }
  }

  function isStopped(error: unknown): boolean {
    return signal?.aborted === true && error === signal.reason;
  }

  function rollback(): void {
    try {
      file?.rollback();
    } catch (error) {
      log.debug('Transaction rollback failed', { path, error: messageOf(error) });
    }
  }

  function noteTrouble(error: unknown): void {
    const before = trouble;
    trouble = troubleOf(error);
    const { reason, detail, hint } = trouble;
    if (error instanceof ConfigError) refused = markOf(path);
    if (before?.reason === reason || (before !== undefined && !LASTING.has(reason))) return;
    const text = 'The history is kept in memory only; its file cannot be used';
    if (LASTING.has(reason)) log.error(text, { path, reason, detail, hint });
    else log.warn(text, { path, reason, detail, hint });
  }

  function noteRecovery(): void {
    if (trouble === undefined) return;
    trouble = undefined;
    log.info('The history is written to its file again', { path });
  }

  /** The next sweep needs the reference day of this one, also after a restart. */
  function storeMark(opened: HistoryFile): void {
    storedMark = state.sweepMark();
    if (storedMark !== undefined) opened.putSweepMark(storedMark);
  }

  /** Replaced data must not remain in the write-ahead log either; retried until no reader prevents it. */
  function scrub(opened: HistoryFile): void {
    isScrubDue = !opened.scrub();
    if (isScrubDue)
      log.debug('Truncating the write-ahead log failed; replaced rows may remain in it', { path });
  }

  /** A file that was removed, replaced or restored no longer contains what was written to it. */
  async function noticeOthers(): Promise<void> {
    if (file === undefined || markOf(path) === ours) return;
    log.warn('History file removed, replaced or overwritten; rewriting all known data', {
      path,
    });
    await abandon();
  }

  async function markAllUnsaved(): Promise<void> {
    const all = state.all().map((touched) => [touched]);
    await runInSlices(noting(all), clock, ROWS_PER_LOOK);
  }

  /** Abandons the open file without writing another byte to what is now at its path. */
  async function abandon(): Promise<void> {
    const abandoned = file;
    file = undefined;
    storedMark = undefined;
    try {
      // Closing would checkpoint the log into the database, whoever it belongs to now.
      if (ours !== undefined && isSamePlace(path, ours) && existsSync(`${path}-wal`))
        truncateSync(`${path}-wal`, 0);
      abandoned?.close();
    } catch (error) {
      log.debug('Closing the abandoned history file failed', { path, error: messageOf(error) });
    }
    await markAllUnsaved();
  }

  function adopt(org: string, orgId: string): Promise<void> {
    const before = state.identity(org)?.orgId;
    const moved = state.adopt(org, orgId);
    if (before !== undefined && before !== orgId) {
      log.warn('Organization of this name changed; history of the former one set aside', {
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

  await ownAtStart();
  try {
    file = await open();
  } catch (error) {
    const isForeign = error instanceof ConfigError && !(error instanceof UnusableHistory);
    if (isForeign || signal?.aborted) lock?.undo();
    signal?.throwIfAborted();
    if (isForeign) throw error;
    noteTrouble(error);
    await salvage(path);
    // Once the file makes way, the new one has to hold what was read of it.
    if (error instanceof UnusableHistory) await markAllUnsaved();
  }

  /** Stored data can be published even if nothing can be added to it, or not all of it can be read. */
  async function salvage(from: string): Promise<void> {
    try {
      const db = openForReading(from);
      try {
        await runInSlices(takeAll(db, true), clock, ROWS_PER_LOOK);
      } finally {
        db.close();
      }
    } catch (error) {
      log.debug('The history file cannot be read either', { path: from, error: messageOf(error) });
    }
  }

  return {
    isPersistent: () => trouble === undefined && requests.isSaved,
    storeId: () => (closed ? undefined : requests.storeId),
    read: async (org) => state.read(org),
    adopt,
    async putConfirmedKey(org, key) {
      const changes = state.putConfirmedKey(org, key);
      if (changes.length > 0) await store(changes);
    },
    async putDays(org, dataset, answer) {
      const { stored, days } = state.putDays(org, dataset, answer);
      await put({ org, dataset, days, documents: [] });
      return stored;
    },
    async putDocuments(org, dataset, answer) {
      const documents = state.putDocuments(org, dataset, answer);
      await put({ org, dataset, days: [], documents });
    },
    revisedOn: async (org, dataset) => state.dataset(org, dataset)?.revisedOn,
    async putRevisedOn(org, dataset, day) {
      state.putRevisedOn(org, dataset, day);
      await put({ org, dataset, days: [], documents: [] });
    },
    async putSucceeded(org, dataset, at) {
      state.putSucceeded(org, dataset, at);
      await put({ org, dataset, days: [], documents: [] });
    },
    requestsOf: async (org) => requests.get(org),
    async putRequests(org, count) {
      requests.put(org, count);
    },
    async amend(dataset, change) {
      const isAmended = await runInSlices(noting(state.amend(dataset, change)), clock, ROWS_PER_LOOK);
      if (!isAmended) return;
      isScrubDue = true;
      await save();
    },
    async sweep(retention) {
      if (retention !== undefined) await runInSlices(noting(state.retain(retention)), clock, ROWS_PER_LOOK);
      await queue.run(noticeOthers);
      requests.save();
      await save();
    },
    async close() {
      await save();
      closed = true;
      requests.close();
      file?.close();
      file = undefined;
      lock?.release();
      lock = undefined;
    },
  };
}

/** Whether a read or write has found the file damaged that looked well when it was opened. */
function isDamageFound(error: unknown): boolean {
  return !(error instanceof ConfigError) && troubleOf(error).reason === 'damaged';
}

function isSame(one: SweepMark | undefined, other: SweepMark | undefined): boolean {
  return one?.day === other?.day && one?.doubtedSince === other?.doubtedSince;
}
