import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createFolder } from '../../files/local-file.ts';
import type { Logger } from '../../log/logger.ts';
import type { Query } from '../../store/database.ts';
import { COUNTS, countsFileBeside, DAYS } from '../../store/layouts.ts';
import { ownerOf, takeOwnership } from '../../store/lock.ts';
import { readFile } from '../../store/reader.ts';
import { SqliteDatabase } from '../../store/sqlite.ts';
import { troubleOf } from '../../store/sqlite-errors.ts';
import { DAY_TABLES } from '../../store/tables.ts';
import { ConfigError } from '../../text/errors.ts';
import { type CopyEnd, type QueryOf, sizeOf } from './copy.ts';

/** Opens files to copy them. Throws a `ConfigError` if there are none, or if another process has them. */
export function openFileSource(path: string): CopyEnd {
  if (!existsSync(path)) {
    throw new ConfigError(`storage.path: ${path} does not exist`, 'give the path of the history file');
  }
  const lock = own(path);
  return {
    place: path,
    use: (work) => reading(path, work),
    async close() {
      lock.release();
    },
  };
}

/**
 * Opens files as the target of a copy. It is made in a directory beside them, and its files are moved to their places once they
 * are complete, so that an exporter never finds a part of them.
 */
export function openFileTarget(path: string, log: Logger): CopyEnd {
  const lock = own(path);
  const folder = `${path}.copying`;
  const inner = join(folder, basename(path));
  const mark = join(folder, 'complete');

  function moveToPlace(): void {
    for (const [from, to] of [
      [countsFileBeside(inner), countsFileBeside(path)],
      [inner, path],
    ] as const) {
      if (!existsSync(from)) continue;
      for (const beside of ['-wal', '-shm']) rmSync(to + beside, { force: true });
      renameSync(from, to);
    }
    rmSync(folder, { recursive: true });
  }

  async function make<Result>(work: (queryOf: QueryOf) => Promise<Result>): Promise<Result> {
    createFolder(folder);
    const deps = { onDamage: 'exit', log } as const;
    const days = SqliteDatabase.open({ ...deps, path: inner, layout: DAYS });
    const counts = SqliteDatabase.open({ ...deps, path: countsFileBeside(inner), layout: COUNTS });
    try {
      return await days.transaction((day) => counts.transaction((count) => work(queryOf(day, count))));
    } finally {
      await days.close();
      await counts.close();
    }
  }

  return {
    place: path,
    async use(work) {
      // Only the moves were interrupted.
      if (existsSync(mark)) moveToPlace();
      rmSync(folder, { recursive: true, force: true });
      // Nothing of it is replaced. A file of another program is refused.
      if ((await reading(path, sizeOf)) > 0) return reading(path, work);
      try {
        const result = await make(work);
        writeFileSync(mark, '');
        moveToPlace();
        return result;
      } catch (error) {
        if (!existsSync(mark)) rmSync(folder, { recursive: true, force: true });
        throw error;
      }
    },
    async close() {
      lock.release();
    },
  };
}

function queryOf(days: Query, counts: Query): QueryOf {
  return (table) => (DAY_TABLES.includes(table) ? days : counts);
}

/** Runs work on files as they are; a missing one is empty. */
async function reading<Result>(path: string, work: (queryOf: QueryOf) => Promise<Result>): Promise<Result> {
  return readFile(path, DAYS, (days) =>
    readFile(countsFileBeside(path), COUNTS, (counts) => work(queryOf(days, counts))),
  );
}

/** Keeps exporters away from the place for as long as the copy takes. */
function own(path: string) {
  try {
    createFolder(dirname(path));
    return takeOwnership(path);
  } catch (error) {
    const { reason, detail, hint } = troubleOf(error);
    if (reason !== 'locked') throw new ConfigError(`storage.path: ${path}: ${detail}`, hint);
    throw new ConfigError(
      `storage.path: another process has ${path} open: ${ownerOf(path)}`,
      'stop the exporter first',
    );
  }
}
