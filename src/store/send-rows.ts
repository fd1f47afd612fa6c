import type { Query, Row, Value } from './database.ts';

/** Rows per statement: few enough for any limit on parameters, and enough to make round trips rare. */
const AT_ONCE = 100;

/**
 * Sends many rows by few statements, and resolves with what they return. In `text`, `ROWS` stands for the rows, and `$1`,
 * `$2`… for `values`.
 */
export async function sendRows(
  query: Query,
  text: string,
  rows: readonly (readonly Value[])[],
  values: readonly Value[] = [],
): Promise<readonly Row[]> {
  const returned: Row[] = [];
  for (let start = 0; start < rows.length; start += AT_ONCE) {
    const part = rows.slice(start, start + AT_ONCE);
    let place = values.length;
    const places = part.map((row) => `(${row.map(() => `$${++place}`).join(', ')})`);
    returned.push(...(await query(text.replace('ROWS', places.join(', ')), [...values, ...part.flat()])));
  }
  return returned;
}
