import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { createCopilotSandbox } from '../../src/sandbox/index.ts';
import { DAY, NOON } from '../e2e/harness.ts';
import { runHere } from '../e2e/here.ts';
import type { Json } from '../sandbox/asking.ts';

const CLASSIC = { authorization: 'Bearer sandbox-acme-classic' };

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOON }));
afterEach(() => void vi.useRealTimers());

test('a year, kept over the end of the process, is that of the bill and of the reports', async () => {
  const sandbox = createCopilotSandbox({ now: Date.now, users: 12 });
  const { url } = await sandbox.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => sandbox.close());
  const folder = await mkdtemp(join(tmpdir(), 'copilot-year-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'c.yml');
  await writeFile(
    file,
    [
      `orgs: [{name: octo, platform: copilot, account: acme-org, base_url: "${url}", link_hosts: [127.0.0.1], api_key_env: KEY}]`,
      'history: {start: 2025-11-01}',
      `storage: {path: "${join(folder, 'history.db')}"}`,
      'api: {requests_per_second: 1000}',
    ].join('\n'),
  );
  const run = (command: string, ...flags: readonly string[]) =>
    runHere([command, `--config.file=${file}`, ...flags], { KEY: 'sandbox-acme-full' });
  const ask = async (path: string) => (await (await fetch(url + path, { headers: CLASSIC })).json()) as Json;

  const first = await run('once');
  expect([first.code, first.stderr.match(/level=(warn|error).*/g)]).toEqual([0, null]);
  sandbox.reviseDay('2026-11-16');
  vi.setSystemTime(NOON + DAY);
  expect((await run('once')).code).toBe(0);

  const exported = async (from: string, to: string) => {
    const { code, stdout } = await run('export', `--from=${from}`, `--to=${to}`);
    const rows: readonly Record<string, string>[] = parse(stdout, { bom: true, columns: true });
    return { code, rows, known: (name: string) => rows.filter((row) => row[name] !== '') };
  };
  const winter = await exported('2025-12-01', '2025-12-31');
  const october = await exported('2026-10-01', '2026-10-31');
  for (const [month, { known }] of [
    ['2025-12', winter],
    ['2026-10', october],
  ] as const) {
    // The bill of a month, which the service never asks for.
    const [year, number] = month.split('-').map(Number);
    const path = '/organizations/acme-org/settings/billing/ai_credit/usage';
    const { usageItems } = await ask(`${path}?year=${year}&month=${number}`);
    const of = (field: string) =>
      (usageItems as readonly Json[]).reduce((sum, item) => sum + Number(item[field]), 0);
    const total = (name: string) => known(name).reduce((sum, row) => sum + Number(row[name]), 0);
    expect(total('daily_credits')).toBeCloseTo(of('grossQuantity'), 4);
    expect(total('daily_cost')).toBeCloseTo(of('grossAmount'), 6);
    expect(total('daily_billed_cost')).toBeCloseTo(of('netAmount'), 6);
  }
  expect(october.known('daily_billed_cost').some((row) => Number(row['daily_billed_cost']) > 0)).toBe(true);
  const days = (rows: readonly Record<string, string>[]) => rows.map(({ day }) => day);
  expect(days(winter.known('daily_active_users'))[0]).toBe('2025-12-12');
  expect(days(winter.known('daily_credits'))[0]).toBe('2025-12-01');

  // Four weeks in one file, which the service never asks for.
  const november = await exported('2026-10-22', '2026-11-18');
  const report = await ask('/orgs/acme-org/copilot/metrics/reports/organization-28-day/latest');
  const [link = ''] = report['download_links'] as readonly string[];
  const { day_totals: totals } = (await (await fetch(link)).json()) as { day_totals: readonly Json[] };
  expect(totals.length).toBeGreaterThan(18);
  for (const total of totals) {
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
    const requests = total['pull_requests'] as Json;
    expect(figure('daily_git_pull_requests_created')).toEqual([requests['total_created_by_copilot']]);
  }
});
