import type { Row } from '../../../src/sandbox/types.ts';
import type { Faults } from './faults.ts';

/** A row of a hostile platform, according to `many-names`, `long-names` and `odd-keys`. */
export function bloated(row: unknown, faults: Faults): unknown {
  if (!isRow(row)) return row;
  const many = faults.strikes('many-names');
  const long = faults.strikes('long-names');
  const odd = faults.strikes('odd-keys');
  let sent: Row = row;
  if (long !== undefined)
    sent = inBreakdowns(sent, (list) => list.map((part) => lengthened(part, Number(long.detail))));
  if (many !== undefined) sent = inBreakdowns(sent, (list) => multiplied(list, Number(many.detail)));
  if (odd !== undefined) sent = withOddKeys(sent);
  return sent;
}

function inBreakdowns(row: Row, change: (list: readonly Row[]) => readonly Row[]): Row {
  return Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key,
      Array.isArray(value) && value.length > 0 && value.every(isRow) ? change(value) : value,
    ]),
  );
}

function multiplied(list: readonly Row[], count: number): readonly Row[] {
  const [first = {}] = list;
  const more = Array.from({ length: count }, (_, index) => mapTexts(first, (text) => `${text}-${index}`));
  return [...list, ...more];
}

function lengthened(part: Row, length: number): Row {
  return mapTexts(part, (text) => text + 'x'.repeat(length));
}

function mapTexts(part: Row, change: (text: string) => string): Row {
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, typeof value === 'string' ? change(value) : value]),
  );
}

/** Own members with these names, as a JSON parser creates them. */
function withOddKeys(row: Row): Row {
  const odd: unknown = JSON.parse(
    '{"__proto__":{"polluted":1,"tool":"x"},"constructor":{"prototype":{"polluted":1}},"prototype":1,"toString":1,"hasOwnProperty":1}',
  );
  const inner = Object.entries(row).map(([key, value]) => [key, isRow(value) ? merged(value, odd) : value]);
  return merged(Object.fromEntries(inner), odd);
}

function merged(row: Row, odd: unknown): Row {
  return isRow(odd) ? { ...row, ...odd } : row;
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
