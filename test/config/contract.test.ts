import { expect, test } from 'vitest';
import { load } from './loading.ts';

async function contractOf(yaml: string): Promise<unknown> {
  const text = `orgs:\n  - name: acme\n    base_url: https://x.example\n    api_key_env: KEY\n${yaml}`;
  const { orgs } = await load({
    args: ['--config.file=c.yml'],
    environment: { KEY: 'k' },
    files: { 'c.yml': text },
    organizations: 'required',
  });
  return orgs[0]?.contract;
}

test('seats, budget and prices are optional, each by itself', async () => {
  expect(await contractOf('')).toBeUndefined();
  expect(await contractOf('    seats: 120\n')).toEqual({ seats: 120, prices: [] });
  expect(await contractOf('    budget: {credits_per_month: 5e8}\n')).toEqual({
    creditsPerMonth: 500_000_000,
    prices: [],
  });
});

test('a budget can be in money, in a currency that has a price', async () => {
  const prices = '    prices: [{from: 2026-01-14, currency: USD, per_million_credits: 3}]\n';
  const money = '    budget: {amount: 1500, currency: USD, per: month}\n';
  expect(await contractOf(`${money}${prices}`)).toMatchObject({
    costPerMonth: { amount: 1500, currency: 'USD' },
    creditsPerMonth: undefined,
  });
  await expect(contractOf(money)).rejects.toThrow('USD is the currency of no price');
  await expect(contractOf(`${money.replace('USD', 'EUR')}${prices}`)).rejects.toThrow(
    'c.yml:5: orgs[0].budget.currency: EUR is the currency of no price: a budget in money needs prices',
  );
});

test('a billing month starts on a day of the calendar month', async () => {
  expect(await contractOf('    billing: {period_starts: 9}\n')).toEqual({ prices: [], periodStarts: 9 });
  await expect(contractOf('    billing: {period_starts: 32}\n')).rejects.toThrow(
    'billing.period_starts: must be a whole number from 1 to 31',
  );
});

test('prices are sorted by the day from which they hold', async () => {
  const prices = `    prices:
      - {from: 2026-07-01, currency: EUR, per_million_credits: 2.5}
      - {from: "2026-01-14", currency: USD, per_million_credits: 3}
`;
  expect(await contractOf(prices)).toEqual({
    prices: [
      { from: '2026-01-14', currency: 'USD', perMillionCredits: 3 },
      { from: '2026-07-01', currency: 'EUR', perMillionCredits: 2.5 },
    ],
  });
  expect(await contractOf('    prices: []\n')).toEqual({ prices: [] });
  // A trial costs nothing.
  const free = '    prices: [{from: 2026-01-14, currency: USD, per_million_credits: 0}]\n';
  expect(await contractOf(free)).toMatchObject({ prices: [{ perMillionCredits: 0 }] });
});
