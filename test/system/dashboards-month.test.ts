import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { dataPanels, readDashboards } from '../../scripts/dashboards/dashboard.ts';
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
    'org="octo"': 900,
    'org="acme"': 2000,
    'org="globex"': 500,
    'org="initech"': 900,
    'org="hooli"': 300,
    'org="umbrella"': 70,
    // Nobody has begun.
    'org="novum"': 0,
  },
  credits_month_to_date_baseline: { 'org="octo"': 600, 'org="acme"': 1600, 'org="initech"': 1000 },
  credits_month_forecast: {
    'org="acme"': 3100,
    'org="globex"': 600,
    'org="initech"': 1100,
    'org="hooli"': 400,
    'org="umbrella"': 90,
  },
  credits_month_budget: { 'org="acme"': 3000, 'org="initech"': 1200, 'org="novum"': 500 },
  credits_month_budget_exceeded_probability: { 'org="acme"': 0.6 },
  cost_month_budget_exceeded_probability: { 'org="hooli",currency="USD"': 0.2 },
  credits_month_budget_lasts: { 'org="acme"': 10, 'org="initech"': 25 },
  daily_credits: {
    'org="octo"': 40,
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
    'org="octo",currency="USD"': 9,
    'org="acme",currency="EUR"': 60,
    'org="initech",currency="USD"': 45,
    'org="hooli",currency="USD"': 30,
    'org="umbrella",currency="EUR"': 14,
    'org="novum",currency="EUR"': 0,
  },
  cost_month_forecast: { 'org="hooli",currency="USD"': 40, 'org="umbrella",currency="EUR"': 18 },
  cost_month_budget: { 'org="hooli",currency="USD"': 80, 'org="umbrella",currency="EUR"': 16 },
  // The teams of acme are known in both weeks, those of globex only in one.
  credits_by_team_sum_7d: {
    'org="acme",team="a"': 600,
    'org="acme",team="unassigned"': 100,
    'org="globex",team="a"': 60,
  },
  // On another platform, which reports its cost.
  cost_by_team_sum_7d: { 'org="octo",team="a",currency="USD"': 5 },
  cost_by_team_sum_7d_baseline: { 'org="octo",team="a",currency="USD"': 4 },
  billed_cost_month_to_date: { 'org="octo",currency="USD"': 2 },
  org_info: {
    'org="acme",platform="agent-platform",org_id=""': 1,
    'org="globex",platform="agent-platform",org_id=""': 1,
    'org="initech",platform="agent-platform",org_id=""': 1,
    'org="hooli",platform="agent-platform",org_id=""': 1,
    'org="umbrella",platform="agent-platform",org_id=""': 1,
    'org="octo",platform="copilot",org_id="copilot:github.com:octo"': 1,
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

  async function ask(expr: string, { at = NOON, org = 'acme|globex' } = {}) {
    return prometheus.instant(chosen(expr, '30d').replaceAll('org=~".+"', `org=~"${org}"`), at);
  }

  /** The numbers of the tile of credits, by name; of the first two organizations, or of others. */
  async function numbers(choice: Parameters<typeof ask>[1] = {}) {
    const found: Record<string, number | undefined> = {};
    for (const { target } of panelQueries().filter(({ where }) =>
      where.startsWith('credits.json “Credits” '),
    ))
      for (const { values } of await ask(target.expr, choice))
        found[target.legendFormat ?? ''] = values[0]?.[1];
    return found;
  }

  /** The values of each column of a table, by the labels of a row. */
  async function columns(
    title: string,
    choice: Parameters<typeof ask>[1] = {},
    { on = 'overview.json' } = {},
  ) {
    const [panel] = readDashboards()
      .filter(({ file }) => file === on)
      .flatMap(({ dashboard }) => dataPanels(dashboard).filter((one) => one.title === title));
    const renamed = panel?.transformations?.find(({ id }) => id === 'organize')?.options['renameByName'];
    const titles = (renamed ?? {}) as Readonly<Record<string, string>>;
    const found: Record<string, Record<string, number | undefined>> = {};
    for (const { refId, expr } of panel?.targets ?? []) {
      const column = titles[`Value #${refId}`];
      if (column === undefined) continue;
      const answers = await ask(expr, choice);
      found[column] = Object.fromEntries(
        answers.map(({ labels, values }) => [Object.values(labels).toSorted().join(' '), values[0]?.[1]]),
      );
    }
    return found;
  }

  beforeAll(async () => {
    const folder = join(programs.folder(), 'out');
    await mkdir(folder);
    await writeFile(join(folder, 'story.om'), openMetrics());
    prometheus = await startPrometheus(programs, { tsdb: await makeBlocks(programs, folder) });
  });

  test('compares the credits of the organizations that have both months', async () => {
    expect(await numbers()).toMatchObject({ 'this month': 2500, '% from last month': 25 });
    expect(await numbers({ org: 'acme|initech|hooli|umbrella' })).toMatchObject({
      'this month': 3270,
      '% from last month': expect.closeTo(100 * (2900 / 2600 - 1)),
      forecast: 4690,
    });
  });

  test('says how long the budgets last, of the organization whose budget is spent first', async () => {
    expect(await numbers({ org: 'acme|initech' })).toMatchObject({ 'budget lasts': 10 });
    expect(await numbers({ org: 'initech' })).toMatchObject({ 'budget lasts': 25 });
  });

  test('adds up no credits of organizations on different platforms', async () => {
    expect(await numbers({ org: 'acme|octo' })).toEqual({ 'budget lasts': 10 });
    expect(await numbers({ org: 'octo' })).toMatchObject({ 'this month': 900 });
  });

  const ALL = { org: 'acme|globex|initech|hooli|umbrella|octo' };

  test('has a line for each organization, in its currency or in credits, used and billed apart', async () => {
    const table = await columns('Organizations', ALL);
    expect(table).toMatchObject({
      'This month': {
        'EUR acme': 60,
        'USD initech': 45,
        'USD hooli': 30,
        'EUR umbrella': 14,
        'USD octo': 9,
        'credits globex': 500,
      },
      Billed: { 'USD octo': 2 },
      Budget: {
        'EUR acme': expect.closeTo(90),
        'USD initech': expect.closeTo(60),
        'USD hooli': 80,
        'EUR umbrella': 16,
      },
      Used: {
        acme: expect.closeTo(2 / 3),
        initech: expect.closeTo(3 / 4),
        hooli: expect.closeTo(30 / 80),
        umbrella: expect.closeTo(14 / 16),
      },
      Forecast: { 'USD hooli': 40, 'EUR umbrella': 18, 'credits globex': 600 },
      'Against last month': {
        acme: expect.closeTo(0.25),
        initech: expect.closeTo(-0.1),
        octo: expect.closeTo(0.5),
      },
    });
    // Without a cost it is last, and no cost is described.
    const byCost = { acme: 60, initech: 45, hooli: 30, umbrella: 14, octo: 9, globex: 0 };
    expect(table['Order']).toEqual(byCost);
    const kinds = panelQueries().filter(
      ({ where, target }) =>
        where.startsWith('overview.json “Organizations” ') && target.expr.includes('"kind"'),
    );
    const described = await Promise.all(kinds.map(({ target }) => ask(target.expr, ALL)));
    expect(
      described
        .flat()
        .map(({ labels }) => labels['org'])
        .toSorted(),
    ).toEqual(
      Object.keys(byCost)
        .filter((org) => org !== 'globex')
        .toSorted(),
    );
    // Its credits cost 0.03 each now.
    expect((await columns('Organizations', { ...ALL, at: NOON + 7200 }))['Budget']).toMatchObject({
      'EUR globex': expect.closeTo(21),
    });
  });

  test('has the budget in credits where they cost nothing yet', async () => {
    expect((await columns('Organizations', { org: 'novum' }))['Budget']).toEqual({ 'credits novum': 500 });
  });

  test('is compared with its budget, in credits or in money', async () => {
    const { Used, Exceeds, Order } = await columns('By organization', ALL, { on: 'credits.json' });
    expect(Used).toMatchObject({ acme: expect.closeTo(2 / 3), hooli: expect.closeTo(30 / 80) });
    expect(Exceeds).toEqual({ acme: 0.6, hooli: 0.2 });
    expect(Order).toMatchObject({ hooli: 0.5, globex: 0 });
  });

  test('adds up each currency by itself, and says of which kinds it is', async () => {
    expect(await columns('Totals by currency', ALL)).toEqual({
      Organizations: { EUR: 2, USD: 3 },
      'This month': { EUR: 74, USD: 84 },
      'Of it estimate': { EUR: 74, USD: 75 },
      'Of it value of use': { USD: 9 },
      'Of it charge': {},
      Billed: { USD: 2 },
      // Not every organization has one.
      Forecast: {},
    });
    const some = await columns('Totals by currency', { org: 'hooli|umbrella' });
    expect(some['Forecast']).toEqual({ EUR: 18, USD: 40 });
  });

  test('lists the teams of both weeks in money, where there is money', async () => {
    expect(await columns('Teams by rise', { org: 'acme|globex|octo' })).toEqual({
      '7 days': {
        'EUR a acme': expect.closeTo(18),
        'EUR acme unassigned': expect.closeTo(3),
        'a credits globex': 60,
        'USD a octo': 5,
      },
      Before: {
        'EUR a acme': expect.closeTo(13.5),
        'EUR acme unassigned': expect.closeTo(1.5),
        'USD a octo': 4,
      },
    });
  });
});
