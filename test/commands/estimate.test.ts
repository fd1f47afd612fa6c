import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { collectors } from '../../src/collectors/index.ts';
import type { OrgEstimate } from '../../src/commands/estimate/org.ts';
import { run } from '../../src/commands/estimate.ts';
import { estimateOptions } from '../../src/config/command-options.ts';
import { createOptions } from '../../src/config/options.ts';
import { createCopilotSandbox } from '../../src/sandbox/index.ts';
import { createContext, createEmptyShardContext, startPlatform } from './surroundings.ts';

// A Wednesday: on a Monday the newest day is a Sunday, on which few people are active.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 18, 12) }));
afterEach(() => void vi.useRealTimers());

const TEAMS = `"*": web\n${[1, 2, 3, 4, 5].map((id) => `u${id}: web\n`).join('')}credits_per_month: {web: 5}\n`;

function estimate(url: string, args: readonly string[], file = '{}') {
  const context = createContext(
    { ...createOptions(collectors), ...estimateOptions },
    [
      '--config.file=c.yml',
      `--api.base-url=${url}`,
      '--api.requests-per-second=1000',
      '--api.retries=0',
      ...args,
    ],
    { AGENT_PLATFORM_API_KEY: 'sandbox-acme-owner' },
    { 'c.yml': file, 'teams.yaml': TEAMS },
  );
  return { ...context, run: () => run(context.context) };
}

test('the series of each collector and label are listed, for each identification setting', async () => {
  const { url } = await startPlatform();
  const whole = estimate(url, ['--json']);
  expect(await whole.run()).toBe(0);
  const [org]: OrgEstimate[] = JSON.parse(whole.stdout()).organizations;
  const users = org?.collectors.filter(({ collector }) => collector === 'users') ?? [];
  expect(users.map(({ identity, configured }) => [identity, configured])).toEqual([
    ['none', false],
    ['hash', false],
    ['id', false],
    ['email', false],
  ]);
  const [none, hash, id] = users;
  const people = id?.labels.find(({ label }) => label === 'user');
  expect(none?.labels.some(({ label }) => label === 'user')).toBe(false);
  expect(people?.values).toBeGreaterThan(10);
  expect(hash?.series).toBe(id?.series);
  // Two of the 13 per-user families have two parts each.
  expect(people?.series).toBeLessThanOrEqual(15 * (people?.values ?? 0));
  expect(id?.series).toBe((none?.series ?? 0) + (people?.series ?? 0));
  const configured = org?.collectors.filter((one) => one.configured) ?? [];
  expect(configured.map(({ collector }) => collector)).not.toContain('users');
  expect(org?.series).toBe(configured.reduce((sum, { series }) => sum + series, 0));
  for (const { series } of configured) expect(series).toBeGreaterThan(0);
  expect(whole.stderr()).not.toContain('set aside');
});

test('the months of teams with a budget count as if they were known', async () => {
  const { url } = await startPlatform();
  const args = ['--json', '--collector.users', '--teams.file=teams.yaml'];
  const whole = estimate(url, args);
  const less = estimate(url, [...args, '--metrics.exclude=agent_platform_team_*']);
  for (const one of [whole, less]) expect(await one.run()).toBe(0);
  const [all, excluded] = [whole, less].map((one) => {
    const [org]: OrgEstimate[] = JSON.parse(one.stdout()).organizations;
    return org?.collectors.find(({ identity }) => identity === 'none');
  });
  expect(excluded?.leftOut.map(({ family, series }) => [family, series])).toEqual([
    ['agent_platform_team_credits_month_to_date', 1],
    ['agent_platform_team_credits_month_forecast', 1],
    ['agent_platform_team_credits_month_forecast_lower', 1],
    ['agent_platform_team_credits_month_forecast_upper', 1],
    ['agent_platform_team_credits_month_budget_exceeded_probability', 1],
    ['agent_platform_team_credits_month_budget', 1],
  ]);
  expect((all?.series ?? 0) - (excluded?.series ?? 0)).toBe(6);
});

test('limits count, and collectors that run are distinguished from those that do not', async () => {
  const { url } = await startPlatform();
  const file =
    'limits: {values_per_label: {user: 10, tool: 3}, series: 600}\ncollectors: {users: {enabled: true}}\n';
  const limited = estimate(url, ['--users.identity=id'], file);
  expect(await limited.run()).toBe(0);
  const table = limited.stdout();
  expect(table).toMatch(/^Organization default, at most 600 series$/m);
  expect(table).toMatch(/^ {2}tool +\d\d +4 +\d\d +4$/m);
  expect(table).toMatch(/^users, identity id +\d+ +\d+$/m);
  expect(table).toMatch(/^users, identity hash \(off\)/m);
  expect(Number(/^as configured +\d+ +(\d+)$/m.exec(table)?.[1])).toBeLessThanOrEqual(600);
});

test('what the configuration leaves out is listed with the series that it saves', async () => {
  const { url } = await startPlatform();
  const file = "metrics: {exclude: ['agent_platform_daily_tool_calls_by_tool']}\n";
  const whole = estimate(url, ['--json']);
  const less = estimate(url, ['--json'], file);
  const counts = estimate(url, ['--json'], 'readiness: {criterion_counts: true}\n');
  for (const one of [whole, less, counts]) expect(await one.run()).toBe(0);
  const [all, excluded, counted] = [whole, less, counts].map((one): OrgEstimate | undefined => {
    const [org]: OrgEstimate[] = JSON.parse(one.stdout()).organizations;
    return org;
  });
  const seriesOf = (org: OrgEstimate | undefined, name: string) =>
    org?.collectors.find(({ collector }) => collector === name)?.series ?? 0;
  const leftOutOf = (org: OrgEstimate | undefined, name: string) =>
    org?.collectors.find(({ collector }) => collector === name)?.leftOut ?? [];
  const [tool] = leftOutOf(excluded, 'tools');
  expect(tool).toMatchObject({
    family: 'agent_platform_daily_tool_calls_by_tool',
    setting: 'metrics.exclude',
  });
  expect(seriesOf(excluded, 'tools')).toBe(seriesOf(all, 'tools') - (tool?.series ?? 0));
  const readiness = leftOutOf(all, 'readiness');
  expect(readiness.map(({ setting }) => setting)).toEqual([
    'readiness.criterion_counts',
    'readiness.criterion_counts',
  ]);
  const saved = readiness.reduce((sum, { series }) => sum + series, 0);
  expect(seriesOf(counted, 'readiness') - seriesOf(all, 'readiness')).toBe(saved);
  const table = estimate(url, [], file);
  await table.run();
  expect(table.stdout()).toContain(`without agent_platform_daily_tool_calls_by_tool (metrics.exclude)`);
});

test('a collector that fails is named, and the exit code is 1', async () => {
  const { platform, url } = await startPlatform();
  platform.setFaults(['repeated-cursor']);
  const broken = estimate(url, []);
  expect(await broken.run()).toBe(1);
  expect(broken.stdout()).toMatch(/^users, identity none \(failed\)/m);
  expect(broken.stderr()).toContain('failed: default/users');
});

test('a shard without an organization has nothing to estimate, and says so', async () => {
  const { context, stderr } = createEmptyShardContext(estimateOptions);
  expect(await run(context)).toBe(0);
  expect(stderr()).toContain('level=warn msg="This shard has no organization"');
});

test('the people of a platform that is late, after days on which nobody worked, are those of the newest day with some', async () => {
  // A Monday after a holiday on Thursday, of a platform whose reports come after two days.
  vi.setSystemTime(Date.UTC(2026, 10, 30, 7));
  const sandbox = createCopilotSandbox({ now: Date.now, users: 10 });
  const { url } = await sandbox.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => sandbox.close());
  const place = `platform: copilot, account: acme-org, base_url: "${url}", link_hosts: ["127.0.0.1"]`;
  const context = createContext(
    { ...createOptions(collectors), ...estimateOptions },
    ['--config.file=c.yml', '--api.requests-per-second=1000', '--json'],
    { KEY: 'sandbox-acme-full' },
    { 'c.yml': `orgs: [{name: octo, ${place}, api_key_env: KEY}]` },
  );
  expect(await run(context.context)).toBe(0);
  const [octo]: OrgEstimate[] = JSON.parse(context.stdout()).organizations;
  const people = octo?.collectors.find(({ identity }) => identity === 'id');
  expect(people?.labels.find(({ label }) => label === 'user')?.values).toBeGreaterThan(0);
});
