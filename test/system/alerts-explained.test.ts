import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultSettings, rulesDocument } from '../../alerts/src/index.ts';
import { waitFor } from '../support/wait-for.ts';
import { LOOKBACK_STEP, startAlerting, startAlertmanager } from './alerting.ts';
import { createPrograms } from './programs.ts';
import { makeBlocks } from './prometheus-server.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { findTool, requireTool } from './tools.ts';

const alertmanager = findTool(['prometheus-alertmanager', 'alertmanager']);
const rules = rulesDocument({
  ...defaultSettings,
  duration: (_said, use) => ({ for: '0s', keep_firing_for: '1h', step: LOOKBACK_STEP })[use],
});

const DAY_S = 86_400;
/** What a query, a template or a chat could misread. */
const ORG = 'ac"me {{ .Labels }} \\';
const STOP = '"} or vector(1) # <!channel>';
const now = Math.floor(Date.now() / 1000);
/** The newest day: in the middle of a month, whatever today is. */
const newestDay = Date.UTC(2026, 4, 14) / 1000;

type Labels = Readonly<Record<string, string>>;
type Line = readonly [name: string, labels: Labels, value: number];

/** The figures that are served when a day is the newest one, some days before the last. */
function figures(daysBefore: number): readonly Line[] {
  const isNew = daysBefore < 7;
  const isSpike = daysBefore === 0;
  const perModel: readonly (readonly [string, number, number, number])[] = [
    [STOP, 5e6, isNew ? 0.6 : 0, 0.1],
    ['claude', 4e6, isNew ? 0.3 : 0.9, 0.7],
    ['haiku', 1e6, isNew ? 0.1 : 0.1, 0.2],
  ];
  return [
    ...['tokens', 'activity', 'users'].map(
      (dataset): Line => ['data_day_timestamp_seconds', { dataset }, newestDay - daysBefore * DAY_S],
    ),
    ['daily_credits', {}, isSpike ? 40e6 : 10e6],
    ['daily_credits_expected', {}, 10e6],
    ['daily_credits_expected_upper', {}, 20e6],
    ['credits_trailing_7d', {}, 126e6],
    ['credits_month_budget', {}, 300e6],
    ['credits_month_to_date', {}, 100e6],
    ['credits_month_forecast', {}, 310e6],
    ['daily_active_users_mean_7d', {}, 40],
    ['daily_credits_by_team', { team: 'Zürich' }, isSpike ? 32e6 : 3e6],
    ['daily_credits_by_team', { team: 'Web' }, isSpike ? 8e6 : 3e6],
    ['credits_by_team_sum_7d_baseline', { team: 'Zürich' }, 21e6],
    ['credits_by_team_sum_7d_baseline', { team: 'Web' }, 21e6],
    ...perModel.flatMap(([model, week, share, baseline]): readonly Line[] => [
      ['credits_by_model_sum_7d', { model, tier: 'standard' }, model === STOP ? 12e6 : week],
      ['credits_by_model_sum_7d_baseline', { model, tier: 'standard' }, week],
      ['credits_share_by_model', { model, tier: 'standard' }, share],
      ['credits_share_by_model_baseline', { model, tier: 'standard' }, baseline],
    ]),
  ];
}

/** The organization whose platform counts no credits: the same figures in dollars, of which a credit costs 0.0001. */
const MONEY_ORG = 'anna';

function moneyFigures(daysBefore: number): readonly Line[] {
  const inMoney = figures(daysBefore).map(([name, labels, value]): Line => {
    if (!name.includes('credits')) return [name, labels, value];
    const isShare = name.includes('share');
    return [
      name.replace('credits', 'cost').replace('trailing', 'sum'),
      { ...labels, currency: 'USD' },
      isShare ? value : value / 10_000,
    ];
  });
  return [...inMoney, ['org_info', { org_id: 'claude:anna', platform: 'claude' }, 1]];
}

/** A report, with the ratio of each criterion now and before; those that are the same have no former series. */
function report(
  createdAt: number,
  ratio: number,
  criteria: Readonly<Record<string, readonly [now: number, before: number]>>,
): readonly Line[] {
  const repo = { repo: 'github.com/acme/app' };
  return [
    ['readiness_report_timestamp_seconds', repo, createdAt],
    ['readiness_ratio', repo, ratio],
    ['readiness_ratio_previous', repo, 0.8],
    ['readiness_ratio_lower', repo, 0.7],
    ...Object.entries(criteria).map(
      ([criterion, [value]]): Line => ['readiness_criterion_ratio', { ...repo, criterion }, value],
    ),
    ...Object.entries(criteria)
      .filter(([, [value, before]]) => value !== before)
      .map(
        ([criterion, [, before]]): Line => [
          'readiness_criterion_ratio_previous',
          { ...repo, criterion },
          before,
        ],
      ),
  ];
}

function written(lines: readonly Line[], common: Labels = {}, at = ''): string {
  const quoted = (value: string) =>
    `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
  return lines
    .map(([name, labels, value]) => {
      const all = Object.entries({ org: ORG, ...common, ...labels });
      return `agent_platform_${name}{${all.map(([label, of]) => `${label}=${quoted(of)}`).join(',')}} ${value}${at}\n`;
    })
    .join('');
}

describe.runIf(requireTool('prometheus') && alertmanager)('a notification', () => {
  const programs = createPrograms();
  let receiver: Receiver;
  const criteria = { lint: [0.5, 1], unit_tests: [0, 1], docs: [0.4, 0.4] } as const;
  const page =
    written([...figures(0), ...report(now, 0.6, criteria)]) + written(moneyFigures(0), { org: MONEY_ORG });
  const target = createServer((_request, response) => {
    response.setHeader('content-type', 'text/plain; version=0.0.4').end(page);
  });
  afterAll(() => {
    target.close();
    target.closeAllConnections();
  });

  async function history(url: string): Promise<string> {
    const folder = join(programs.folder(), 'history');
    await mkdir(folder);
    const common = { job: 'agent-platform', instance: new URL(url).host };
    const hours = Array.from({ length: 15 * 24 }, (_, index) => 15 * 24 - index + 1);
    // A family's samples stand together.
    const byFamily = new Map<string, string[]>();
    for (const ago of hours) {
      const at = (Math.floor(now / 3600) - ago) * 3600;
      const daysBefore = Math.floor((now - at) / DAY_S);
      const add = (line: Line, org: string) => {
        const text = written([line], { ...common, org }, ` ${at}`);
        byFamily.set(line[0], [...(byFamily.get(line[0]) ?? []), text]);
      };
      for (const line of figures(daysBefore)) add(line, ORG);
      for (const line of moneyFigures(daysBefore)) add(line, MONEY_ORG);
    }
    const families = [...byFamily].map(
      ([name, lines]) => `# TYPE agent_platform_${name} gauge\n${lines.join('')}`,
    );
    await writeFile(join(folder, 'history.om'), `${families.join('')}# EOF\n`);
    return await makeBlocks(programs, folder);
  }

  beforeAll(async () => {
    receiver = await startReceiver();
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
    await startAlerting(programs, {
      rules,
      targets: [url],
      alertmanager: await startAlertmanager(programs, alertmanager ?? '', receiver.url),
      tsdb: await history(url),
    });
  });

  async function description(name: string, org: string): Promise<string | undefined> {
    const firing = () =>
      receiver.alerts.filter(
        ({ labels, status }) =>
          labels['alertname'] === `AgentPlatform${name}` && labels['org'] === org && status === 'firing',
      );
    await waitFor(() => expect(firing()).not.toEqual([]));
    return firing()[0]?.annotations['description'];
  }

  // 0.6 of 40 million less 0.1 of 10 million are 23 of 30 million, and so on; each team is expected to use 5 million.
  const ofUse = [
    [
      'CreditSpike',
      ' Models behind the rise: "} or vector(1) # !channel (77%), claude (17%), haiku (7%). Teams behind the rise: Zürich (90%), Web (10%).',
    ],
    ['NewModelShare', ' Share lost by: claude (80%), haiku (20%).'],
    ['BudgetProjectedOver', ' Models behind the rise within a week: "} or vector(1) # !channel (100%).'],
  ] as const;
  test.each([
    ...ofUse.flatMap(([name, sentence]) => [ORG, MONEY_ORG].map((org) => [name, org, sentence] as const)),
    ['ReadinessDropped', ORG, ' Criteria behind the drop: unit_tests (67%), lint (33%).'] as const,
  ])('of %s about %s says what accounts for most of the change', async (name, org, sentence) => {
    const text = (await description(name, org)) ?? '';
    expect(text).toContain(sentence);
    expect(text).toContain(org);
    if (org === MONEY_ORG) expect(text).not.toContain('credit');
    // Readable on a pager, as one line.
    expect(text).not.toMatch(/[\n\r]|<error|<no value>/);
    expect(text.length).toBeLessThan(500);
  });
});
