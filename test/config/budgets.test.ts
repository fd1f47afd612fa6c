import { expect, test } from 'vitest';
import { CREDITS } from '../../src/catalog/money.ts';
import { refusesBudget } from '../../src/config/budgets.ts';
import { BOTH, COST } from '../support/money.ts';

const euros = { amount: 5, currency: 'EUR' };
const dollars = { amount: 5, currency: 'USD' };

test.each([
  [5, CREDITS, undefined],
  [euros, CREDITS, undefined],
  [5, BOTH, undefined],
  [dollars, BOTH, undefined],
  [euros, BOTH, 'is in EUR, but Octo reports its cost in USD'],
  [5, COST, 'is in credits, which Octo does not count: give an amount and its currency'],
  [dollars, COST, undefined],
])('a budget of %j of a platform with %j is refused: %s', (budget, money, why) => {
  expect(refusesBudget(budget, 'Octo', money)).toBe(why);
});
