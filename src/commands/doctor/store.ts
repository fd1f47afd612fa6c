import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { StorageConfig } from '../../config/storage.ts';
import { NotStored, type Row } from '../../store/database.ts';
import { COUNTS, countsFileBeside, DAYS } from '../../store/layouts.ts';
import { PostgresDatabase } from '../../store/postgres.ts';
import { UnusableSchema } from '../../store/postgres-errors.ts';
import { demandEncoding } from '../../store/postgres-schema.ts';
import { readFile } from '../../store/reader.ts';
import { type Layout, MEMORY, refuseSpecial, stateOf } from '../../store/sqlite.ts';
import { troubleOf } from '../../store/sqlite-errors.ts';
import { type Examination, type Finding, failure, ok, warning } from './finding.ts';

/** What the store holds of the organizations. */
export type StoredFacts = NonNullable<Awaited<ReturnType<typeof examineFiles>>>;

/** The identifiers. */
const ORGS = "SELECT org, org_id FROM S.org WHERE former = ''";
/** The requests that exporters have counted on the last UTC day with any. */
const REQUESTS = 'SELECT org, day, requests FROM S.request_count';

/** Larger files are not read as a whole. */
const MAX_CHECKED_BYTES = 2 ** 29;
const SQLITE_CORRUPT = 11;
const LITTLE_SPACE = 100 * 2 ** 20;

/** Checks the configured store without writing to it, and reads what is known about the organizations. */
export async function examineStore(parts: Examination): Promise<StoredFacts | undefined> {
  const { path: file, url } = parts.config.storage;
  try {
    return url === undefined ? await examineFiles(file, parts) : await examineDatabase(url, parts);
  } catch (error) {
    const { detail, hint } = error instanceof NotStored ? error.details : troubleOf(error);
    parts.report(failure('store', url === undefined ? detail : `database: ${detail}`, hint));
    return undefined;
  }
}

async function examineFiles(file: string, { report }: Examination) {
  if (file === MEMORY) {
    const advice = 'give a file with --storage.path, unless that is meant';
    report(warning('store', 'memory: a restart begins without any day', advice));
    return undefined;
  }
  const orgs = await readWhole(file, DAYS, ORGS);
  const requests = await readWhole(countsFileBeside(file), COUNTS, REQUESTS);
  if (orgs === undefined || requests === undefined) {
    const advice = 'nothing: serve moves it aside, and fetches its days again';
    report(warning('store', `${file} was written by an older release`, advice));
    return undefined;
  }
  report(folderOf(file));
  return { orgs, requests };
}

/**
 * Reads something of a file, after all of it; undefined if the file is of an older layout. Throws what SQLite itself does for one
 * that is damaged.
 */
async function readWhole(file: string, layout: Layout, text: string): Promise<readonly Row[] | undefined> {
  refuseSpecial(file);
  if (!existsSync(file)) return [];
  accessSync(file, constants.R_OK | constants.W_OK);
  if (stateOf(file, layout) === 'older') return undefined;
  return readFile(file, layout, async (query) => {
    const isSmall = statSync(file).size <= MAX_CHECKED_BYTES;
    const [row = { quick_check: 'ok' }] = isSmall ? await query('PRAGMA quick_check(1)') : [];
    if (row['quick_check'] === 'ok') return query(text);
    throw Object.assign(new Error(String(row['quick_check'])), { errcode: SQLITE_CORRUPT });
  });
}

/** SQLite writes files beside the database, so the directory must be writable too. */
function folderOf(file: string): Finding {
  let folder = path.dirname(path.resolve(file));
  while (!existsSync(folder)) folder = path.dirname(folder);
  if (!statSync(folder).isDirectory())
    throw Object.assign(new Error(`${folder} is not a directory`), { code: 'ENOTDIR' });
  accessSync(folder, constants.W_OK | constants.X_OK);
  const { bavail, bsize } = statfsSync(folder);
  const free = `${Math.floor((bavail * bsize) / 2 ** 20)} MiB free`;
  if (bavail * bsize < LITTLE_SPACE) return warning('store', `${file}: ${free}`, 'free space on its disk');
  const what = existsSync(file) ? 'is sound and writable' : 'does not exist yet, and can be created';
  return ok('store', `${file} ${what}; ${free}`);
}

/** What keeps an exporter from writing to a database, and whether it has to make its schema first. */
const DATABASE_STATE = `SELECT pg_is_in_recovery()::int AS standby,
  (current_setting('default_transaction_read_only') = 'on')::int AS fixed,
  (NOT has_table_privilege(to_regclass('S.day')::oid, 'INSERT, UPDATE'))::int AS unwritable,
  (to_regclass('S.day') IS NULL AND NOT has_database_privilege(current_database(), 'CREATE'))::int AS closed,
  (to_regclass('S.day') IS NULL)::int AS new`;

const DATABASE_PROBLEMS = [
  ['standby', 'read-only', 'is read-only: it is a standby'],
  ['fixed', 'read-only', 'is read-only: default_transaction_read_only is on'],
  ['unwritable', 'privileges', "does not let its user write to the exporter's tables"],
  ['closed', 'privileges', 'does not let its user create a schema'],
] as const;

async function examineDatabase(url: NonNullable<StorageConfig['url']>, { report, log }: Examination) {
  // The store logs the same trouble that is reported here.
  const silent = { ...log, error: () => undefined, warn: () => undefined };
  const database = new PostgresDatabase({ url, log: silent });
  try {
    return await database.transaction(async (query) => {
      await demandEncoding(query);
      const [state = {}] = await query(DATABASE_STATE);
      const problem = DATABASE_PROBLEMS.find(([column]) => state[column] === 1);
      if (problem !== undefined)
        throw new UnusableSchema(problem[1], `that of ${url.describe()} ${problem[2]}`);
      const isNew = state['new'] === 1;
      const what = isNew ? 'has no schema yet, and it can be created' : 'can be written';
      report(ok('store', `the database of ${url.describe()} ${what}`));
      return isNew ? undefined : { orgs: await query(ORGS), requests: await query(REQUESTS) };
    }, 'snapshot');
  } finally {
    await database.close();
  }
}
