import type { Query, Row, Value } from './database.ts';
import { sendRows } from './send-rows.ts';
import type { Table } from './tables.ts';

/** Rows that are read at once: documents can be large. */
const BATCH = 200;

/** Reads a table, or what it has of an organization's name, in the order of its key. */
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

/** Adds rows with all columns to a table; those with a known key stay as they are. */
export async function addRows(
  query: Query,
  { name, columns }: Table,
  rows: readonly (readonly Value[])[],
): Promise<void> {
  const into = `${name} (${Object.keys(columns).join(', ')})`;
  await sendRows(query, `INSERT INTO S.${into} VALUES ROWS ON CONFLICT DO NOTHING`, rows);
}
