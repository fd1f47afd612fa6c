import { beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../../test/support/wait-for.ts';
import { exampleWith, startAlertmanager } from '../../../test/system/alerting.ts';
import { createPrograms } from '../../../test/system/programs.ts';
import { type Receiver, startReceiver } from '../../../test/system/receiver.ts';
import { findTool } from '../../../test/system/tools.ts';
import type { Episode } from './episodes.ts';
import { messagesOf } from './notifications.ts';

const alertmanager = findTool(['prometheus-alertmanager', 'alertmanager']);

/** One after the other: an alert that begins or ends, and the messages to wait for. */
const STORY: readonly (readonly ['begins' | 'ends', keyof typeof ALERTS, messages: number])[] = [
  ['begins', 'failing', 1],
  ['begins', 'stale', 0],
  ['begins', 'spike', 1],
  ['begins', 'projected', 1],
  // The cause takes the place of its effects.
  ['begins', 'exceeded', 1],
  ['begins', 'projectedNext', 1],
  ['begins', 'otherSpike', 1],
  ['begins', 'drop', 1],
  // A second one of a group comes with the first.
  ['begins', 'otherFailing', 1],
  // Its effect is told now.
  ['ends', 'failing', 2],
  ['begins', 'rejected', 1],
  ['begins', 'thirdFailing', 0],
  ['begins', 'otherDrop', 1],
];

const ALERTS = {
  failing: { alert: 'CollectionFailing', severity: 'warning', labels: { org: 'acme', collector: 'tokens' } },
  otherFailing: {
    alert: 'CollectionFailing',
    severity: 'warning',
    labels: { org: 'acme', collector: 'tools' },
  },
  thirdFailing: {
    alert: 'CollectionFailing',
    severity: 'warning',
    labels: { org: 'acme', collector: 'wiki' },
  },
  stale: {
    alert: 'DataStale',
    severity: 'warning',
    labels: { org: 'acme', dataset: 'tokens', collector: 'tokens' },
  },
  spike: { alert: 'CreditSpike', severity: 'warning', labels: { org: 'acme' } },
  otherSpike: { alert: 'CreditSpike', severity: 'warning', labels: { org: 'globex' } },
  projected: { alert: 'BudgetProjectedOver', severity: 'warning', labels: { org: 'acme', month: '2026-05' } },
  exceeded: { alert: 'BudgetExceeded', severity: 'warning', labels: { org: 'acme', month: '2026-05' } },
  projectedNext: {
    alert: 'BudgetProjectedOver',
    severity: 'warning',
    labels: { org: 'acme', month: '2026-06' },
  },
  drop: { alert: 'ReadinessDropped', severity: 'warning', labels: { org: 'acme', repo: 'app' } },
  otherDrop: { alert: 'ReadinessDropped', severity: 'warning', labels: { org: 'acme', repo: 'web' } },
  rejected: { alert: 'KeyRejected', severity: 'critical', labels: { org: 'acme', reason: 'auth' } },
} as const;

/** What fires according to a message, in an order of its own. */
function said(
  alerts: readonly { readonly alert: string; readonly labels: Readonly<Record<string, string>> }[],
) {
  return alerts
    .map(({ alert, labels }) => `${alert} ${JSON.stringify(Object.entries(labels).sort())}`)
    .sort();
}

describe.runIf(alertmanager)('the model of Alertmanager', () => {
  const programs = createPrograms();
  let receiver: Receiver;
  let url = '';

  beforeAll(async () => {
    receiver = await startReceiver();
    url = await startAlertmanager(programs, alertmanager ?? '', receiver.url);
    await waitFor(async () => expect((await fetch(`${url}/-/ready`)).ok).toBe(true));
  });

  function received() {
    return receiver.messages.map((alerts) =>
      said(
        alerts
          .filter(({ status }) => status === 'firing')
          .map(({ labels: { alertname = '', severity: _, ...labels } }) => ({
            alert: alertname.replace('AgentPlatform', ''),
            labels,
          })),
      ),
    );
  }

  async function send(
    what: 'begins' | 'ends',
    { alert, severity, labels }: (typeof ALERTS)['spike' | 'failing'],
  ) {
    const now = new Date().toISOString();
    const body = [
      {
        labels: { alertname: `AgentPlatform${alert}`, severity, ...labels },
        ...(what === 'begins' ? { startsAt: now } : { endsAt: now }),
      },
    ];
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(`${url}/api/v2/alerts`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(answer.ok).toBe(true);
  }

  test('sends what a real one sends', async () => {
    for (const [what, name, expected] of STORY) {
      const before = receiver.messages.length;
      await send(what, ALERTS[name] as (typeof ALERTS)['spike']);
      await waitFor(() => expect(receiver.messages.length).toBeGreaterThanOrEqual(before + expected));
    }
    const end = 100 * STORY.length;
    const at = (what: 'begins' | 'ends', name: string) =>
      STORY.findIndex(([kind, of]) => kind === what && of === name);
    const episodes = Object.entries(ALERTS).map(([name, alert]): Episode => {
      const ends = at('ends', name);
      return { ...alert, from: 100 * at('begins', name), until: ends === -1 ? end : 100 * ends };
    });
    const modelled = messagesOf(await exampleWith(receiver.url), episodes)
      .filter(({ at: sent }) => sent < end)
      .toSorted((one, other) => one.at - other.at)
      .map(({ firing }) => said(firing));
    expect(modelled.length).toBeGreaterThan(8);
    await waitFor(() =>
      expect(
        received()
          .filter((alerts) => alerts.length > 0)
          .toSorted(),
      ).toEqual(modelled.toSorted()),
    );
  });
});
