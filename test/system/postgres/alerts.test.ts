import { describe, expect, test } from 'vitest';
import { defaultSettings, rulesDocument } from '../../../alerts/src/index.ts';
import { waitFor } from '../../support/wait-for.ts';
import { LOOKBACK_STEP, startAlerting } from '../alerting.ts';
import { createPrograms } from '../programs.ts';
import { requireTool } from '../tools.ts';
import { type Replica, startAskedPlatform, startReplica } from './replicas.ts';
import { usePostgres } from './server.ts';

const server = usePostgres();
const programs = createPrograms();

/** The rules with other durations: they fire at once and do not keep firing. */
const rules = rulesDocument({
  ...defaultSettings,
  duration: (_said, use) => ({ for: '0s', keep_firing_for: '0s', step: LOOKBACK_STEP })[use],
});

describe.runIf(requireTool('prometheus'))('a Prometheus that scrapes all replicas', () => {
  test('is told what the new leader finds, whatever the dead one found last, and whatever followers do not know', async () => {
    let rejects = true;
    const platform = await startAskedPlatform({ orgs: 1, users: 3, repos: 1 }, (_request, response, next) => {
      if (!rejects) return next();
      response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
    });
    const environment = { AGENT_PLATFORM_STORAGE_URL: await server.database() };
    const start = () => startReplica(programs, platform, { start: '2026-11-01', rate: 200, environment });
    const replicas = await Promise.all([start(), start(), start()]);
    const leaderAmong = (some: readonly Replica[]) =>
      waitFor(async () => {
        for (const replica of some) if (await replica.leads()) return replica;
        throw new Error('nobody leads');
      });
    const prometheus = await startAlerting(programs, { rules, targets: replicas.map(({ url }) => url) });
    async function firing(): Promise<readonly string[]> {
      const answer = await fetch(`${prometheus}/api/v1/alerts`);
      const { data } = (await answer.json()) as {
        data: { alerts: { labels: { alertname: string }; state: string }[] };
      };
      return data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname);
    }
    const isRejected = async (is: boolean) =>
      waitFor(async () =>
        expect((await firing()).includes('AgentPlatformKeyRejected'), (await firing()).join()).toBe(is),
      );

    // Two followers without a figure about runs silence nothing.
    const first = await leaderAmong(replicas);
    await isRejected(true);
    rejects = false;
    first.program.send('SIGKILL');
    const second = await leaderAmong(replicas.filter((replica) => replica !== first));
    // Nor does the figure of the dead leader keep an alert.
    await isRejected(false);
    rejects = true;
    second.program.send('SIGKILL');
    await leaderAmong(replicas.filter((replica) => replica !== first && replica !== second));
    // The last figures of the dead leader were good.
    await isRejected(true);
    expect(await firing()).not.toContain('AgentPlatformExporterDown');
  });
});
