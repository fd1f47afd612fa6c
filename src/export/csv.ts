/** Spreadsheets execute a cell that begins like this, also after a leading blank. */
const FORMULA = /^\s*[=+\-@|%]|^[\t\r\n]/;

const SPECIAL = /[",\r\n]/;

/**
 * One line of CSV (RFC 4180, with a line feed). Numbers are written as they are, or by `textOf`; null is an empty cell. A text that a
 * spreadsheet would execute as a formula is preceded by an apostrophe.
 */
export function csvLine(cells: readonly (string | number | null)[], textOf = decimalText): string {
  return `${cells.map((cell) => csvCell(cell, textOf)).join(',')}\n`;
}

function csvCell(cell: string | number | null, textOf: (value: number) => string): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return textOf(cell);
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return SPECIAL.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The shortest decimal notation of a finite number that reads back as the same number, without an exponent. */
export function decimalText(value: number): string {
  const text = String(value);
  const [digits = '', exponent] = text.split('e');
  if (exponent === undefined) return text;
  const sign = digits.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = digits.replace('-', '').split('.');
  const point = whole.length + Number(exponent);
  const all = whole + fraction;
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${all}`;
  return `${sign}${all.padEnd(point, '0')}`;
}
