import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { sharedWait, waitFor } from '../support/wait-for.ts';
import { ask, DAY_S, offered, panelQueries, variableQueries } from './dashboard-queries.ts';
import { bars, type Row } from './figures.ts';
import { expectAllKnown, startPlatform } from './platform.ts';
import { createPrograms, written } from './programs.ts';
import { makeBlocks, type PrometheusServer, startPrometheus } from './prometheus-server.ts';
import { requireTool } from './tools.ts';

const DAYS = 120;
const ORGS = ['acme', 'globex'] as const;
const SETTINGS = `seats: 50, budget: {credits_per_month: 300000000},
    prices: [{from: 2026-01-14, currency: USD, per_million_credits: 2.70}]`;

const TOKEN = 'a-token-of-the-hooks-of-this-test';

/** Queries without data here, and why. */
const EMPTY: readonly { readonly where: RegExp; readonly why: string }[] = [
  {
    where: /readiness.json “Wiki runs of all repositories” B/,
    why: 'the usual listing of wiki runs has no status',
  },
  {
    where:
      /“(?:Share of each team by week|Average active people per day|Calls per active person|Cache share|Credits per million tokens|Month to date of teams by day)” B/,
    why: 'there are no more than four organizations and teams',
  },
  {
    where:
      /“(?:Daily, weekly and monthly active people|Month to date against the budget|Month to date in money|Cost by day)” B/,
    why: 'there are no more than four organizations and currencies',
  },
  {
    where:
      /“(?:Daily, weekly and monthly active people|Average active people per day)” C|“Month to date of teams by day” [CDE]|“Credits by day” [CD]|“Month to date against the budget” [C-I]|“Month to date in money” C/,
    why: 'there are two organizations and teams, whose lines cannot be told apart',
  },
  {
    where:
      /“Credits by day” [EFG]|“Share of each (?:model|team) by week” C|“(?:Shares of the cost by model|Changes of the cost by cause|Billed cost by day|List cost by day|Models and their cost before)” [AB]/,
    why: 'the platform counts credits, and reports no money',
  },
  {
    where: /usage.json “(?:Commits and pull requests by day” C|(?:Lines|Suggestions) by day” [AB])/,
    why: 'the platform reports no merges, lines and suggestions',
  },
  { where: /credits.json “By organization” K/, why: 'the budgets are in credits' },
  { where: /credits.json “By organization” M/, why: 'the billing months are those of the calendar' },
  { where: /users.json “Teams against their budgets” K/, why: 'the budgets of teams are in credits' },
  { where: /“Metrics that are left out”/, why: 'nothing is left out' },
  { where: /health.json “Failing now” [AB]/, why: 'nothing fails' },
  { where: /health.json “Oldest data” B/, why: 'the platform has its days within a day' },
  { where: /health.json “Organizations not polled”/, why: 'no database is shared' },
  { where: /overview.json “(?:Firing alerts|Alerts that fire)”/, why: 'no rules are loaded' },
  {
    where: /overview.json “Organizations” B|“Totals by currency” [DEF]|“Teams on all platforms” [CD]/,
    why: 'the platform bills nothing, and no other one is used',
  },
  { where: /health.json “Values folded/, why: 'nothing is folded' },
  { where: /health.json “Metrics dropped/, why: 'nothing is dropped' },
  { where: /health.json “Values of renamed labels/, why: 'the target has no such labels' },
  { where: /users.json “Credits of the top 10%/, why: 'fewer than 50 people are active' },
];

function dayAt(second: number): string {
  return new Date(second * 1000).toISOString().slice(0, 10);
}

/** A change has one query for a rise and one for a fall. */
const RISE_OR_FALL = / - 1\) (?:>=|<) 0$|> bool 0|\) [<>]=? 0$/;

describe.runIf(requireTool('prometheus') && requireTool('promtool'))('the dashboards', () => {
  const programs = createPrograms();
  const today = Math.floor(Date.now() / 1000 / DAY_S) * DAY_S;
  const from = today - DAYS * DAY_S;
  const api = new Map<string, readonly Row[]>();
  let prometheus: PrometheusServer;
  const shown = sharedWait();

  const span = () => ({ from, today, now: Math.floor(Date.now() / 1000) });
  /** The noon at which a Wednesday of the previous week was backfilled as the newest day. */
  const workday = today - ((new Date(today * 1000).getUTCDay() + 4) % 7) * DAY_S - 7 * DAY_S + 36 * 3600;

  async function fetchRows(platform: string, org: string, dataset: string): Promise<void> {
    const rows: Row[] = [];
    for (let start = from; start < today; start += 30 * DAY_S) {
      const end = Math.min(start + 29 * DAY_S, today - DAY_S);
      const url = `${platform}/api/v1/analytics/${dataset}?startDate=${dayAt(start)}&endDate=${dayAt(end)}`;
      const answer = await fetch(url, { headers: { authorization: `Bearer sandbox-${org}-owner` } });
      rows.push(...((await answer.json()) as { data: readonly Row[] }).data);
    }
    api.set(`${org} ${dataset}`, rows);
  }

  beforeAll(async () => {
    const platform = (await startPlatform(programs, [`--orgs=${ORGS.length}`])).url;
    const folder = programs.folder();
    const config = join(folder, 'exporter.yml');
    const teams = join(folder, 'teams.yaml');
    const output = join(folder, 'past');
    const store = join(folder, 'history.db');
    const orgs = ORGS.map(
      (name) =>
        `  - {name: ${name}, base_url: '${platform}', app_url: '${platform}', api_key_env: KEY_${name}, ${SETTINGS}}\n`,
    );
    const members = [...[...'abcdefghij'].map((letter) => `"${letter}*"`), ...'12345'];
    const budgets = 'credits_per_month: {payments: 100000000}\n';
    await writeFile(teams, members.map((member) => `${member}: payments\n`).join('') + budgets);
    await writeFile(
      config,
      `orgs:\n${orgs.join('')}collectors: {users: {enabled: true, identity: hash}}\nteams: {file: ${teams}}\nreadiness: {level_rule: bands, criterion_counts: true}\n`,
    );
    const environment = {
      ...Object.fromEntries(ORGS.map((name) => [`KEY_${name}`, `sandbox-${name}-owner`])),
      AGENT_PLATFORM_API_REQUESTS_PER_SECOND: '200',
      AGENT_PLATFORM_HOOKS_TOKEN: TOKEN,
      AGENT_PLATFORM_USERS_HASH_KEY: 'a-key-of-the-people-of-this-test',
    };
    const common = [`--config.file=${config}`, `--storage.path=${store}`];
    const labels = ['--label=job=agent-platform', '--label=instance=gone:9889'];
    const past = programs.exporter(
      ['backfill', ...common, `--from=${dayAt(from)}`, `--output=${output}`, ...labels],
      environment,
    );
    await expectAllKnown(past);
    const tsdb = await makeBlocks(programs, output);
    const serve = programs.exporter(['serve', ...common, '--web.listen-address=127.0.0.1:0'], environment);
    const port = await written(serve, 'stderr', /msg=Serving .*\bport=(\d+)/);
    prometheus = await startPrometheus(programs, { tsdb, target: `127.0.0.1:${port}` });
    await sendHooks(`http://127.0.0.1:${port}/hooks/events`);
    for (const org of ORGS)
      for (const dataset of ['tokens', 'tools', 'activity', 'productivity'])
        await fetchRows(platform, org, dataset);
    await waitFor(async () => {
      const ran = await prometheus.instant('agent_platform_exporter_collector_success == 1');
      expect(ran).toHaveLength(7 * ORGS.length);
    });
  });

  test.each(panelQueries())('show data: $where', async ({ where, target }) => {
    const empty = EMPTY.find((exception) => exception.where.test(where));
    await shown(async () => {
      const now = await ask(prometheus, target, span());
      // On a Saturday hardly anybody is active, so that some figures are rightly absent: a workday has them.
      const answered = now.length > 0 ? now : await ask(prometheus, target, { ...span(), now: workday });
      if (!RISE_OR_FALL.test(target.expr)) expect(answered.length > 0).toBe(empty === undefined);
    });
  });

  test.each(variableQueries())('offer values: $where', async ({ variable }) => {
    expect((await offered(prometheus, variable, from)).length).toBeGreaterThan(0);
  });

  test.each(bars)('agree with the API on each day: $where', async ({ where, dataset, figures }) => {
    const query = panelQueries().find((one) => one.where === where);
    if (query === undefined) throw new Error(`no such query: ${where}`);
    const shown = new Map<string, Record<string, number>>();
    for (const { labels, values } of await ask(prometheus, query.target, span())) {
      const key = Object.values(labels).sort().join(' ');
      for (const [second, value] of values) {
        const day = dayAt(second);
        shown.set(day, { ...shown.get(day), [key]: value });
      }
    }
    for (let second = from; second < today - 2 * DAY_S; second += DAY_S) {
      const day = dayAt(second);
      const rows = ORGS.flatMap(
        (org) => api.get(`${org} ${dataset}`)?.filter(({ date }) => date === day) ?? [],
      );
      expect(nonzero(shown.get(day)), `${where} on ${day}`).toEqual(nonzero(figures(rows)));
    }
  });

  /** The newest day of each organization: they differ if nobody of one was active on the last one, which has no row yet. */
  async function newestDays(days: string): Promise<ReadonlyMap<string | undefined, number>> {
    const answered = await prometheus.instant(`max by (org) (${days})`);
    return new Map(answered.map(({ labels, values }) => [labels['org'], values[0]?.[1] ?? 0]));
  }

  /** The API's figure of the 7 days that end with each organization's day, summed over the organizations. */
  function inAWeek(
    dataset: string,
    field: string,
    newest: ReadonlyMap<string | undefined, number>,
    weeksBefore = 0,
  ): number {
    return ORGS.flatMap((org) => {
      const end = (newest.get(org) ?? 0) - weeksBefore * 7 * DAY_S;
      const dates = new Set([...Array(7).keys()].map((back) => dayAt(end - back * DAY_S)));
      return api.get(`${org} ${dataset}`)?.filter(({ date }) => dates.has(String(date))) ?? [];
    }).reduce((sum, row) => sum + Number(row[field]), 0);
  }

  async function figuresOf(panel: string): Promise<readonly (number | undefined)[]> {
    const queries = panelQueries().filter(({ where }) => where.startsWith(`${panel} `));
    return Promise.all(
      queries.map(async ({ target }) => (await ask(prometheus, target, span()))[0]?.values[0]?.[1]),
    );
  }

  test.each([
    ['overview.json “Commits”', 'productivity', 'git_commits'],
    ['usage.json “Pull requests”', 'productivity', 'git_prs_created'],
    ['usage.json “Tool calls”', 'tools', 'tool_calls'],
  ] as const)(
    'agree with the API on the last seven days and the seven before: %s',
    async (panel, dataset, field) => {
      await waitFor(async () => {
        const newest = await newestDays(`agent_platform_data_day_timestamp_seconds{dataset="${dataset}"}`);
        const [present, past] = [inAWeek(dataset, field, newest), inAWeek(dataset, field, newest, 1)];
        expect(past).toBeGreaterThan(0);
        const [figure, rise, fall] = await figuresOf(panel);
        expect(figure).toBe(present);
        expect(rise ?? fall).toBeCloseTo(100 * (present / past - 1));
        expect([rise, fall]).toContain(undefined);
      });
    },
  );

  test('agree with the API on the commits per person over 7 days', async () => {
    const query = panelQueries().find(({ where }) => where === 'usage.json “Output per active person” B');
    if (query === undefined) throw new Error('no such query');
    const [mean, ...others] = await ask(prometheus, query.target, span());
    expect(others).toEqual([]);
    expect(mean?.values.length).toBeGreaterThan(DAYS / 2);
    // A day that somebody was active on may have no row of the other dataset yet, or only later.
    const inDays = (second: number, org: string, dataset: string, field: string) =>
      (api.get(`${org} ${dataset}`) ?? [])
        .filter(({ date }) => {
          const back = (second - Date.parse(`${String(date)}T00:00:00Z`) / 1000) / DAY_S;
          return back >= 0 && back < 7;
        })
        .reduce((sum, row) => sum + Number(row[field]), 0);
    for (const [second, value] of mean?.values ?? []) {
      if (second < from + 7 * DAY_S || second >= today - 4 * DAY_S) continue;
      const each = ORGS.map(
        (org) =>
          inDays(second, org, 'productivity', 'git_commits') /
          inDays(second, org, 'activity', 'daily_active_users'),
      );
      expect(value, dayAt(second)).toBeCloseTo(each.reduce((sum, one) => sum + one, 0) / each.length);
    }
  });

  test('agree with the API on the credits, the cost and the people of the last seven days', async () => {
    const newest = (dataset: string) =>
      newestDays(`agent_platform_data_day_timestamp_seconds{dataset="${dataset}"}`);
    await waitFor(async () => {
      const days = await newest('tokens');
      expect([...days.keys()].sort()).toEqual([...ORGS]);
      const week = inAWeek('tokens', 'billable_tokens', days);
      const [, , , , credits, rise, fall] = await figuresOf('credits.json “Credits”');
      expect(credits).toBe(week);
      const cost = panelQueries().find(({ where }) => where === 'credits.json “Cost by organization” C');
      const costs = cost === undefined ? [] : await ask(prometheus, cost.target, span());
      const total = costs.reduce((sum, { values }) => sum + (values[0]?.[1] ?? 0), 0);
      expect(total).toBeCloseTo(week * 2.7e-6);
      expect(rise ?? fall).toBeCloseTo(100 * (week / inAWeek('tokens', 'billable_tokens', days, 1) - 1));
      const [people, , , , monthly] = await figuresOf('adoption.json “Active people”');
      expect(people).toBeCloseTo(inAWeek('activity', 'daily_active_users', await newest('activity')) / 7);
      const [stickiness] = await figuresOf('adoption.json “Regularity and seats”');
      expect(stickiness ?? 0).toBeCloseTo(monthly === undefined ? 0 : (people ?? 0) / monthly);
    });
  });
});

describe.runIf(requireTool('prometheus'))('the dashboards on an empty database', () => {
  const programs = createPrograms();
  let prometheus: PrometheusServer;
  const today = Math.floor(Date.now() / 1000 / DAY_S) * DAY_S;

  beforeAll(async () => {
    const tsdb = join(programs.folder(), 'tsdb');
    await mkdir(tsdb);
    prometheus = await startPrometheus(programs, { tsdb });
  });

  test.each(panelQueries())('show nothing, and no error: $where', async ({ target }) => {
    const now = Math.floor(Date.now() / 1000);
    expect(await ask(prometheus, target, { from: today - 90 * DAY_S, today, now })).toEqual([]);
  });

  test.each(variableQueries())('offer nothing: $where', async ({ variable }) => {
    expect(await offered(prometheus, variable, today - 90 * DAY_S)).toEqual([]);
  });
});

/** A session that ends, one that waits, and an unusable event. */
async function sendHooks(url: string): Promise<void> {
  const at = Date.now();
  const events = [
    { id: '1', hook_event_name: 'SessionStart', session_id: 'a', occurred_at: at - 3000 },
    { id: '2', hook_event_name: 'SessionEnd', session_id: 'a', reason: 'logout', occurred_at: at - 2000 },
    { id: '3', hook_event_name: 'Notification', session_id: 'b', occurred_at: at - 1000 },
    { id: '4' },
  ];
  const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ events }) });
  expect(answer.status, await answer.text()).toBeLessThan(300);
}

function nonzero(values: Readonly<Record<string, number>> = {}): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== 0)
      .map(([key, value]) => [key, Math.round(value * 1e6) / 1e6]),
  );
}
