import { expect, test } from 'vitest';
import { budgetInCredits } from '../../../src/collectors/spend/costs.ts';
import { dayNamed } from '../../support/day.ts';
import { dollars, spendView } from './view.ts';

const costPerMonth = { amount: 1500, currency: 'USD' };
const day = dayNamed('2026-06-10');

test('a budget in money pays for so many credits, where the month has one price in its currency', () => {
  const paid = (...prices: ReturnType<typeof dollars>[]) =>
    budgetInCredits(spendView({}, { costPerMonth, prices }), day);
  const price = dollars('2026-01-14', 3);
  expect(paid(price)).toBe(500_000_000);
  expect(paid(price, dollars('2026-07-01', 4))).toBe(500_000_000);
  expect(paid(dollars('2026-01-14', 9), dollars('2026-06-01', 3))).toBe(500_000_000);
  expect(paid(price, dollars('2026-06-15', 3))).toBe(500_000_000);
  expect(paid(price, dollars('2026-06-30', 4))).toBeUndefined();
  expect(paid(price, { ...dollars('2026-06-15', 3), currency: 'EUR' })).toBeUndefined();
  expect(paid(dollars('2026-06-02', 3))).toBeUndefined();
  expect(paid({ ...price, currency: 'EUR' })).toBeUndefined();
});

test('a budget in credits is one of credits, and none is none', () => {
  expect(budgetInCredits(spendView({}, { creditsPerMonth: 5, prices: [] }), day)).toBe(5);
  expect(budgetInCredits(spendView({}, { prices: [] }), day)).toBeUndefined();
});
