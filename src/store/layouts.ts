import { join, parse } from 'node:path';
import type { Query } from './database.ts';
import type { Layout } from './sqlite.ts';
import { COUNT_TABLES, DAY_TABLES, type Table } from './tables.ts';

/** The identifier of this store, unique among all stores; a copy of the store gets another one. */
const STORE: Table = { name: 'store', columns: { single: 'bigint', id: 'text' }, key: ['single'] };

/** The file of the days and documents; its application id is the bytes of `APEh`. */
export const DAYS: Layout = {
  applicationId: 0x41_50_45_68,
  version: 8,
  tables: DAY_TABLES,
  synchronous: 'NORMAL',
  afterDamage: 'nothing: its content is fetched again',
};

/** The file of the counts, which exist nowhere else; its application id is the bytes of `APEk`. */
export const COUNTS: Layout = {
  applicationId: 0x41_50_45_6b,
  version: 3,
  tables: [...COUNT_TABLES, STORE],
  synchronous: 'FULL',
  afterDamage: 'hook counters start at 0 again, and events that are sent again may be counted twice',
};

/** The path of the counts file for a days file: `data/counts.db` for `data/history.db`. */
export function countsFileBeside(path: string): string {
  const { dir, name } = parse(path);
  return join(dir, name === 'history' ? 'counts.db' : `${name}-counts.db`);
}

/** Reads the identifier of a store from its counts file; stores `made` if there is none. Always writes. */
export async function readStoreId(query: Query, made: string): Promise<string> {
  const [row] = await query(
    'INSERT INTO S.store (single, id) VALUES (1, $1) ON CONFLICT (single) DO UPDATE SET single = excluded.single RETURNING id',
    [made],
  );
  return String(row?.['id']);
}
