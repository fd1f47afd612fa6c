import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { composeSettings, rulesDocument } from '../../alerts/src/index.ts';
import { ownMetrics } from '../../src/exposition/own-metrics.ts';
import { waitFor } from '../support/wait-for.ts';
import { LOOKBACK_STEP, startAlerting, startAlertmanager } from './alerting.ts';
import { startPlatform, startServe } from './platform.ts';
import { createPrograms, type Program } from './programs.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { findTool, requireTool } from './tools.ts';

const RUNBOOK = new URL('../../docs/runbook.md', import.meta.url);
const alertmanager = findTool(['prometheus-alertmanager', 'alertmanager']);

/** The rules with other durations: they fire at once and keep firing for as long as the test takes. */
const rules = rulesDocument({
  ...composeSettings,
  duration: (_said, use) => ({ for: '0s', keep_firing_for: '1h', step: LOOKBACK_STEP })[use],
});

interface KnownAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly status: { readonly state: string; readonly inhibitedBy: readonly string[] };
  readonly fingerprint: string;
}

describe.runIf(requireTool('prometheus') && alertmanager)('alerts, from the platform to the receiver', () => {
  const programs = createPrograms();
  let platform = '';
  let exporter: { readonly program: Program; readonly url: string };
  let receiver: Receiver;
  let manager = '';
  let prometheus = '';

  async function known(): Promise<readonly KnownAlert[]> {
    return (await (await fetch(`${manager}/api/v2/alerts`)).json()) as readonly KnownAlert[];
  }
  async function prometheusFinds(expression: string): Promise<void> {
    const answer = await fetch(`${prometheus}/api/v1/query?query=${encodeURIComponent(expression)}`);
    const { data } = (await answer.json()) as { data: { result: readonly unknown[] } };
    expect(data.result).not.toEqual([]);
  }
  function received(name: string, status: string) {
    return receiver.alerts.filter((alert) => alert.labels['alertname'] === name && alert.status === status);
  }

  beforeAll(async () => {
    receiver = await startReceiver();
    const scenarios = ['--scenario=credit-spike', '--scenario=readiness-drop'];
    platform = (await startPlatform(programs, scenarios)).url;
    exporter = await startServe(programs, platform);
    manager = await startAlertmanager(programs, alertmanager ?? '', receiver.url);
    prometheus = await startAlerting(programs, { rules, targets: [exporter.url], alertmanager: manager });
  });

  test('a credit spike arrives, with its day and its runbook', async () => {
    await waitFor(() => expect(received('AgentPlatformCreditSpike', 'firing')).not.toEqual([]));
    const [spike] = received('AgentPlatformCreditSpike', 'firing');
    const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
    expect(spike?.labels).toEqual({
      alertname: 'AgentPlatformCreditSpike',
      org: 'acme',
      severity: 'warning',
    });
    expect(spike?.annotations['description']).toMatch(
      new RegExp(
        `^Organization acme used [\\d.]+ Mil credits(?: \\([\\d.]+ USD\\))? on ${yesterday}\\. Its weekday usually uses [\\d.]+(?: K| Mil)? credits, and up to [\\d.]+ Mil are not unusual\\. What rose since the four weeks before: [a-z ]+ \\(\\d+%\\)(?:, [a-z ]+ \\(\\d+%\\)){0,2}\\. Models behind the rise: \\S+ \\(\\d+%\\)(?:, \\S+ \\(\\d+%\\)){0,2}\\.$`,
      ),
    );
    expect(spike?.annotations['dashboard_url']).toBe(
      'http://localhost:3000/d/ape-credits?viewPanel=201&var-org=acme',
    );
    expect(spike?.annotations['runbook_url']).toMatch(/runbook\.md#agentplatformcreditspike$/);
  });

  test('a readiness drop arrives, for its repository', async () => {
    // Others may have dropped a little too; the one made to drop most dropped by more than ten points. Its newest report
    // may be of any repository. Criteria are named where each is at least a twentieth of the drop.
    const large =
      /^The readiness of (?:github\.com|gitlab\.example\.com)\/acme\/\S+ \(organization acme\) fell by \d\d[\d.]* percentage points to [\d.]+% with the report of \d{4}-\d\d-\d\d\. Given the noise of its earlier reports, [\d.]+% or more would not count as a drop\.(?: Criteria behind the drop: \S+ \(\d+%\)(?:, \S+ \(\d+%\)){0,2}\.)?$/;
    await waitFor(() => {
      const texts = received('AgentPlatformReadinessDropped', 'firing').map(
        ({ annotations }) => annotations['description'],
      );
      expect(texts).toContainEqual(expect.stringMatching(large));
    });
    const [drop] = received('AgentPlatformReadinessDropped', 'firing');
    expect(Object.keys(drop?.labels ?? {}).sort()).toEqual(['alertname', 'org', 'repo', 'severity']);
  });

  test('nothing that works alerts', async () => {
    const names = new Set((await known()).map(({ labels }) => labels['alertname'] ?? ''));
    for (const name of names) expect(name).toMatch(/^AgentPlatform(CreditSpike|Readiness\w+)$/);
  });

  test('a missing exporter alerts, and silences the other alerts of its organization', async () => {
    // Until it is known to be scraped more often than every five minutes, it counts as there for longer.
    await waitFor(() =>
      prometheusFinds(`max_over_time(count_over_time(${ownMetrics.buildInfo.name}[5m])[25m:1m]) > 1`),
    );
    const before = receiver.alerts.length;
    exporter.program.send('SIGKILL');
    await exporter.program.ended;
    await waitFor(() => expect(received('AgentPlatformExporterDown', 'firing')).not.toEqual([]));
    await waitFor(async () => {
      const alerts = await known();
      const down = alerts.find(({ labels }) => labels['alertname'] === 'AgentPlatformExporterDown');
      const others = alerts.filter(({ labels }) => labels['org'] === 'acme' && labels !== down?.labels);
      expect(others.map(({ labels }) => labels['alertname'])).toEqual(
        expect.arrayContaining(['AgentPlatformCreditSpike', 'AgentPlatformReadinessDropped']),
      );
      for (const { status } of others) {
        expect(status).toMatchObject({ state: 'suppressed' });
        expect(status.inhibitedBy).toContain(down?.fingerprint);
      }
      expect(down?.status.state).toBe('active');
    });
    const told = receiver.alerts.slice(before).filter(({ status }) => status === 'firing');
    expect(new Set(told.map(({ labels }) => labels['alertname']))).toEqual(
      new Set(['AgentPlatformExporterDown']),
    );
  });

  test('the runbook finds a missing exporter while it is missing', async () => {
    const [, section = ''] = (await readFile(RUNBOOK, 'utf8')).split('## AgentPlatformExporterDown\n');
    const [, queries = ''] = /```promql\n([^`]+)```/.exec(section) ?? [];
    const lines = queries.trim().split('\n');
    expect(lines).toHaveLength(2);
    // This exporter was up for seconds.
    for (const line of lines) await prometheusFinds(line.replace(':1m]', ':1s]'));
  });

  test('a returning exporter is reported, and earlier alerts are not repeated', async () => {
    await startServe(programs, platform, [], Number(new URL(exporter.url).port));
    await waitFor(() => expect(received('AgentPlatformExporterDown', 'resolved')).not.toEqual([]));
    await waitFor(async () => {
      const spike = (await known()).find(({ labels }) => labels['alertname'] === 'AgentPlatformCreditSpike');
      expect(spike?.status.state).toBe('active');
    });
    expect(received('AgentPlatformCreditSpike', 'firing')).toHaveLength(1);
    expect(received('AgentPlatformCreditSpike', 'resolved')).toEqual([]);
  });
});
