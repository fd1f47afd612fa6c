import { existsSync } from 'node:fs';
import { ConfigError, messageOf } from '../text/errors.ts';
import type { Query, Row, Value } from './database.ts';
import { sendRows } from './database.ts';
import { hasLog, type Layout, openForReading, refuseSpecial, sqliteText, stateOf } from './sqlite.ts';
import { isDamage } from './sqlite-errors.ts';
import { COUNT_TABLES, DAY_TABLES, type Table } from './tables.ts';

/** The tables of an organization, by database. */
const OF_ORG = {
  days: DAY_TABLES.filter(({ key }) => key[0] === 'org'),
  counts: COUNT_TABLES.filter(({ key }) => key[0] === 'org'),
};

/** The number of attempts to read a file that a running exporter may change meanwhile. */
const MAX_READS = 3;

/** Runs statements on one consistent state of the days, or of the counts. */
export type ReadPart = (part: 'days' | 'counts', work: (query: Query) => Promise<void>) => Promise<void>;

/** Copies the data of some organizations from one store to another. */
export async function copyOrgs(orgs: readonly string[], read: ReadPart, write: ReadPart): Promise<void> {
  for (const org of orgs) {
    for (const part of ['days', 'counts'] as const) {
      await read(part, (from) =>
        write(part, async (to) => {
          for (const table of OF_ORG[part]) {
            // Removes the rows of an earlier attempt: a file that changes while it is read is read again.
            await to(`DELETE FROM S.${table.name} WHERE org = $1`, [org]);
            for await (const rows of rowsOf(from, table, org)) await addRows(to, table, rows);
          }
        }),
      );
    }
  }
}

/** The number of rows per read; small, because documents can be large. */
const BATCH = 200;

/** Reads a table, or its rows with an organization's name, in the order of its key. */
export async function* rowsOf(
  query: Query,
  { name, columns, key }: Table,
  org?: string,
): AsyncGenerator<readonly (readonly Value[])[]> {
  const names = Object.keys(columns);
  const ofOrg = org === undefined ? [] : [org];
  for (let last: Row | undefined, isFirst = true; isFirst || last !== undefined; isFirst = false) {
    const after = last === undefined ? [] : key.map((column) => last?.[column] ?? null);
    const conditions = [
      ...(org === undefined ? [] : ['org = $1']),
      ...(last === undefined
        ? []
        : [`(${key.join(', ')}) > (${key.map((_, index) => `$${ofOrg.length + index + 1}`).join(', ')})`]),
    ];
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const rows = await query(
      `SELECT ${names.join(', ')} FROM S.${name} ${where} ORDER BY ${key.join(', ')} LIMIT ${BATCH}`,
      [...ofOrg, ...after],
    );
    if (rows.length > 0) yield rows.map((row) => names.map((column) => row[column] ?? null));
    last = rows.length < BATCH ? undefined : rows.at(-1);
  }
}

/** Inserts rows with all columns into a table; an existing row with the same key stays as it is. */
export async function addRows(
  query: Query,
  { name, columns }: Table,
  rows: readonly (readonly Value[])[],
): Promise<void> {
  const into = `${name} (${Object.keys(columns).join(', ')})`;
  await sendRows(query, `INSERT INTO S.${into} VALUES ROWS ON CONFLICT DO NOTHING`, rows);
}

/**
 * Reads a file beside the exporter that owns it, without a lock and without changing anything. A missing file is an empty one.
 * Throws a `ConfigError` if it is not a file of this layout.
 */
export async function readFile<Result>(
  path: string,
  layout: Layout,
  work: (query: Query) => Promise<Result>,
): Promise<Result> {
  if (!existsSync(path)) return work(async () => []);
  refuseSpecial(path);
  const state = stateOf(path, layout);
  const damaged = (detail: string) =>
    new ConfigError(
      `storage.path: ${path} is damaged: ${detail}`,
      `check the disk, then start the exporter: it moves the file aside and makes a new one (${layout.afterDamage})`,
    );
  if (state === 'older')
    throw new ConfigError(
      `storage.path: ${path} was written by an older version`,
      'start the exporter: it replaces the file',
    );
  if (state !== 'sound') throw damaged(state.damage);
  for (let nth = 1; ; nth += 1) {
    const isQuiet = !hasLog(path);
    const wasDisturbed = () => isQuiet && hasLog(path) && nth < MAX_READS;
    const db = openForReading(path);
    try {
      // All tables as of one moment.
      db.exec('BEGIN');
      const result = await work(
        async (text, values = []) => db.prepare(sqliteText(text)).all(...values) as Row[],
      );
      if (!wasDisturbed()) return result;
    } catch (error) {
      if (!wasDisturbed()) throw isDamage(error) ? damaged(messageOf(error)) : error;
    } finally {
      db.close();
    }
  }
}
