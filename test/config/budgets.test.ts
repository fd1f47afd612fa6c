import { expect, test } from 'vitest';
import { CREDITS } from '../../src/catalog/money.ts';
import { idleTeamBudgets } from '../../src/config/orgs.ts';
import { refusesBudget } from '../../src/config/platform.ts';
import { barePlatform } from '../support/bare-platform.ts';
import { dayNamed } from '../support/day.ts';
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

test.each([
  [5, 'acme', 1, []],
  [5, 'octo', 1, ['web']],
  [dollars, 'octo', 1, []],
  [euros, 'octo', 1, ['web']],
  [euros, 'acme', 1, []],
  [dollars, 'acme', 1, ['web']],
  // Another shard may serve an organization to which it applies.
  [dollars, 'acme', 2, []],
] as const)(
  'a budget of %j for a team limits nothing of %s, one of %i shards: %j',
  (budget, org, total, idle) => {
    const prices = [{ from: dayNamed('2026-01-01'), currency: 'EUR', perMillionCredits: 3 }];
    const orgs = {
      acme: { platform: { ...barePlatform, money: CREDITS }, contract: { prices } },
      octo: { platform: { ...barePlatform, money: COST }, contract: undefined },
    };
    expect(idleTeamBudgets([orgs[org]], new Map([['web', budget]]), { index: 0, total })).toEqual(idle);
  },
);
