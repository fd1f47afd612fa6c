import { accessSync, constants, existsSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { StorageConfig } from '../config/storage.ts';
import { NotStored, type Query } from '../store/database.ts';
import { COUNTS, countsFileBeside, DAYS } from '../store/layouts.ts';
import { createDatabase } from '../store/postgres.ts';
import { readFile } from '../store/reader.ts';
import { MEMORY, openForReading, refuseSpecial, stateOf } from '../store/sqlite.ts';
import { isDamage, troubleOf } from '../store/sqlite-errors.ts';
import { type Examination, type Found, failure, ok, warning } from './doctor-finding.ts';

/** What the store holds of the organizations, by name. */
export interface StoredFacts {
  readonly orgIds: ReadonlyMap<string, string>;
  /** The requests that exporters have counted: the UTC day, and how many. */
  readonly requests: ReadonlyMap<string, { readonly day: string; readonly count: number }>;
}

/** Larger files are not read as a whole. */
const MAX_CHECKED_BYTES = 2 ** 29;
const LITTLE_SPACE = 100 * 2 ** 20;

/** Checks the configured store without writing to it, and reads what is known about the organizations. */
export async function examineStore({ config, report, log }: Examination): Promise<StoredFacts | undefined> {
  const { storage } = config;
  if (storage.url !== undefined) return examineDatabase(storage.url, { report, log });
  if (storage.path === MEMORY) {
    const advice = 'give a file with --storage.path, unless that is meant';
    report(warning('store', 'memory: a restart begins without any day', advice));
    return undefined;
  }
  const finding = fileTrouble(storage.path);
  report(finding);
  if (finding.verdict === 'failure') return undefined;
  return {
    orgIds: await readFile(storage.path, DAYS, readOrgIds),
    requests: await readFile(countsFileBeside(storage.path), COUNTS, readRequests),
  };
}

function fileTrouble(file: string): Found {
  try {
    refuseSpecial(file);
    for (const [each, layout] of [
      [file, DAYS],
      [countsFileBeside(file), COUNTS],
    ] as const) {
      if (!existsSync(each)) continue;
      const state = stateOf(each, layout);
      if (state === 'older') {
        const advice = 'nothing: serve moves it aside, and fetches its days again';
        return warning('store', `${each} was written by an older release`, advice);
      }
      const damage = state === 'sound' ? damageIn(each) : state.damage;
      if (damage !== undefined) {
        const advice = `check the disk, then restart the exporter: it moves the file aside and makes a new one (${layout.afterDamage})`;
        return failure('store', `${each} is damaged: ${damage}`, advice);
      }
      accessSync(each, constants.R_OK | constants.W_OK);
    }
    return folderOf(file);
  } catch (error) {
    const { detail, hint } = troubleOf(error);
    return failure('store', detail, hint);
  }
}

/** Reads the whole file, beside the exporter that may be writing to it. */
function damageIn(file: string): string | undefined {
  if (statSync(file).size > MAX_CHECKED_BYTES) return undefined;
  const db = openForReading(file);
  try {
    const said = Object.values(db.prepare('PRAGMA quick_check(1)').get() ?? {})[0];
    return said === 'ok' ? undefined : String(said).replace(/\s+/g, ' ');
  } catch (error) {
    if (isDamage(error) && error instanceof Error) return error.message;
    throw error;
  } finally {
    db.close();
  }
}

/** SQLite writes files beside the database, so the directory must be writable too. */
function folderOf(file: string): Found {
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

async function readOrgIds(query: Query): Promise<StoredFacts['orgIds']> {
  const rows = await query("SELECT org, org_id FROM S.org WHERE former = '' AND org_id IS NOT NULL");
  return new Map(rows.map(({ org, org_id: id }) => [String(org), String(id)]));
}

async function readRequests(query: Query): Promise<StoredFacts['requests']> {
  const rows = await query('SELECT org, day, requests FROM S.request_count');
  return new Map(
    rows.map(({ org, day, requests }) => [String(org), { day: String(day), count: Number(requests) }]),
  );
}

async function examineDatabase(
  url: NonNullable<StorageConfig['url']>,
  { report, log }: Pick<Examination, 'report' | 'log'>,
): Promise<StoredFacts | undefined> {
  // The store logs the same trouble that is reported here.
  const silent = { ...log, error: () => undefined, warn: () => undefined };
  const database = createDatabase({ url, log: silent });
  try {
    return await database.transaction(async (query) => {
      const finding = await databaseState(query, url.describe());
      report(finding);
      const isMade = (await query("SELECT to_regclass('S.org') IS NOT NULL AS made")).at(0)?.['made'];
      if (!isMade || finding.verdict === 'failure') return undefined;
      return { orgIds: await readOrgIds(query), requests: await readRequests(query) };
    }, 'snapshot');
  } catch (error) {
    if (!(error instanceof NotStored)) throw error;
    const { detail, hint } = error.details;
    report(failure('store', `database: ${detail}`, hint));
    return undefined;
  } finally {
    await database.close();
  }
}

async function databaseState(query: Query, source: string): Promise<Found> {
  const [row] = await query(
    `SELECT pg_is_in_recovery()::int AS standby, (current_setting('default_transaction_read_only') = 'on')::int AS fixed,
     has_database_privilege(current_database(), 'CREATE')::int AS creates,
     has_table_privilege(to_regclass('S.day')::oid, 'INSERT, UPDATE')::int AS writes`,
  );
  const { standby, fixed, creates, writes } = row ?? {};
  if (standby === 1 || fixed === 1) {
    const why = standby === 1 ? 'it is a standby' : 'default_transaction_read_only is on';
    const advice = 'storage.url must lead to the primary server, as a user that may write';
    return failure('store', `the database of ${source} is read-only: ${why}`, advice);
  }
  if (writes === 0 || (writes === null && creates === 0)) {
    const seen = `the user of ${source} may not ${writes === 0 ? "write to the exporter's tables" : 'create a schema'}`;
    return failure('store', seen, 'grant the privileges that docs/postgresql.md lists');
  }
  const what = writes === null ? 'has no schema yet, and it can be created' : 'can be written';
  return ok('store', `the database of ${source} ${what}`);
}
