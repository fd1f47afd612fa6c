import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { stringify } from 'yaml';
import { createPrograms } from './programs.ts';
import { requireTool } from './tools.ts';

vi.mock('../../src/platforms/list.ts', async (original) => {
  const { platforms } = await original<typeof import('../../src/platforms/list.ts')>();
  const { otherPlatform } = await import('../support/other-platform.ts');
  const slow = { tokens: { readyWithin: 60, lateDays: 5 } };
  return { platforms: [...platforms, { ...otherPlatform, days: slow }] };
});

const { defaultSettings, rulesDocument } = await import('../../alerts/src/index.ts');
const { recordingDocument } = await import('../../dashboards/src/recording-rules.ts');

const DAY_S = 86_400;
const target = (org: string) => `job="ape",instance="a",org="${org}"`;
const platformOf = (org: string, platform: string) => ({
  series: `agent_platform_org_info{${target(org)},org_id="1",platform="${platform}"}`,
  values: '1x240',
});
const dayOf = (org: string, values: string) => ({
  series: `agent_platform_data_day_timestamp_seconds{${target(org)},dataset="tokens"}`,
  values,
});

/** A day's cost of an organization on the other platform, whose bound is half of it; the floor is 1 000. */
function spike(org: string, cost: number) {
  const money = `{${target(org)},currency="USD"}`;
  return [
    platformOf(org, 'other'),
    dayOf(org, `${DAY_S}x240`),
    { series: `agent_platform_daily_cost${money}`, values: `${cost}x240` },
    { series: `agent_platform_daily_cost_expected_upper${money}`, values: `${cost / 2}x240` },
  ];
}

const firing = (name: string, labels: string) =>
  `ALERTS{alertname="AgentPlatform${name}",alertstate="firing",severity="warning",${labels}}`;

describe.runIf(requireTool('promtool'))('rules for a list with a platform of money and late days', () => {
  const programs = createPrograms();

  async function run(...args: readonly string[]) {
    const { code, stdout, stderr } = await programs.run('promtool', args);
    expect([code, stderr], stdout).toEqual([0, '']);
  }

  test.each([
    ['alerts', rulesDocument(defaultSettings)],
    ['recording rules', recordingDocument()],
  ])('are valid: %s', async (_name, rules) => {
    const file = join(programs.folder(), 'rules.yaml');
    await writeFile(file, rules);
    await run('check', 'rules', '--lint=all', '--lint-fatal', file);
  });

  test('say after how many hours the days of each platform are stale', () => {
    expect(rulesDocument(defaultSettings)).toMatch(/174\{\{ else \}\}126(?:\{\{ end \}\})+ h at most/);
  });

  test('leave out days below the floor of the platform, and wait for its late rows', async () => {
    const folder = programs.folder();
    await writeFile(join(folder, 'rules.yaml'), rulesDocument(defaultSettings));
    const asked = (name: string, at: string, ...labels: readonly string[]) => ({
      expr: `ALERTS{alertname="AgentPlatform${name}",alertstate="firing"}`,
      eval_time: at,
      exp_samples: labels.map((own) => ({ labels: firing(name, own), value: 1 })),
    });
    const ofTokens = (org: string) => `org="${org}",dataset="tokens",collector="tokens"`;
    const spikes = {
      name: 'spikes',
      interval: '1h',
      input_series: [...spike('large', 1_200), ...spike('small', 900)],
      promql_expr_test: [asked('CreditSpike', '5h', 'org="large"')],
    };
    const stale = {
      name: 'stale',
      interval: '1h',
      input_series: [platformOf('late', 'other'), dayOf('late', '0x240'), dayOf('acme', '0x240')],
      promql_expr_test: [
        asked('DataStale', '125h'),
        asked('DataStale', '130h', ofTokens('acme')),
        asked('DataStale', '173h', ofTokens('acme')),
        asked('DataStale', '178h', ofTokens('acme'), ofTokens('late')),
      ],
    };
    const document = { rule_files: ['rules.yaml'], evaluation_interval: '1h', tests: [spikes, stale] };
    await writeFile(join(folder, 'test.yaml'), stringify(document));
    await run('test', 'rules', join(folder, 'test.yaml'));
  });
});
