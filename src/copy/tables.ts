import { createHash } from 'node:crypto';
import { parseDay } from '../catalog/day.ts';
import { decode } from '../history/encoding.ts';
import { storable } from '../history/postgres/values.ts';

/** What a store consists of, in the order in which it is copied. Both kinds of store have the same columns of each. */
export const TABLES = [
  'org',
  'dataset',
  'day',
  'document',
  'request_count',
  'sweep',
  'hook_event',
  'hook_session_end',
  'hook_session',
  'hook_seen',
  'hook_ageing',
  'hook_forgotten',
] as const;

export type TableName = (typeof TABLES)[number];

/** The columns of a row, in the order of the file's tables; instants in milliseconds. */
export type Values = readonly (string | number | null)[];

/** The number of rows of each table, and a checksum of their content that does not depend on their order. */
export type Summary = ReadonlyMap<TableName, { readonly rows: number; readonly sum: string }>;

/** Adds up the rows of one table. */
export function createSum() {
  let rows = 0;
  let sum = 0n;
  return {
    add(values: Values) {
      // The same for both stores.
      const text = JSON.stringify(
        values.map((value) => (typeof value === 'string' ? storable(value) : value)),
      );
      sum = (sum + createHash('sha256').update(text).digest().readBigUInt64BE()) & 0xffff_ffff_ffff_ffffn;
      rows += 1;
    },
    result: () => ({ rows, sum: sum.toString(16) }),
  };
}

/** A text that identifies the content of a store. */
export function fingerprintOf(summary: Summary): string {
  return createHash('sha256')
    .update(JSON.stringify([...summary]))
    .digest('hex');
}

/** Whether a stored row is what was written. A damaged one is fetched again, in whichever store. */
export function isSound(table: TableName, values: Values): boolean {
  if (table === 'day') {
    const [, , day, , row, sum] = values;
    return parseDay(String(day)) !== undefined && (row === null || decode(row, sum) !== undefined);
  }
  if (table === 'document') return decode(values[4], values[5]) !== undefined;
  return table !== 'sweep' || parseDay(String(values[0])) !== undefined;
}
