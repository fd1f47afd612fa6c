import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { addDays, type Day, daysFrom } from '../../src/catalog/day.ts';
import type { OrgConfig } from '../../src/config/config.ts';
import { platformNamed } from '../../src/platforms/index.ts';
import { otherDay } from '../support/other-platform.ts';
import { OTHER_KEY, startOtherPlatform } from '../support/other-server.ts';
import { configOf, NOON, startStory } from './harness.ts';
import { runHere } from './here.ts';

vi.mock('../../src/platforms/list.ts', () => import('../support/other-list.ts'));

const today = new Date(NOON).toISOString().slice(0, 10) as Day;
const yesterday = addDays(today, -1);

/** The cost of some days in USD, computed from what the platform has. */
function costOf(days: Iterable<Day>): number {
  const cents = [...days].flatMap((day) => Object.values(otherDay(day).cents));
  return Math.round(cents.reduce((sum, one) => sum + one * 1_000, 0)) / 100_000;
}

/** A configuration file with an organization on the other platform, whose clock stands still. */
async function configured(more = ''): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'other-platform-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const url = await startOtherPlatform(() => NOON);
  const file = join(folder, 'c.yml');
  await writeFile(
    file,
    [
      `orgs: [{name: octo, platform: other, account: octo, base_url: "${url}", api_key_env: KEY${more}}]`,
      `history: {start: ${addDays(today, -80)}}`,
      `storage: {path: "${join(folder, 'history.db')}"}`,
      'api: {requests_per_second: 1000}',
    ].join('\n'),
  );
  return file;
}

const run = (command: string, file: string, ...flags: readonly string[]) =>
  runHere([command, `--config.file=${file}`, ...flags], { KEY: OTHER_KEY });

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: NOON }));
afterEach(() => void vi.useRealTimers());

test('the page has what the platform has, in money, and nothing of the rest', async () => {
  const { code, stdout, stderr } = await run('once', await configured());
  expect({ code, stderr: stderr.match(/level=(warn|error).*/g) }).toEqual({ code: 0, stderr: null });
  const value = (name: string) => new RegExp(`^agent_platform_${name} (.*)$`, 'm').exec(stdout)?.[1];
  expect(value('org_info{org="octo",org_id="other:127.0.0.1:octo",platform="other"}')).toBe('1');
  expect(Number(value('daily_cost{org="octo",currency="USD"}'))).toBeCloseTo(costOf([yesterday]), 6);
  expect(value('seats{org="octo"}')).toBe('12');
  expect(value('daily_git_pull_requests_merged{org="octo"}')).toBe(String(otherDay(yesterday).merged));
  expect(stdout).toMatch(/^agent_platform_daily_cost_expected\{org="octo",currency="USD"\} /m);
  expect(stdout).not.toMatch(/^agent_platform_(?!exporter)\w*credits/m);
  expect(stdout).not.toMatch(/dataset="(tools|users|readiness|wiki)"/);
  expect(stdout).not.toMatch(/collector="(tools|users|readiness|wiki)"/);
});

test('commands know what the platform has', async () => {
  const file = await configured(', seats: 20, budget: {amount: 20000, currency: USD}');
  expect((await run('check-config', file)).stdout).toContain('Other Agents');
  const doctor = await run('doctor', file, '--web.listen-address=127.0.0.1:0');
  expect(doctor.stdout).toContain('the key is accepted, of other:127.0.0.1:octo');
  expect(doctor.stdout).not.toMatch(/octo: (readiness|wiki|tools)/);
  const estimate = await run('estimate', file, '--json');
  const sized = [...estimate.stdout.matchAll(/"collector": "(\w+)"/g)].map(([, name]) => name);
  expect(new Set(sized)).toEqual(new Set(['tokens', 'spend', 'activity', 'productivity']));
  const first = addDays(yesterday, -9);
  const csv = await run('export', file, `--from=${first}`, `--to=${yesterday}`);
  expect(csv.code).toBe(0);
  const rows: readonly Record<string, string>[] = parse(csv.stdout, { bom: true, columns: true });
  const exported = rows.reduce((sum, row) => sum + Number(row['cost'] ?? row['daily_cost'] ?? 0), 0);
  expect(exported).toBeCloseTo(costOf(daysFrom(first, yesterday)), 2);
  const focus = await run('export', file, '--format=focus', `--from=${first}`, `--to=${yesterday}`);
  expect(focus.stderr).toMatch(/^provisional: \d+ rows of octo, which its platform may revise until /m);
  expect(focus.stdout).toContain('reported by the platform; seat fees not included');
  const past = await run('backfill', file, `--from=${first}`, `--to=${yesterday}`, `--output=${file}.past`);
  expect([past.code, past.stderr]).toEqual([0, expect.anything()]);
  for (const command of ['report', 'explain']) {
    const told = await run(command, file);
    expect([command, told.code]).toEqual([command, 0]);
    expect(told.stderr.split('\n').filter((line) => line && !line.includes('12'))).toEqual([]);
    expect(told.stderr).toContain('20 seats are configured, the platform reports 12');
    expect(told.stdout).toMatch(/USD/);
    expect(told.stdout).not.toMatch(/credits/i);
  }
});

test('a month is exported before its money is final, and says which rows may still change', async () => {
  const file = await configured();
  const to = addDays(yesterday, -20);
  for (const flags of [[], ['--layout=tidy'], ['--by=month']]) {
    const { code, stdout, stderr } = await run(
      'export',
      file,
      `--from=${addDays(to, -20)}`,
      `--to=${to}`,
      ...flags,
    );
    expect(code).toBe(0);
    const rows: readonly Record<string, string>[] = parse(stdout, { bom: true, columns: true });
    expect(Object.keys(rows[0] ?? {}).slice(-2)).toEqual(['provisional', 'platform']);
    expect(new Set(rows.map(({ platform }) => platform))).toEqual(new Set(['other']));
    const dayOf = (row: Readonly<Record<string, string>>) => row['day'] ?? row['period_end'] ?? '';
    for (const row of rows) expect(row['provisional']).toBe(String(dayOf(row) > addDays(today, -31)));
    const changing = rows.filter(({ provisional }) => provisional === 'true');
    expect(changing.length).toBeGreaterThan(0);
    expect(stderr).toContain(
      `provisional: ${changing.length} rows of octo, which its platform may revise until ${addDays(to, 31)}\n`,
    );
  }
});

test('what the platform does not have is refused by both names', async () => {
  for (const [more, message] of [
    [', app_url: "https://w.example"', 'app_url is given, but the platform other has none'],
    [', prices: []', 'prices is given, but the platform other has none'],
    [', kind: console', 'kind is given, but the platform other has none'],
    [', budget: {credits_per_month: 5}', 'the platform other counts no credits: give an amount'],
    [', budget: {amount: 5, currency: EUR}', 'the platform other reports its cost in USD'],
  ] as const) {
    const { code, stderr } = await run('check-config', await configured(more));
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    expect(stderr).toContain('c.yml:1');
  }
});

test('a command leaves out what another platform of the same name has stored', async () => {
  const file = await configured();
  const text = (await readFile(file, 'utf8')).replace('name: octo', 'name: acme');
  await writeFile(file, text);
  const [, path = ''] = /path: "(.*)"/.exec(text) ?? [];
  vi.useRealTimers();
  const story = await startStory({ only: ['acme'], flags: [`storage.path=${path}`] });
  await story.poll();
  await story.stop();
  vi.useFakeTimers({ toFake: ['Date'], now: NOON });
  const { code, stdout, stderr } = await run('export', file, '--layout=tidy', `--from=${yesterday}`);
  expect(stderr).toContain('history of the former one set aside');
  expect([code, stdout.match(/^.*(credits|tool_calls).*$/gm)]).toEqual([0, null]);
  expect(stdout).toContain(',acme,agent_platform_daily_cost,');
});

test('the service has no series of a dataset that the platform lacks', async () => {
  const url = await startOtherPlatform(() => NOON);
  const story = await startStory({
    async load(platform) {
      const config = await configOf(platform, url, { only: ['acme'] });
      const [acme] = config.orgs;
      if (acme === undefined) throw new Error('acme is configured');
      return { ...config, orgs: [onOther(acme, url)] };
    },
  });
  await story.poll();
  const text = await (await story.get('/metrics')).text();
  expect(text).toContain('dataset="tokens"');
  expect(text).not.toMatch(/(dataset|collector|endpoint)="(tools|users|readiness|wiki)"/);
});

test('an organization on one platform cannot have the identifier of one on another', async () => {
  const file = await configured();
  const org =
    '{name: acme, base_url: "http://127.0.0.1:1", api_key_env: KEY, org_id: " other:127.0.0.1:octo"}';
  await writeFile(file, `orgs: [${org}]`);
  const { code, stderr } = await run('check-config', file);
  expect([code, stderr]).toEqual([2, expect.stringContaining('org_id is an identifier on another platform')]);
});

test('a platform without an address is refused, also beside the organizations of a file', async () => {
  const { code, stderr } = await run('check-config', await configured(), '--api.platform=other');
  expect([code, stderr]).toEqual([2, expect.stringContaining('--api.platform is set, but no API address')]);
});

test('another platform of the same name sets the history aside, also where no identifier was known', async () => {
  const url = await startOtherPlatform(() => story.clock.now());
  const story = await startStory({ only: ['acme'], rewrite: withoutIdentity });
  const before = (await story.page()).value('agent_platform_daily_credits');
  const info = async () => (await story.page()).platform('acme').filter((line) => line.includes('org_info'));
  expect(await info()).toEqual(['agent_platform_org_info{org="acme",org_id="",platform="agent-platform"} 1']);
  expect(before).toBeGreaterThan(0);

  await story.reload((config) => {
    const [acme] = config.orgs;
    if (acme === undefined) throw new Error('acme is configured');
    return { ...config, orgs: [onOther(acme, url)] };
  });
  await story.poll();
  const page = await story.page();
  expect(page.platform('acme').filter((line) => /credits/.test(line))).toEqual([]);
  expect(page.value('agent_platform_daily_cost', { currency: 'USD' })).toBeCloseTo(costOf([yesterday]), 6);
  expect(story.logged('history of the former one set aside')).toHaveLength(1);

  await story.reload((config) => config);
  await story.poll();
  expect((await story.page()).value('agent_platform_daily_credits')).toBe(before);
  expect((await story.page()).platform('acme').filter((line) => /daily_cost\b/.test(line))).toEqual([]);
});

/** The organization on the other platform. */
function onOther(acme: OrgConfig, url: string): OrgConfig {
  const credential = { ...acme.credential, read: async () => OTHER_KEY };
  const elsewhere = { baseUrl: url, appUrl: url, account: 'octo', orgId: 'other:127.0.0.1:octo' };
  return { ...acme, ...elsewhere, platform: platformNamed('other'), credential };
}

/** The answers of a platform that does not say whose they are. */
function withoutIdentity(answered: unknown): unknown {
  if (typeof answered !== 'object' || answered === null || !('meta' in answered)) return answered;
  const { meta, ...rest } = answered;
  return { ...rest, meta: { ...(meta as object), org_id: undefined } };
}
