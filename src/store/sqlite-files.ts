import { dirname } from 'node:path';
import { createFolder } from '../files/local-file.ts';
import { ConfigError } from '../text/errors.ts';
import type { Clock } from '../work/clock.ts';
import type { StoreDatabases } from './database.ts';
import { COUNTS, countsFileBeside, DAYS } from './layouts.ts';
import { type Lock, ownerOf, takeOwnership } from './lock.ts';
import { openSqlite, refuseSpecial, type SqliteDeps } from './sqlite.ts';
import { troubleOf } from './sqlite-errors.ts';

/** How long a start waits for files that another process owns, in milliseconds. */
const OWNER_WAIT_MS = 30_000;
const OWNER_LOOK_MS = 250;

interface StoreFilesDeps extends Omit<SqliteDeps, 'layout'> {
  readonly clock: Pick<Clock, 'elapsed' | 'wait'>;
  /** Aborts the wait for another process. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens the files of a store, which belong to this process from then on. Rejects with a `ConfigError` if another process still
 * owns them after half a minute, or if one of them must not be touched.
 */
export async function openFiles(deps: StoreFilesDeps): Promise<StoreDatabases> {
  const { path, clock, log, signal } = deps;
  let lock = await ownAtStart();

  /** Takes the lock of files that nobody has. */
  function own(): Lock {
    refuseSpecial(path);
    createFolder(dirname(path));
    return takeOwnership(path);
  }

  /** Undefined if there is other trouble than another owner, such as a directory: it is met again by opening the files. */
  async function ownAtStart(): Promise<Lock | undefined> {
    const until = clock.elapsed() + OWNER_WAIT_MS;
    for (let isFirst = true; ; isFirst = false) {
      try {
        return own();
      } catch (error) {
        if (troubleOf(error).reason !== 'locked') return undefined;
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

  /** Again if somebody has removed the lock's file; throws while another process has it. */
  function keepOwning(): void {
    if (lock?.isInPlace()) return;
    lock?.release();
    lock = undefined;
    lock = own();
  }

  try {
    const parts = { ...deps, keepOwning };
    const days = openSqlite({ ...parts, layout: DAYS });
    const counts = openSqlite({ ...parts, path: countsFileBeside(path), layout: COUNTS });
    return {
      days,
      counts: {
        ...counts,
        // The last one to be closed.
        async close() {
          await counts.close();
          lock?.release();
          lock = undefined;
        },
      },
    };
  } catch (error) {
    lock?.undo();
    throw error;
  }
}
