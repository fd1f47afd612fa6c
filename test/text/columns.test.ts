import { expect, test } from 'vitest';
import { columns } from '../../src/text/columns.ts';

test('columns are as wide as their widest cell: text begins, and numbers end, in line', () => {
  const rows = [
    ['model', 'credits', ''],
    ['  opus', '12', '3'],
    ['without a number', '', ''],
  ];
  expect(columns(rows)).toEqual([
    'model             credits',
    '  opus                 12  3',
    'without a number',
  ]);
  expect(columns([])).toEqual([]);
});
