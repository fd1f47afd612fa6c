import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPage } from '../../e2e/page.ts';
import { waitFor } from '../../support/wait-for.ts';
import { chosen, during, panelQueries } from '../dashboard-queries.ts';
import { startPlatform } from '../platform.ts';
import { createPrograms, written } from '../programs.ts';
import { startPrometheus } from '../prometheus-server.ts';
import { requireTool } from '../tools.ts';
import { usePostgres } from './server.ts';

const TOKEN = 'a-token-of-the-senders';
const ORGS = ['acme', 'globex'] as const;
/** Seconds after the kill that are looked at; scrapes are a second apart. */
const AFTER_S = 8;

const server = usePostgres();
const programs = createPrograms();

describe.runIf(requireTool('prometheus'))('a Prometheus that scrapes all replicas', () => {
  test('has no gap in any query of the dashboards but those about runs when the leader is killed', async () => {
    const platform = await startPlatform(programs, ['--orgs=2', '--users=5', '--repos=2', '--days=20']);
    const database = await server.database();
    const config = join(programs.folder(), 'config.yaml');
    const orgs = ORGS.map(
      (name) => `  - {name: ${name}, base_url: "${platform.url}", api_key_env: KEY_${name.toUpperCase()}}`,
    );
    writeFileSync(config, `orgs:\n${orgs.join('\n')}\napi: {requests_per_second: 200}\n`);
    const exporters = await Promise.all(
      [1, 2, 3].map(async () => {
        const program = programs.exporter(
          ['serve', `--config.file=${config}`, '--web.listen-address=127.0.0.1:0'],
          {
            AGENT_PLATFORM_STORAGE_URL: database,
            AGENT_PLATFORM_HOOKS_TOKEN: TOKEN,
            ...Object.fromEntries(ORGS.map((org) => [`KEY_${org.toUpperCase()}`, `sandbox-${org}-owner`])),
          },
        );
        const port = await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/);
        return { program, target: `127.0.0.1:${port}` };
      }),
    );
    for (const { target } of exporters) {
      await waitFor(async () => expect((await fetch(`http://${target}/-/ready`)).status).toBe(200));
    }
    const killed = await waitFor(async () => {
      for (const exporter of exporters) {
        const page = readPage(await (await fetch(`http://${exporter.target}/metrics`)).text());
        if (page.value('agent_platform_exporter_leader') === 1) return exporter;
      }
      throw new Error('nobody leads');
    });
    const tsdb = programs.folder();
    const target = exporters.map((exporter) => exporter.target).join("','");
    const prometheus = await startPrometheus(programs, { tsdb, target, lookback: '4s' });
    const count = async (query: string) => (await prometheus.instant(query)).length;
    await waitFor(async () => expect(await count('up == 1')).toBe(3));
    let sent = 0;
    async function send(to: string): Promise<void> {
      sent += 1;
      const event = { id: `event-${sent}`, hook_event_name: 'Notification', session_id: `session-${sent}` };
      const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ events: [{ ...event, occurred_at: Date.now() }] });
      const response = await fetch(`http://${to}/hooks/events`, { method: 'POST', headers, body });
      expect(response.status).toBe(202);
    }
    for (const exporter of exporters) await send(exporter.target);
    const counted = 'agent_platform_hook_events_total{event="Notification"} == 3';
    await waitFor(async () => expect(await count(counted)).toBe(3));
    // Rates need two samples of everything.
    await waitFor(async () =>
      expect(await count('count_over_time(agent_platform_hook_sessions_waiting[1m]) > 4')).toBe(3),
    );

    const from = Math.floor(Date.now() / 1000);
    killed.program.send('SIGKILL');
    await waitFor(async () => expect(await count(`up{instance="${killed.target}"} == 0`)).toBe(1));
    await waitFor(async () =>
      expect(await count(`vector(1) and on () (vector(time()) > ${from + AFTER_S})`)).toBe(1),
    );

    // A busy machine may miss scrapes of the others too, which is no gap of theirs.
    const others = `count(up{instance!="${killed.target}"} == 1)`;
    const scraped = await prometheus.range(others, from, from + AFTER_S, 1);
    const expected = scraped.flatMap(({ values }) => values.map(([second]) => second));
    expect(expected.length).toBeGreaterThan(AFTER_S / 2);

    const over = (query: string) => during(chosen(query, '1m'), { from, to: from + AFTER_S });
    let answered = 0;
    const gaps: string[] = [];
    for (const { where, target: panel } of panelQueries()) {
      // Nobody knows whether the runs of the dead leader are still under way.
      if (panel.expr.includes('agent_platform_exporter_collector_')) continue;
      const series = await prometheus.range(over(panel.expr), from, from + AFTER_S, 1);
      const stepsOf = (one: (typeof series)[number]) => new Set(one.values.map(([second]) => second));
      const steps = new Set(series.flatMap((one) => [...stepsOf(one)]));
      if (!steps.has(expected[0] ?? from)) continue;
      answered += 1;
      // A process's own figures end with it; all others go on, under the same labels.
      const ofProcess = series.some(({ labels }) => 'instance' in labels);
      const ended = ofProcess
        ? []
        : series.filter((one) => expected.some((second) => !stepsOf(one).has(second)));
      if (expected.some((second) => !steps.has(second)) || ended.length > 0)
        gaps.push(`${where}: ${[...steps].join()} of ${expected.join()}, ${ended.length} series with gaps`);
    }
    expect(gaps).toEqual([]);
    expect(answered).toBeGreaterThan(60);
    // Replicas are not added up, neither before nor after.
    const waiting = panelQueries().find(({ where }) => where.includes('usage.json “Sessions waiting” A'));
    const sessions = await prometheus.range(over(waiting?.target.expr ?? ''), from, from + AFTER_S, 1);
    const seen = sessions.flatMap(({ values }) =>
      values.flatMap(([second, value]) => (expected.includes(second) ? [value] : [])),
    );
    expect(seen).toEqual(expected.map(() => 3));
  });
});
