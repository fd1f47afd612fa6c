import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { defaultSettings, rulesDocument, type ThresholdName } from '../../alerts/src/index.ts';
import { waitFor } from '../support/wait-for.ts';
import { LOOKBACK_STEP, startAlerting } from './alerting.ts';
import { startFaultyPlatform } from './platform.ts';
import { createPrograms, written } from './programs.ts';
import { requireTool } from './tools.ts';

const TOKEN = 'a-token-of-hook-senders';

/** Thresholds that no test could wait for are lowered. */
const soon: Partial<Record<ThresholdName, string>> = {
  rejectedRecords: '0',
  dataStaleHours: '1',
  readinessOldDays: '1',
  sessionsWaiting: '2',
};
const rules = rulesDocument({
  ...defaultSettings,
  threshold: (name) => soon[name] ?? defaultSettings.threshold(name),
  duration: (_said, use) => ({ for: '0s', keep_firing_for: '1h', step: LOOKBACK_STEP })[use],
});

interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly state: string;
}

describe.runIf(requireTool('prometheus'))('an exporter with many problems', () => {
  const programs = createPrograms();
  let exporter = '';
  let prometheus = '';

  beforeAll(async () => {
    // Of so many people somebody is active every day. With productivity failing, nothing else would tell a day without rows from
    // a late one, and the month to date would be absent.
    const platform = await startFaultyPlatform(programs, [
      ...['--orgs=2', '--users=250', '--scenario=credit-spike', '--scenario=readiness-drop'],
      ...['--fault=401@wiki@org=acme', '--fault=500=1@productivity@org=acme'],
      ...['--fault=429=1:1@activity@org=globex', '--fault=bad-rows=0.5@tools@org=acme'],
    ]);
    const folder = programs.folder();
    const config = join(folder, 'config.yaml');
    // A file in place of a directory: nothing can be stored below it.
    await writeFile(join(folder, 'file'), '');
    await writeFile(
      config,
      `orgs:
  - {name: acme, base_url: '${platform}', api_key_env: ACME_KEY, budget: {credits_per_month: 1000}}
storage: {path: ':memory:'}
limits: {values_per_label: {default: 200, tool: 5, repo: 5000}, series: 1500}
readiness: {criterion_counts: true}
api: {retries: 0, requests_per_second: 200}
`,
    );
    exporter = await startExporter(['--web.enable-lifecycle', `--config.file=${config}`], {
      ACME_KEY: 'sandbox-acme-owner',
    });
    // Events are only accepted if they can be stored.
    const other = await startExporter(['--org=globex', `--api.base-url=${platform}`], {
      AGENT_PLATFORM_API_KEY: 'sandbox-globex-owner',
      AGENT_PLATFORM_HOOKS_TOKEN: TOKEN,
    });
    // Without its file it publishes no figures.
    const broken = await startExporter(
      ['--org=globex', `--api.base-url=${platform}`, `--storage.path=${join(folder, 'file', 'history.db')}`],
      { AGENT_PLATFORM_API_KEY: 'sandbox-globex-owner' },
    );
    prometheus = await startAlerting(programs, { rules, targets: [exporter, other, broken] });
    await waitFor(async () => expect(await firing()).not.toEqual([]));
    await writeFile(config, 'orgs: [{name: acme}]\n');
    expect((await fetch(`${exporter}/-/reload`, { method: 'POST' })).ok).toBe(false);
    expect((await notifyOfWaiting(other)).status).toBe(202);
  });

  async function startExporter(args: readonly string[], environment: Readonly<Record<string, string>>) {
    const program = programs.exporter(['serve', '--web.listen-address=127.0.0.1:0', ...args], environment);
    return `http://127.0.0.1:${await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/)}`;
  }

  async function rejected(): Promise<number> {
    const page = await (await fetch(`${exporter}/metrics`)).text();
    return Number(
      /^agent_platform_exporter_records_rejected_total\{org="acme",dataset="tools"\} (\d+)$/m.exec(page)?.[1],
    );
  }

  async function raises(name: string, labels: Readonly<Record<string, string>>): Promise<void> {
    await waitFor(async () => {
      const alerts = (await firing()).filter((alert) => alert.labels['alertname'] === `AgentPlatform${name}`);
      expect(alerts).toContainEqual(expect.objectContaining({ labels: expect.objectContaining(labels) }));
      for (const { annotations } of alerts)
        expect(annotations['description']).not.toMatch(/<no value>|error|NaN/i);
    });
  }

  async function notifyOfWaiting(url: string): Promise<Response> {
    const events = ['one', 'two', 'three'].map((session) => ({
      id: `event-${session}`,
      hook_event_name: 'Notification',
      session_id: session,
      occurred_at: Date.now(),
    }));
    return await fetch(`${url}/hooks/events`, {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify({ events }),
    });
  }

  async function firing(): Promise<readonly Alert[]> {
    const answer = (await (await fetch(`${prometheus}/api/v1/alerts`)).json()) as {
      data: { alerts: readonly Alert[] };
    };
    return answer.data.alerts.filter(({ state }) => state === 'firing');
  }

  test.each([
    ['KeyRejected', { org: 'acme', reason: 'auth' }],
    ['CollectionFailing', { org: 'acme', collector: 'productivity' }],
    ['Throttled', { org: 'globex' }],
    ['ValuesFolded', { org: 'acme', metric: 'agent_platform_daily_tool_calls_by_tool' }],
    ['FamiliesDropped', { org: 'acme', collector: 'readiness' }],
    // Bad rows have fields of another kind of answer.
    ['ContractChanged', { org: 'acme', dataset: 'tools' }],
    ['HistoryNotPersistent', { job: 'agent-platform' }],
    ['ConfigReloadFailed', { job: 'agent-platform' }],
    ['SessionsWaiting', { job: 'agent-platform' }],
    ['DataStale', { org: 'acme', dataset: 'tokens' }],
    ['CreditSpike', { org: 'acme' }],
    ['BudgetExceeded', { org: 'acme' }],
    ['ReadinessDropped', { org: 'acme' }],
    ['ReadinessReportOld', { org: 'acme' }],
  ])('raises %s', raises);

  test('raises RecordsRejected', async () => {
    // Rejections before the first scrape were not an increase, so the days are fetched again.
    const before = await rejected();
    await waitFor(async () => {
      expect((await fetch(`${exporter}/-/refresh`, { method: 'POST' })).ok).toBe(true);
      expect(await rejected()).toBeGreaterThan(before);
    });
    await raises('RecordsRejected', { org: 'acme', dataset: 'tools' });
  });

  test('raises nothing else', async () => {
    const names = new Set((await firing()).map(({ labels }) => labels['alertname']));
    expect(names.size).toBe(15);
  });
});
