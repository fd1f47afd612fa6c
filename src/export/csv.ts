/** Spreadsheets execute a cell that begins like this, also after a leading blank. */
const FORMULA = /^\s*[=+\-@|%]|^[\t\r\n]/;

const SPECIAL = /["\r\n]/;

/** What separates the cells of a file for a spreadsheet. */
export type Delimiter = 'comma' | 'semicolon' | 'tab';

const DELIMITERS: Readonly<Record<Delimiter, string>> = { comma: ',', semicolon: ';', tab: '\t' };

/** The spelling of cells with a delimiter: where a semicolon separates them, numbers have a decimal comma. */
export function spellingOf(delimiter: Delimiter): Spelling {
  const number =
    delimiter === 'semicolon' ? (value: number) => decimalText(value).replace('.', ',') : decimalText;
  return { delimiter: DELIMITERS[delimiter], number };
}

/** How the values of cells are spelled. */
export interface Spelling {
  /** A comma by default. */
  readonly delimiter?: string;
  /** `decimalText` by default. */
  readonly number?: (value: number) => string;
  /** `inertText` by default. */
  readonly text?: (value: string) => string;
}

/** One line of CSV (RFC 4180, with a line feed); null is an empty cell. */
export function csvLine(cells: readonly (string | number | null)[], spelling: Spelling = {}): string {
  return `${cells.map((cell) => csvCell(cell, spelling)).join(spelling.delimiter ?? ',')}\n`;
}

function csvCell(
  cell: string | number | null,
  { delimiter = ',', number = decimalText, text = inertText }: Spelling,
): string {
  if (cell === null) return '';
  const spelled = typeof cell === 'number' ? number(cell) : text(cell);
  return SPECIAL.test(spelled) || spelled.includes(delimiter)
    ? `"${spelled.replaceAll('"', '""')}"`
    : spelled;
}

/** A text for people: an apostrophe precedes what a spreadsheet would execute as a formula. */
function inertText(text: string): string {
  return FORMULA.test(text) ? `'${text}` : text;
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
