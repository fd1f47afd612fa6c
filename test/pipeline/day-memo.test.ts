import { expect, test } from 'vitest';
import { addDays } from '../../src/catalog/day.ts';
import { DayMemo } from '../../src/pipeline/view.ts';
import { dayNamed } from '../support/day.ts';

const first = dayNamed('2026-03-01');

test('what was made of a day is made once for each function, even if it is nothing', () => {
  const memo = new DayMemo();
  const made: string[] = [];
  const one = () => void made.push('one');
  const other = () => made.push('other');
  for (const make of [one, other, one, other]) memo.of<unknown>(make, first, make);
  memo.of<unknown>(one, addDays(first, 1), one);
  expect(made).toEqual(['one', 'other', 'one']);
});
