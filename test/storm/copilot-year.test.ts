import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, onTestFinished, test } from 'vitest';
import { type Day, daysFrom } from '../../src/catalog/day.ts';
import { createCopilotSandbox } from '../../src/sandbox/index.ts';
import { DAY, NOON } from '../e2e/harness.ts';
import { readPage } from '../e2e/page.ts';
import { startPassing } from '../e2e/rewriting.ts';
import type { Json } from '../sandbox/asking.ts';
import { waitFor } from '../support/wait-for.ts';
import { createPrograms, type Program, written } from '../system/programs.ts';
import { createMachineClock } from './machine-clock.ts';

const CLASSIC = { authorization: 'Bearer sandbox-acme-classic' };
const DATASETS = ['activity', 'productivity', 'tokens', 'users'];
const BILL = '/organizations/acme-org/settings/billing/ai_credit/usage';
const REPORTS = '/orgs/acme-org/copilot/metrics/reports';
const REVISED = '2026-11-16';
/** How many of the newest days may be without a report or a bill that still comes. */
const AWAITED_DAYS = 5;

const programs = createPrograms();

/** The service on a simulated GitHub Copilot, and a clock that both have. */
async function startYear() {
  const clock = createMachineClock(NOON);
  const sandbox = createCopilotSandbox({ now: clock.now, users: 12 });
  const { url } = await sandbox.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => sandbox.close());
  const front: { answer(request: IncomingMessage, response: ServerResponse): void } = {
    answer: sandbox.handler,
  };
  const asked = await startPassing(async (request, response) => front.answer(request, response));
  const folder = programs.folder();
  const file = join(folder, 'c.yml');
  await writeFile(
    file,
    [
      `orgs: [{name: octo, platform: copilot, account: acme-org, base_url: "${asked}", link_hosts: [127.0.0.1], api_key_env: KEY}]`,
      'collectors: {users: {enabled: true}}',
      'history: {start: 2025-11-01}',
      `storage: {path: "${join(folder, 'history.db')}"}`,
      'api: {requests_per_second: 1000}',
    ].join('\n'),
  );
  const run = (command: string, ...flags: readonly string[]) =>
    programs.exporter([command, `--config.file=${file}`, ...flags], {
      KEY: 'sandbox-acme-full',
      NODE_OPTIONS: clock.nodeArgument,
    });
  /** What GitHub itself says. */
  async function ask(path: string): Promise<Json> {
    const answer = await fetch(url + path, { headers: CLASSIC });
    return answer.status === 204 ? {} : ((await answer.json()) as Json);
  }
  return {
    clock,
    sandbox,
    front,
    serve: () => run('serve', '--web.listen-address=127.0.0.1:0'),
    /** A closed month from the store, and what is said of it. */
    async exported(month: string, collectors: readonly string[], ...flags: readonly string[]) {
      const chosen = collectors.map((name) => `--collector=${name}`);
      const program = run('export', `--month=${month}`, ...chosen, ...flags);
      const { code } = await program.ended;
      const rows: readonly Record<string, string>[] = parse(program.stdout(), { bom: true, columns: true });
      const known = (name: string) => rows.filter((row) => row[name] !== '');
      return { said: [code, ...program.stderr().matchAll(/^unknown: .*$/gm)].map(String), rows, known };
    },
    ask,
    /** The rows behind the link of a report; none if there is no such report. */
    async rowsOf(report: string): Promise<readonly Json[]> {
      const { download_links: links } = await ask(`${REPORTS}/${report}`);
      const [link] = (links ?? []) as readonly string[];
      if (link === undefined) return [];
      const text = await (await fetch(link)).text();
      const lines = text.split('\n').filter(Boolean);
      return lines.map((line) => JSON.parse(line) as Json);
    },
  };
}

/** Resolves once each collector has run to its end, and no day is unknown but those that may still come. */
async function settled(program: Program): Promise<void> {
  const port = await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/);
  await waitFor(
    async () => {
      const page = readPage(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
      const succeeded = page.by('collector', 'agent_platform_exporter_collector_success');
      expect(DATASETS.map((name) => succeeded[name])).toEqual(DATASETS.map(() => 1));
      const uncovered = page.by('dataset', 'agent_platform_history_uncovered');
      for (const name of DATASETS) expect(uncovered[name]).toBeLessThanOrEqual(AWAITED_DAYS);
    },
    { log: program.stderr },
  );
}

/** What is said of a day on which nobody worked. */
function idleOn(day: Day): Json {
  const pulls = { total_created_by_copilot: 0 };
  return {
    ...{ day, daily_active_users: 0, loc_added_sum: 0, pull_requests: pulls },
    code_generation_activity_count: 0,
  };
}

async function killed(program: Program): Promise<void> {
  program.send('SIGKILL');
  expect(await program.ended).toEqual({ code: null, signal: 'SIGKILL' });
}

test('a year, kept by a service that is killed, over a revision and the close of a month, is that of the bill and of the reports', async () => {
  const { clock, sandbox, front, serve, exported, ask, rowsOf } = await startYear();
  let requests = 0;
  front.answer = (request, response) => {
    requests += 1;
    if (requests < 300) sandbox.handler(request, response);
    else first.send('SIGKILL');
  };
  const first = serve();
  expect(await first.ended, first.stderr()).toEqual({ code: null, signal: 'SIGKILL' });
  front.answer = sandbox.handler;
  const second = serve();
  await settled(second);
  await killed(second);

  sandbox.reviseDay(REVISED);
  clock.pass(DAY);
  const third = serve();
  await settled(third);
  for (const dataset of DATASETS)
    expect(third.stderr()).toMatch(new RegExp(`Known days revised.*dataset=${dataset} .*${REVISED}`));
  await killed(third);

  // In the end, all days of November are final.
  const later: Program[] = [];
  for (const days of [6, 6, 5]) {
    clock.pass(days * DAY);
    const program = serve();
    later.push(program);
    await settled(program);
    program.send('SIGTERM');
    expect(await program.ended, program.stderr()).toEqual({ code: 0, signal: null });
  }
  for (const program of [first, second, third, ...later])
    expect(program.stderr()).not.toMatch(/level=(warn|error)/);

  // From here on, everything comes from the store.
  requests = 0;
  front.answer = (request) => {
    requests += 1;
    request.destroy();
  };
  const [money, reports] = [['tokens', 'spend'] as const, ['activity', 'productivity'] as const];
  const december = await exported('2025-12', money);
  const october = await exported('2026-10', money);
  const november = await exported('2026-11', [...money, ...reports]);
  const summary = await exported('last', money, '--by=month');
  for (const { said } of [december, october, november, summary]) expect(said).toEqual(['0']);
  // There are reports since 2025-12-12.
  expect((await exported('2025-12', reports)).said).toEqual([
    '1',
    ...reports.map((name) => `unknown: octo/${name} on 11 days, 2025-12-01 to 2025-12-11`),
  ]);
  expect(requests).toBe(0);

  const months = { '2025-12': december, '2026-10': october, '2026-11': november };
  for (const [month, { known }] of Object.entries(months)) {
    // The bill of a month, which the service never asks for.
    const [year, number] = month.split('-').map(Number);
    const { usageItems } = await ask(`${BILL}?year=${year}&month=${number}`);
    const of = (field: string) =>
      (usageItems as readonly Json[]).reduce((sum, item) => sum + Number(item[field]), 0);
    const total = (name: string) => known(name).reduce((sum, row) => sum + Number(row[name]), 0);
    expect(total('daily_credits')).toBeCloseTo(of('grossQuantity'), 4);
    expect(total('daily_cost')).toBeCloseTo(of('grossAmount'), 6);
    expect(total('daily_billed_cost')).toBeCloseTo(of('netAmount'), 6);
    if (month !== '2026-11') continue;
    expect(Number(summary.rows[0]?.['credits'])).toBeCloseTo(of('grossQuantity'), 4);
    expect(Number(summary.rows[0]?.['cost'])).toBeCloseTo(of('grossAmount'), 6);
  }
  expect(october.known('daily_billed_cost').some((row) => Number(row['daily_billed_cost']) > 0)).toBe(true);
  expect(december.known('daily_credits')[0]?.['day']).toBe('2025-12-01');

  // Each day's own report, and the four weeks in one file.
  const totals = (await rowsOf('organization-28-day/latest'))
    .flatMap((report) => report['day_totals'] as readonly Json[])
    .filter(({ day }) => String(day).startsWith('2026-11'));
  expect(totals.length).toBeGreaterThan(14);
  const days = daysFrom('2026-11-01' as Day, '2026-11-30' as Day);
  const single = await Promise.all(
    days.map(async (day) => (await rowsOf(`organization-1-day?day=${day}`))[0] ?? idleOn(day)),
  );
  for (const total of [...single, ...totals]) {
    const figure = (name: string, labels: Readonly<Record<string, string>> = {}) =>
      november
        .known(name)
        .filter(({ day }) => day === total['day'])
        .filter((row) => Object.entries(labels).every(([label, value]) => row[label] === value))
        .map((row) => Number(row[name]));
    expect(figure('daily_active_users')).toEqual([total['daily_active_users']]);
    expect(figure('daily_suggestions', { outcome: 'shown' })).toEqual([
      total['code_generation_activity_count'],
    ]);
    expect(figure('daily_lines', { action: 'added' })).toEqual([total['loc_added_sum']]);
    const pulls = total['pull_requests'] as Json;
    expect(figure('daily_git_pull_requests_created')).toEqual([pulls['total_created_by_copilot']]);
  }
});
