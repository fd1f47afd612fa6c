import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { addDays, startOf } from '../../src/catalog/day.ts';
import type { CreditPrice } from '../../src/catalog/settings.ts';
import { preciseSum } from '../../src/collectors/counts.ts';
import { spendCollector } from '../../src/collectors/spend/collector.ts';
import { tokensCollector } from '../../src/collectors/tokens/collector.ts';
import type { PeriodName } from '../../src/export/month.ts';
import { createWideFormat } from '../../src/export/tables.ts';
import { dayNamed } from '../support/day.ts';
import { storedOrg } from '../support/store.ts';
import { exported } from './fixtures.ts';

const FIRST = dayNamed('2026-03-30');
const collectors = [tokensCollector, spendCollector];

/** The rows of days from 30 March on, without empty cells; undefined is a day that was never answered. */
async function wide(period: PeriodName, prices: readonly CreditPrice[], ...rows: readonly unknown[]) {
  const pairs = rows.map((row, index) => [addDays(FIRST, index), row] as const);
  const kept = new Map(pairs.filter(([, row]) => row !== undefined));
  const { lines, outcome } = await exported({
    orgs: [
      {
        settings: {
          name: 'acme',
          readiness: { branches: [], cleanOnly: false, levelRule: 'none', criterionCounts: false },
          contract: { prices },
        },
        history: storedOrg({ days: (dataset) => (dataset === 'tokens' ? kept : undefined) }),
      },
    ],
    collectors,
    from: FIRST,
    to: addDays(FIRST, rows.length - 1),
    now: startOf(dayNamed('2026-06-01')),
    format: createWideFormat(
      period,
      collectors.flatMap(({ families }) => families),
    ),
    ...(period === 'month' ? { sumOfMonth: preciseSum } : {}),
  });
  const table: Record<string, string>[] = parse(lines.join(''), { columns: true });
  return { header: lines[0]?.trim().split(',') ?? [], table, outcome };
}

const cellsOf = (row: Readonly<Record<string, string>> | undefined, ...columns: readonly string[]) =>
  columns.map((column) => row?.[column]);

const tokens = (credits: number, byModel: Readonly<Record<string, number>> = {}) => ({
  credits,
  byModel: Object.entries(byModel).map(([model, used]) => ({ model, tier: 'standard', credits: used })),
});

const usd = { from: FIRST, currency: 'USD', perMillionCredits: 100_000 };

describe('a wide table', () => {
  test('has a column per label and per metric, and what describes one thing in one row', async () => {
    const { header, table } = await wide('day', [usd], tokens(30, { 'gpt-5': 20, '=b': 10 }));
    expect(header.slice(0, 3)).toEqual(['day', 'organization', 'model']);
    expect(header).toContain('daily_cost_by_model');
    const columns = ['day', 'organization', 'model', 'tier', 'currency'];
    const figures = ['daily_credits', 'daily_cost', 'daily_credits_by_model', 'daily_cost_by_model'];
    expect(
      table.filter(({ breakdown }) => breakdown === '').map((row) => cellsOf(row, ...columns, ...figures)),
    ).toEqual([
      ['2026-03-30', 'acme', '', '', 'USD', '30', '3', '', ''],
      // Spreadsheets show it and execute nothing.
      ['2026-03-30', 'acme', "'=b", 'standard', 'USD', '', '', '10', '1'],
      ['2026-03-30', 'acme', 'gpt-5', 'standard', 'USD', '', '', '20', '2'],
    ]);
  });

  test('has the same columns whatever the values are', async () => {
    const { header } = await wide('day', [], tokens(1));
    expect((await wide('day', [usd], tokens(30, { a: 30 }), tokens(5, { b: 5 }))).header).toEqual(header);
  });

  test('has a row of its own for an amount in a second currency', async () => {
    const eur = { from: addDays(FIRST, 2), currency: 'EUR', perMillionCredits: 200_000 };
    const days = [tokens(10, { a: 10 }), tokens(10, { a: 10 }), tokens(10, { a: 10 }), tokens(10, { a: 10 })];
    const { table } = await wide('month', [usd, eur], ...days);
    const ofModel = table.filter(({ model }) => model === 'a');
    expect(
      ofModel.map((row) => cellsOf(row, 'month', 'currency', 'credits_by_model', 'cost_by_model')),
    ).toEqual([
      ['2026-03-30 to 2026-03-31', 'USD', '20', '2'],
      ['2026-04-01 to 2026-04-02', 'EUR', '20', '4'],
      ['2026-04-01 to 2026-04-02', 'USD', '', '0'],
    ]);
  });
});

describe('a month', () => {
  const march = Array.from({ length: 2 }, () => tokens(0.1, { a: 0.1 }));
  const april = Array.from({ length: 30 }, () => tokens(0.1, { a: 0.1 }));

  test('has the sums of its days, and the days of a part of a month', async () => {
    const { table, outcome } = await wide('month', [usd], ...march, ...april);
    const totals = table.filter(({ model, currency }) => model === '' && currency === 'USD');
    expect(totals.map((row) => cellsOf(row, 'month', 'credits', 'cost', 'credits_month_to_date'))).toEqual([
      ['2026-03-30 to 2026-03-31', '0.2', '0.02', ''],
      ['2026-04', '3', '0.3', '3'],
    ]);
    expect(outcome.rows).toBe(table.length);
    // Seven days are no part of a month's sum.
    expect(Object.keys(table[0] ?? {}).filter((column) => column.includes('7d'))).toEqual([]);
  });

  test('has no figures of a dataset that does not know each day, and names the day', async () => {
    const { table, outcome } = await wide('month', [usd], ...march, ...april.slice(1), undefined, april[0]);
    expect(table.filter(({ month }) => month === '2026-04')).toEqual([]);
    expect(outcome.unknown.get('acme/tokens')).toEqual(['2026-04-30']);
  });

  test('has no money if a day has no price', async () => {
    const late = { ...usd, from: dayNamed('2026-04-02') };
    const { table } = await wide('month', [late], ...march, ...april);
    const ofApril = table.filter(({ month, breakdown }) => month === '2026-04' && breakdown === '');
    expect(
      ofApril.map((row) => cellsOf(row, 'credits', 'credits_by_model', 'cost', 'cost_by_model')),
    ).toEqual([
      ['3', '', '', ''],
      ['', '3', '', ''],
    ]);
  });

  test('has every model and the largest values of other labels', async () => {
    const models = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`m${index}`, 1]));
    const { table } = await wide('month', [], ...march, tokens(20, models));
    expect(
      table.filter(({ model, month }) => model !== '' && month === '2026-04-01 to 2026-04-01'),
    ).toHaveLength(21);
  });
});
