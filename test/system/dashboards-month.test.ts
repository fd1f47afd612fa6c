import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { chosen, panelQueries } from './dashboard-queries.ts';
import { createPrograms } from './programs.ts';
import { makeBlocks, type PrometheusServer, startPrometheus } from './prometheus-server.ts';
import { requireTool } from './tools.ts';

/** A date that is over. */
const NOON = Date.UTC(new Date().getUTCFullYear() - 1, 2, 20, 12) / 1000;

/**
 * The figures of the month. Of the first two organizations, one has a price and a budget, the other has neither or only a price;
 * each of the others has another currency, budget and pace than the one before it.
 */
const FIGURES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  credits_month_to_date: {
    'org="acme"': 2000,
    'org="globex"': 500,
    'org="initech"': 900,
    'org="hooli"': 300,
    'org="umbrella"': 70,
  },
  credits_month_to_date_baseline: { 'org="acme"': 1600, 'org="initech"': 1000 },
  credits_month_forecast: {
    'org="acme"': 3100,
    'org="globex"': 600,
    'org="initech"': 1100,
    'org="hooli"': 400,
    'org="umbrella"': 90,
  },
  credits_month_budget: { 'org="acme"': 3000, 'org="initech"': 1200 },
  credits_month_budget_lasts: { 'org="acme"': 10, 'org="initech"': 25 },
  daily_credits: {
    'org="acme"': 100,
    'org="globex"': 10,
    'org="initech"': 30,
    'org="hooli"': 20,
    'org="umbrella"': 5,
  },
  credit_price: {
    'org="acme",currency="EUR"': 0.03,
    'org="initech",currency="USD"': 0.05,
    'org="hooli",currency="USD"': 0.1,
    'org="umbrella",currency="EUR"': 0.2,
  },
  cost_month_to_date: {
    'org="acme",currency="EUR"': 60,
    'org="initech",currency="USD"': 45,
    'org="hooli",currency="USD"': 30,
    'org="umbrella",currency="EUR"': 14,
  },
  cost_month_forecast: { 'org="hooli",currency="USD"': 40, 'org="umbrella",currency="EUR"': 18 },
  cost_month_budget: { 'org="hooli",currency="USD"': 80, 'org="umbrella",currency="EUR"': 16 },
  // The teams of acme are known in both weeks, those of globex only in one.
  credits_trailing_7d: { 'org="acme"': 700, 'org="globex"': 60 },
  credits_trailing_7d_baseline: { 'org="acme"': 500, 'org="globex"': 90 },
  credits_by_team_sum_7d: {
    'org="acme",team="a"': 600,
    'org="acme",team="unassigned"': 100,
    'org="globex",team="a"': 60,
  },
  credits_by_team_sum_7d_baseline: { 'org="acme",team="a"': 450, 'org="acme",team="unassigned"': 50 },
};

/** What the other organization has two hours later. */
const LATER: Readonly<Record<string, readonly [labels: string, value: number]>> = {
  credits_month_budget: ['org="globex"', 700],
  cost_month_to_date: ['org="globex",currency="EUR"', 15],
};

/** The figures at noon, and those two hours later. */
function openMetrics(): string {
  const lines = Object.entries(FIGURES).map(([name, values]) => {
    const of = (labels: string, value: number, at: number) =>
      `agent_platform_${name}{job="a",instance="b",${labels}} ${value} ${at}`;
    const all = Object.entries(values).flatMap(([labels, value]) =>
      [NOON, NOON + 7200].map((at) => of(labels, value, at)),
    );
    const later = LATER[name] === undefined ? [] : [of(...LATER[name], NOON + 7200)];
    return [`# TYPE agent_platform_${name} gauge`, ...all, ...later].join('\n');
  });
  return `${lines.join('\n')}\n# EOF\n`;
}

describe.runIf(requireTool('prometheus') && requireTool('promtool'))('the month', () => {
  const programs = createPrograms();
  let prometheus: PrometheusServer;

  /** The numbers of a tile, by name; of the first two organizations, or of others. */
  async function numbers(panel: string, { at = NOON, org = 'acme|globex' } = {}) {
    const queries = panelQueries().filter(({ where }) => where.startsWith(`overview.json “${panel}” `));
    expect(queries).not.toEqual([]);
    const found: Record<string, number | undefined> = {};
    for (const { target } of queries) {
      const expr = chosen(target.expr, '30d').replaceAll('org=~".+"', `org=~"${org}"`);
      for (const { labels, values } of await prometheus.instant(expr, at))
        found[(target.legendFormat ?? '').replace('{{currency}}', labels['currency'] ?? '')] = values[0]?.[1];
    }
    return found;
  }

  beforeAll(async () => {
    const folder = join(programs.folder(), 'out');
    await mkdir(folder);
    await writeFile(join(folder, 'story.om'), openMetrics());
    prometheus = await startPrometheus(programs, { tsdb: await makeBlocks(programs, folder) });
  });

  test('shows a currency for the organizations of the credits, or says that it is of some of them', async () => {
    expect(await numbers('This month')).toMatchObject({ 'EUR, some organizations': 60, credits: 2500 });
    expect(await numbers('This month')).not.toHaveProperty('EUR');
    expect(await numbers('This month', { org: 'acme' })).toMatchObject({ EUR: 60, credits: 2000 });
    const priced = await numbers('This month', { at: NOON + 7200 });
    expect(priced).toMatchObject({ EUR: 75, credits: 2500 });
    expect(priced).not.toHaveProperty('EUR, some organizations');
  });

  test('compares the credits of the organizations that have both months', async () => {
    expect(await numbers('This month')).toMatchObject({ '% from last month': 25 });
  });

  test('says how much of the budget is used, and how long it lasts, of the organization that has one', async () => {
    expect(await numbers('Budget of the month')).toEqual({
      EUR: expect.closeTo(90),
      credits: 3000,
      used: expect.closeTo(2 / 3),
      forecast: expect.closeTo(31 / 30),
      lasts: 10,
    });
  });

  test('says that a budget in money is of some, if one in credits has no price', async () => {
    const budgets = await numbers('Budget of the month', { at: NOON + 7200 });
    expect(budgets).toMatchObject({ 'EUR, some organizations': expect.closeTo(90), credits: 3700 });
    expect(budgets).not.toHaveProperty('EUR');
  });

  test('adds up each currency by itself', async () => {
    expect(await numbers('This month', { org: 'acme|initech|hooli|umbrella' })).toMatchObject({
      'EUR, some organizations': 74,
      'USD, some organizations': 75,
      credits: 3270,
      '% from last month': expect.closeTo(100 * (2900 / 2600 - 1)),
      'EUR, forecast, some organizations': 18,
      'USD, forecast, some organizations': 40,
      'credits, forecast': 4690,
    });
  });

  test('says how long the budgets last, of the organization whose budget is spent first', async () => {
    expect(await numbers('Budget of the month', { org: 'acme|initech' })).toEqual({
      EUR: expect.closeTo(90),
      USD: expect.closeTo(60),
      credits: 4200,
      used: expect.closeTo(2900 / 4200),
      forecast: expect.closeTo(4200 / 4200),
      lasts: 10,
    });
    expect(await numbers('Budget of the month', { org: 'initech' })).toMatchObject({ lasts: 25 });
  });

  test('has the share of a budget in money in its own currency', async () => {
    expect(await numbers('Budget of the month', { org: 'hooli|umbrella' })).toEqual({
      EUR: 16,
      USD: 80,
      'EUR used': expect.closeTo(14 / 16),
      'USD used': expect.closeTo(30 / 80),
      'EUR forecast': expect.closeTo(18 / 16),
      'USD forecast': expect.closeTo(40 / 80),
    });
  });

  test('lists the teams of a week, and all of an organization of which they are not known under its name', async () => {
    const columns = panelQueries().filter(({ where }) => where.startsWith('overview.json “Teams by rise” '));
    const answers = await Promise.all(
      columns.map(async ({ target }) => {
        const expr = chosen(target.expr, '30d').replaceAll('org=~".+"', 'org=~"acme|globex"');
        const found = await prometheus.instant(expr, NOON);
        return Object.fromEntries(found.map(({ labels, values }) => [labels['team'], values[0]?.[1]]));
      }),
    );
    expect(answers).toEqual([
      { a: 600, unassigned: 100, 'globex, no team known': 60 },
      { a: 450, unassigned: 50, 'globex, no team known': 90 },
      { a: 150, unassigned: 50, 'globex, no team known': 0 },
      { a: 0, unassigned: 0, 'globex, no team known': -30 },
    ]);
  });
});
