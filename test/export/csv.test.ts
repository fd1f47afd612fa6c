import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvLine, decimalText, spellingOf } from '../../src/export/csv.ts';

describe('a number', () => {
  test('is the same when it is read back, and has no exponent', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = decimalText(value);
        expect(text).toMatch(/^-?\d+(\.\d+)?$/);
        expect(Number(text)).toBe(value === 0 ? 0 : value);
      }),
    );
  });

  test.each([
    [1.5e21, '1500000000000000000000'],
    [1e-7, '0.0000001'],
    [-2.5e-8, '-0.000000025'],
    [0, '0'],
    [-0, '0'],
  ])('%d is written as %s', (value, text) => {
    expect(decimalText(value)).toBe(text);
  });
});

test.each([
  ['comma', '1.5,"a,b"\n'],
  ['semicolon', '1,5;a,b\n'],
  ['tab', '1.5\ta,b\n'],
] as const)(
  'with a %s between cells, only a semicolon makes the decimal point a comma',
  (delimiter, line) => {
    expect(csvLine([1.5, 'a,b'], spellingOf(delimiter))).toBe(line);
  },
);

describe('a text', () => {
  test('is the same when it is read back, unless a spreadsheet would execute it', () => {
    const texts = fc.array(fc.string({ unit: 'binary' }), { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(texts, (cells) => {
        const [read = []] = parse(csvLine(cells), { relaxColumnCount: true }) as string[][];
        expect(read.map((cell, index) => (cell === `'${cells[index]}` ? cells[index] : cell))).toEqual(cells);
      }),
    );
  });

  test.each(['=1+1', '+1', '-1', '@SUM(A1)', ' =1', '\t=1', '\r=1', '\n=1', '|calc', '%0'])(
    '%j is no formula',
    (text) => {
      const [[cell] = []] = parse(csvLine([text])) as string[][];
      expect(cell).toBe(`'${text}`);
    },
  );

  test('has a negative number beside it that stays a number', () => {
    expect(csvLine(['a', -5, null])).toBe('a,-5,\n');
  });
});
