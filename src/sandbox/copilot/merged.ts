import type { Row } from '../types.ts';

/**
 * Sums rows up into one: numbers add up, each true counts 1, and the elements of lists add up to those of the same texts.
 * Other texts are those of the first row.
 */
export function merged(rows: Iterable<Row>): Row {
  const sum: Row = {};
  for (const row of rows) add(sum, row);
  return sum;
}

function add(sum: Row, row: Row): void {
  for (const [name, value] of Object.entries(row)) {
    if (typeof value === 'number' || typeof value === 'boolean') {
      sum[name] = Number(sum[name] ?? 0) + Number(value);
    } else if (typeof value === 'object' && value !== null) {
      sum[name] ??= Array.isArray(value) ? [] : {};
      const into = sum[name] as Row & Row[];
      if (!Array.isArray(value)) add(into, value as Row);
      else for (const element of value) add(elementOf(into, element), element);
    } else if (value !== undefined) {
      sum[name] ??= value;
    }
  }
}

/** The element of the list with the same texts, added if there is none. */
function elementOf(list: Row[], element: Row): Row {
  const texts = Object.entries(element).filter(([, value]) => typeof value === 'string');
  const same = list.find((one) => texts.every(([name, text]) => one[name] === text));
  if (same !== undefined) return same;
  const made = Object.fromEntries(texts);
  list.push(made);
  return made;
}
