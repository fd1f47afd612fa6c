import { dirname } from 'node:path';
import { createFolder } from '../files/local-file.ts';
import { ConfigError } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';
import type { StoreDatabases } from './database.ts';
import { COUNTS, countsFileBeside, DAYS } from './layouts.ts';
import { type Lock, ownerOf, takeOwnership } from './lock.ts';
import { refuseSpecial, SqliteDatabase, type SqliteDeps } from './sqlite.ts';
import { troubleOf } from './sqlite-errors.ts';

/** How long a start waits for files that another process owns, in milliseconds. */
const OWNER_WAIT_MS = 30_000;
const OWNER_LOOK_MS = 250;

interface StoreFilesDeps extends Omit<SqliteDeps, 'layout' | 'keepOwning' | 'onClosed'> {
  readonly clock: Pick<Clock, 'elapsed' | 'wait'>;
  /** Aborts the wait for another process. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens the files of a store, which belong to this process from then on. Rejects with a `ConfigError` if another process still
 * owns them after half a minute, or if one of them must not be touched.
 */
export async function openFiles(deps: StoreFilesDeps): Promise<StoreDatabases> {
  const ownership = new Ownership(deps.path);
  await ownAtStart(ownership, deps);
  const parts = { ...deps, keepOwning: () => ownership.keep() };
  try {
    const days = SqliteDatabase.open({ ...parts, layout: DAYS });
    const counts = SqliteDatabase.open({
      ...parts,
      path: countsFileBeside(deps.path),
      layout: COUNTS,
      // The last one to be closed.
      onClosed: () => ownership.release(),
    });
    return { days, counts };
  } catch (error) {
    ownership.undo();
    throw error;
  }
}

/** The lock of a store's files, held while they belong to this process. */
class Ownership {
  readonly #path: string;
  #lock: Lock | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Takes the lock, again if its file was removed; throws while another process has it. */
  keep(): void {
    if (this.#lock?.isInPlace()) return;
    this.release();
    refuseSpecial(this.#path);
    createFolder(dirname(this.#path));
    this.#lock = takeOwnership(this.#path);
  }

  release(): void {
    this.#lock?.release();
    this.#lock = undefined;
  }

  undo(): void {
    this.#lock?.undo();
  }
}

/** Waits while another process owns the files. Ignores other errors: opening the files reports them. */
async function ownAtStart(ownership: Ownership, deps: StoreFilesDeps): Promise<void> {
  const { path, clock, log, signal } = deps;
  const until = clock.elapsed() + OWNER_WAIT_MS;
  for (let isFirst = true; ; isFirst = false) {
    try {
      return ownership.keep();
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
    if (isFirst) log.info('Waiting for the store, which another process owns', { path, owner });
    await clock.wait(OWNER_LOOK_MS, signal);
  }
}
