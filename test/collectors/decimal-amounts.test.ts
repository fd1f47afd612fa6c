import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays, endOf } from '../../src/catalog/day.ts';
import { preciseSum } from '../../src/collectors/counts.ts';
import { spendFamilies } from '../../src/collectors/spend/collector.ts';
import { exact } from '../../src/export/month.ts';
import { dayNamed } from '../support/day.ts';
import { COST, under } from '../support/money.ts';
import { createFakeView } from './fakes.ts';

const MONTHS = 10_000;
const FIRST = dayNamed('2026-03-01');
/** Decimals of a hundredth of the currency, as platforms send them. */
const DECIMALS = 6;
const UNITS = 10n ** BigInt(DECIMALS + 2);

/** A number of the smallest units as a platform writes it: `41280.000000`. */
function hundredths(units: bigint): string {
  const digits = String(units).padStart(DECIMALS + 1, '0');
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}

/** The same as a decimal of the currency, without an error. */
function decimal(units: bigint): string {
  return `${units / UNITS}.${String(units % UNITS).padStart(DECIMALS + 2, '0')}`;
}

/** A month of amounts of at most 300 000 of the currency. */
const monthOf = (unit: bigint) =>
  fc.array(
    fc.bigInt({ min: 0n, max: (300_000n * UNITS) / unit }).map((amount) => amount * unit),
    { minLength: 28, maxLength: 31 },
  );

const sumOf = (month: readonly bigint[]) => month.reduce((sum, amount) => sum + amount, 0n);
const read = (units: bigint) => Number(hundredths(units)) / 100;

test('a month of decimals is right to its last decimal', () => {
  fc.assert(
    fc.property(monthOf(1n), (month) => {
      expect(exact(preciseSum(month.map(read)))).toBe(exact(Number(decimal(sumOf(month)))));
    }),
    { numRuns: MONTHS },
  );
});

test('a month of whole hundredths is published to the hundredth', () => {
  fc.assert(
    fc.property(monthOf(10n ** BigInt(DECIMALS)), (month) => {
      const rows = new Map(month.map((units, index) => [addDays(FIRST, index), { cost: read(units) }]));
      const last = addDays(FIRST, month.length - 1);
      const view = createFakeView({ rows, asOf: endOf(last) });
      const [sample] = spendFamilies.costMonthToDate.samplesOf(under(view, { money: COST }), last) ?? [];
      expect(sample?.value.toFixed(2)).toBe(decimal(sumOf(month)).slice(0, -DECIMALS));
    }),
    { numRuns: MONTHS },
  );
});
