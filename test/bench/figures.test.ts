import { describe, expect, test } from 'vitest';
import { createFigures } from '../../bench/figures.ts';

/** The rows of the table, without its head. */
function rowsOf(table: string): readonly string[] {
  return table.split('\n').slice(2);
}

describe('the table of figures', () => {
  test('has the median of the runs, the bound, and whether the median is within it', () => {
    const figures = createFigures();
    const record = figures.recorderFor('restart', 'measured');
    for (const seconds of [1, 4, 2]) record('to the full page', 's', seconds, { atMost: 2 });
    for (const ratio of [0.7, 0.95, 0.8]) record('scrapes', '×', ratio, { atLeast: 0.9 });
    record('series', '', 1234);
    expect(rowsOf(figures.render('new', undefined))).toEqual([
      '| restart | to the full page | s | 2.00 | ≤ 2 | yes |',
      '| restart | scrapes | × | 0.80 | ≥ 0.9 | **no** |',
      '| restart | series |  | 1 234 |  |  |',
    ]);
  });

  test('compares checkouts run by run, so that a slow pair changes nothing', () => {
    const figures = createFigures();
    for (const seconds of [1, 10, 2]) figures.recorderFor('round', 'measured')('CPU', 's', seconds);
    for (const seconds of [2, 20, 4]) figures.recorderFor('round', 'other')('CPU', 's', seconds);
    expect(rowsOf(figures.render('new', 'old'))).toEqual([
      '| round | CPU | s | 2.00 | 4.00 | 0.50 × |  |  |',
    ]);
  });

  test('fails the bound of a figure that is not a number', () => {
    const figures = createFigures();
    figures.recorderFor('restart', 'measured')('to ready', 's', Number.NaN, { atMost: 2 });
    expect(figures.render('new', undefined)).toContain('| **no** |');
  });
});
