import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { chosen, DAY_S, panelQueries } from './dashboard-queries.ts';
import { createPrograms } from './programs.ts';
import { makeBlocks, type PrometheusServer, startPrometheus } from './prometheus-server.ts';
import { requireTool } from './tools.ts';

const DAYS = 21;
const HALF_DAY_S = DAY_S / 2;
/** A Thursday that is over, on which a week begins. */
const FIRST = Math.floor(Date.now() / 1000 / (7 * DAY_S)) * 7 * DAY_S - 8 * 7 * DAY_S;
const END = FIRST + DAYS * DAY_S;

/** The figures of every day, by name: two organizations without credits, and one that has a price. */
const FIGURES: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  daily_credits_by_model: { 'org="acme",model="gpt",tier="standard"': 500 },
  daily_cost_by_model: {
    'org="acme",model="gpt",tier="standard",currency="USD"': 5,
    'org="anna",model="opus",tier="unknown",currency="USD"': 30,
    'org="anna",model="haiku",tier="unknown",currency="USD"': 10,
    'org="bert",model="opus",tier="unknown",currency="USD"': 2,
    'org="euro",model="opus",tier="unknown",currency="EUR"': 1,
  },
  cost_share_by_model: {
    'org="anna",model="opus",tier="unknown",currency="USD"': 0.75,
    'org="anna",model="haiku",tier="unknown",currency="USD"': 0.25,
    'org="bert",model="opus",tier="unknown",currency="USD"': 1,
    'org="euro",model="opus",tier="unknown",currency="EUR"': 1,
  },
  daily_credits_by_team: { 'org="acme",team="core"': 300 },
  daily_cost_by_team: {
    'org="acme",team="core",currency="USD"': 3,
    'org="anna",team="core",currency="USD"': 25,
    'org="anna",team="unassigned",currency="USD"': 15,
    'org="bert",team="core",currency="USD"': 2,
    'org="euro",team="core",currency="EUR"': 1,
  },
  team_cost_month_to_date: {
    'org="anna",team="core",currency="USD"': 70,
    'org="anna",team="web",currency="USD"': 20,
  },
  daily_credits_expected: { 'org="acme"': 400 },
  credits_month_to_date: { 'org="acme"': 900 },
  credits_month_forecast: { 'org="acme"': 1000 },
  cost_month_to_date: {
    'org="acme",currency="USD"': 9,
    'org="anna",currency="USD"': 90,
    'org="bert",currency="USD"': 8,
  },
  cost_month_budget: { 'org="anna",currency="USD"': 120 },
  team_cost_month_budget: { 'org="anna",team="core",currency="USD"': 100 },
  org_info: {
    'org="acme",platform="agent-platform",org_id=""': 1,
    'org="anna",platform="claude",org_id=""': 1,
    'org="bert",platform="claude",org_id=""': 1,
    'org="euro",platform="claude",org_id=""': 1,
  },
};

/** Each day as a backfill writes it, at the noon after it. */
function openMetrics(): string {
  const noons = [...Array(DAYS).keys()].map((day) => FIRST + (day + 1) * DAY_S + HALF_DAY_S);
  const of = (name: string, labels: string, value: number, at: number) =>
    `agent_platform_${name}{job="a",instance="b",${labels}} ${value} ${at}`;
  const families = Object.entries(FIGURES).map(([name, values]) => [
    `# TYPE agent_platform_${name} gauge`,
    ...Object.entries(values).flatMap(([labels, value]) => noons.map((at) => of(name, labels, value, at))),
  ]);
  const days = ['acme', 'anna', 'bert', 'euro'].flatMap((org) =>
    ['tokens', 'users'].flatMap((dataset) =>
      noons.map((at) =>
        of('data_day_timestamp_seconds', `org="${org}",dataset="${dataset}"`, at - HALF_DAY_S - DAY_S, at),
      ),
    ),
  );
  return [
    ...families.flat(),
    '# TYPE agent_platform_data_day_timestamp_seconds gauge',
    ...days,
    '# EOF',
    '',
  ].join('\n');
}

describe.runIf(requireTool('prometheus') && requireTool('promtool'))('without credits', () => {
  const programs = createPrograms();
  let prometheus: PrometheusServer;

  /** The last value of each series of a panel’s query, by the values of its labels. */
  async function shown(
    where: string,
    { orgs, team = '.+' }: { readonly orgs: string; readonly team?: string },
  ) {
    const target = panelQueries().find((query) => query.where === where)?.target;
    if (target === undefined) throw new Error(`no such query: ${where}`);
    const query = chosen(target.expr, `${DAYS}d`)
      .replaceAll('org=~".+"', `org=~"${orgs}"`)
      .replaceAll('team=~".+"', `team=~"${team}"`);
    const step = target.interval === '7d' ? 7 * DAY_S : DAY_S;
    const answered = await prometheus.range(query, FIRST, END, step);
    return Object.fromEntries(
      answered.map(({ labels, values }) => [Object.values(labels).sort().join(' '), values.at(-1)?.[1]]),
    );
  }

  beforeAll(async () => {
    const folder = join(programs.folder(), 'out');
    await mkdir(folder);
    await writeFile(join(folder, 'story.om'), openMetrics());
    prometheus = await startPrometheus(programs, { tsdb: await makeBlocks(programs, folder) });
  });

  const MODELS = 'credits.json “Share of each model by week” C';

  test('shows the weekly cost of each model, of one organization or of several', async () => {
    expect(await shown(MODELS, { orgs: 'anna' })).toEqual({ haiku: 70, opus: 210 });
    expect(await shown(MODELS, { orgs: 'anna|bert' })).toEqual({ haiku: 70, opus: 224 });
  });

  test('shows no cost of models beside credits, of several platforms, or in several currencies', async () => {
    expect(await shown(MODELS, { orgs: 'acme' })).toEqual({});
    expect(await shown(MODELS, { orgs: 'acme|anna' })).toEqual({});
    expect(await shown(MODELS, { orgs: 'anna|euro' })).toEqual({});
    expect(await shown(MODELS.replace(/C$/, 'A'), { orgs: 'acme' })).toEqual({ gpt: 3500 });
  });

  const TEAMS = 'users.json “Share of each team by week” C';

  test('shows the weekly cost of each team under the same conditions', async () => {
    expect(await shown(TEAMS, { orgs: 'anna' })).toEqual({ core: 175, unassigned: 105 });
    expect(await shown(TEAMS, { orgs: 'anna|bert' })).toEqual({ core: 189, unassigned: 105 });
    expect(await shown(TEAMS, { orgs: 'anna', team: 'core' })).toEqual({ core: 175 });
    for (const orgs of ['acme', 'acme|anna', 'anna|euro']) expect(await shown(TEAMS, { orgs })).toEqual({});
    expect(await shown(TEAMS.replace(/C$/, 'A'), { orgs: 'acme' })).toEqual({ core: 2100 });
  });

  test('shows the expected credits of an organization that is selected alone', async () => {
    const expected = 'credits.json “Credits by day” C';
    expect(await shown(expected, { orgs: 'acme' })).toEqual({ acme: 400 });
    expect(await shown(expected, { orgs: 'acme|anna' })).toEqual({});
  });

  test('shows the month against a budget in money of an organization that is selected alone', async () => {
    const [credits, cost, budget] = ['C', 'G', 'I'].map(
      (query) => `credits.json “Month to date against the budget” ${query}`,
    );
    expect(await shown(`${cost}`, { orgs: 'anna' })).toEqual({ 'USD anna': 90 });
    expect(await shown(`${budget}`, { orgs: 'anna' })).toEqual({ 'USD anna': 120 });
    expect(await shown(`${cost}`, { orgs: 'bert' })).toEqual({});
    expect(await shown(`${credits}`, { orgs: 'acme' })).toEqual({ acme: 1000 });
    for (const query of [credits, cost, budget])
      expect(await shown(`${query}`, { orgs: 'acme|anna' })).toEqual({});
  });

  test('shows the cost of a team that is selected alone, and its budget', async () => {
    const [cost, budget] = ['D', 'E'].map((query) => `users.json “Month to date of teams by day” ${query}`);
    expect(await shown(`${cost}`, { orgs: 'anna', team: 'core' })).toEqual({ 'USD anna core': 70 });
    expect(await shown(`${budget}`, { orgs: 'anna', team: 'core' })).toEqual({ 'USD anna core': 100 });
    expect(await shown(`${cost}`, { orgs: 'anna' })).toEqual({});
    expect(await shown(`${budget}`, { orgs: 'anna', team: 'web' })).toEqual({});
  });
});
