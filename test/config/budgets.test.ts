import { expect, test } from 'vitest';
import { CREDITS } from '../../src/catalog/money.ts';
import { refusesBudget } from '../../src/config/platform.ts';
import { BOTH, COST } from '../support/money.ts';

const euros = { amount: 5, currency: 'EUR' };
const dollars = { amount: 5, currency: 'USD' };

test.each([
  [5, CREDITS, undefined],
  [euros, CREDITS, undefined],
  [5, BOTH, undefined],
  [dollars, BOTH, undefined],
  [euros, BOTH, 'the platform octo reports its cost in USD'],
  [5, COST, 'the platform octo counts no credits: give an amount and its currency'],
  [dollars, COST, undefined],
])('a budget of %j of a platform with %j is refused: %s', (budget, money, why) => {
  expect(refusesBudget(budget, 'octo', money)).toBe(why);
});
