import { join, parse } from 'node:path';
import type { Layout } from './sqlite.ts';
import { COUNT_TABLES, DAY_TABLES } from './tables.ts';

/** The file of the days and documents: the bytes of `APEh`. */
export const DAYS: Layout = {
  applicationId: 0x41_50_45_68,
  version: 7,
  tables: DAY_TABLES,
  synchronous: 'NORMAL',
  afterDamage: 'nothing: its content is fetched again',
};

/** The file of the counts, which nobody else has: the bytes of `APEk`. */
export const COUNTS: Layout = {
  applicationId: 0x41_50_45_6b,
  version: 3,
  tables: COUNT_TABLES,
  synchronous: 'FULL',
  afterDamage: 'hook counters start at 0 again, and events that are sent again may be counted twice',
};

/** The file of the counts for that of the days: `data/counts.db` for `data/history.db`. */
export function countsFileBeside(path: string): string {
  const { dir, name } = parse(path);
  return join(dir, name === 'history' ? 'counts.db' : `${name}-counts.db`);
}
