import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../bench/programs.ts';
import { collectors } from '../../src/collectors/index.ts';
import { ABSENT_WITHOUT_CONTRACT } from '../e2e/golden/absent.ts';
import { readPage } from '../e2e/page.ts';
import { waitFor } from '../support/wait-for.ts';
import { settledPage, startPlatform, startServe } from './platform.ts';
import { createPrograms, type Program } from './programs.ts';
import { requireTool } from './tools.ts';

const UNCOVERED = 'agent_platform_history_uncovered';
/** So many people that somebody works on every day: of an idle one, shares and people by client are rightly absent. */
const MANY = ['--users=250'];
const SUCCESS = 'agent_platform_exporter_collector_success';

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

describe.runIf(requireTool('prometheus'))('Prometheus', () => {
  const programs = createPrograms();
  let exporter = '';
  let prometheus = '';
  let platform: { program: Program; port: number };

  async function get(path: string): Promise<unknown> {
    return ((await (await fetch(`${prometheus}/api/v1/${path}`)).json()) as { data: unknown }).data;
  }
  async function query(expression: string): Promise<readonly Series[]> {
    const data = await get(`query?query=${encodeURIComponent(expression)}`);
    return (data as { result: readonly Series[] }).result;
  }
  async function values(expression: string): Promise<readonly number[]> {
    return (await query(expression)).map(({ value }) => Number(value[1]));
  }
  async function refresh(): Promise<void> {
    expect((await fetch(`${exporter}/-/refresh`, { method: 'POST' })).ok).toBe(true);
  }

  beforeAll(async () => {
    const simulated = await startPlatform(programs, MANY);
    platform = simulated;
    const folder = programs.folder();
    const settings = join(folder, 'settings.yaml');
    await writeFile(settings, 'readiness: {criterion_counts: true}\n');
    const args = ['--web.enable-lifecycle', '--api.retries=0', `--config.file=${settings}`];
    exporter = (await startServe(programs, simulated.url, args)).url;
    const file = join(folder, 'prometheus.yml');
    const target = new URL(exporter).host;
    await writeFile(
      file,
      `global: {scrape_interval: 1s, scrape_timeout: 1s}
scrape_configs:
  - job_name: agent-platform
    static_configs: [{targets: ['${target}']}]
`,
    );
    const port = await freePort();
    prometheus = `http://127.0.0.1:${port}`;
    programs.start('prometheus', [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ]);
    await waitFor(async () => expect(await values('up')).toEqual([1]));
    const page = await settledPage(exporter);
    const uncovered = Object.values(page.by('dataset', UNCOVERED)).toSorted();
    await waitFor(async () => {
      expect(await values(SUCCESS)).toEqual([1, 1, 1, 1, 1, 1]);
      expect((await values(UNCOVERED)).toSorted()).toEqual(uncovered);
    });
  });

  test('scrapes without an error, in OpenMetrics', async () => {
    // A scrape cut short by a busy machine is followed by another.
    await waitFor(async () => {
      const targets = (await get('targets')) as { activeTargets: { health: string; lastError: string }[] };
      expect(targets.activeTargets).toMatchObject([{ health: 'up', lastError: '' }]);
    });
    const accept =
      'application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1';
    const { headers } = await fetch(`${exporter}/metrics`, { headers: { accept } });
    expect(headers.get('content-type')).toMatch(/^application\/openmetrics-text/);
    expect(headers.get('content-encoding')).toBe('gzip');
  });

  test('can be queried for every declared family', async () => {
    const found = await query('group by (__name__) ({__name__=~"agent_platform_.+"})');
    const names = new Set(found.map(({ metric }) => metric['__name__']));
    const declared = collectors
      .filter(({ enabledByDefault }) => enabledByDefault)
      .flatMap(({ families }) => families);
    const missing = declared.map(({ name }) => name).filter((name) => !names.has(name));
    expect(
      missing.filter((name) => !ABSENT_WITHOUT_CONTRACT.some(({ family }) => family.test(name))),
    ).toEqual([]);
    expect(names).toContain('agent_platform_data_day_timestamp_seconds');
    expect(names).toContain('agent_platform_exporter_build_info');
  });

  test('knows each family’s help and type', async () => {
    const metadata = (await get('metadata')) as Record<string, readonly { type: string; help: string }[]>;
    expect(metadata['agent_platform_daily_credits']).toMatchObject([
      { type: 'gauge', help: 'Standard Credits consumed on the newest complete UTC day.' },
    ]);
    // OpenMetrics names a counter without its suffix.
    expect(metadata['agent_platform_exporter_api_requests']).toMatchObject([{ type: 'counter' }]);
  });

  test('has the page’s own values', async () => {
    // A scrape cut short by a busy machine leaves nothing at its timestamp.
    await waitFor(async () => {
      const page = readPage(await (await fetch(`${exporter}/metrics`)).text());
      const stored = await query(
        '{__name__=~"agent_platform_(daily|readiness|wiki|credits|weekly|monthly)_.+"}',
      );
      expect(stored.length).toBeGreaterThan(2_000);
      const read = stored.map(({ metric, value }) => {
        const { __name__: name = '', instance: _instance, job: _job, ...labels } = metric;
        return [
          JSON.stringify([
            name,
            ...Object.entries(labels)
              .filter(([, text]) => text !== '')
              .sort(),
          ]),
          Number(value[1]),
        ] as const;
      });
      const served = page.samples
        .filter(({ name }) => /^agent_platform_(daily|readiness|wiki|credits|weekly|monthly)_/.test(name))
        .map(({ name, labels, value }) => {
          const known = [...labels].filter(([, text]) => text !== '').sort();
          return [JSON.stringify([name, ...known]), Number(value)] as const;
        });
      expect(new Map(read)).toEqual(new Map(served));
    });
  });

  test('keeps seeing the last values while the platform is unreachable, and the exporter recovers by itself', async () => {
    const before = await waitFor(async () => {
      const credits = await values('agent_platform_daily_credits');
      expect(credits).toHaveLength(1);
      return credits;
    });
    platform.program.send('SIGTERM');
    await platform.program.ended;
    await refresh();
    await waitFor(async () => expect(await values(SUCCESS)).toEqual([0, 0, 0, 0, 0, 0]));
    await waitFor(async () => {
      const failing = 'agent_platform_exporter_collector_failing{reason="network"} == 1';
      expect(await values(failing)).toHaveLength(6);
      expect(await values('agent_platform_daily_credits')).toEqual(before);
      expect(await values('up')).toEqual([1]);
    });

    platform = await startPlatform(programs, MANY, platform.port);
    await refresh();
    await waitFor(async () => expect(await values(SUCCESS)).toEqual([1, 1, 1, 1, 1, 1]));
    await waitFor(async () => {
      expect(await values('agent_platform_daily_credits')).toEqual(before);
      expect(await values('agent_platform_exporter_day_revisions_total{dataset="tokens"}')).toEqual([0]);
    });
  });
});
