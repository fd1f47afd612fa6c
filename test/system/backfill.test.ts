import { accessSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../bench/programs.ts';
import { waitFor } from '../support/wait-for.ts';
import { KEY, newestSettledDay, startPlatform } from './platform.ts';
import { createPrograms } from './programs.ts';
import { requireTool } from './tools.ts';

const DAYS = 300;
const DAY_S = 86_400;

/** A family with its dataset and the API's figures by label values. */
interface Checked {
  readonly metric: string;
  readonly dataset: 'tokens' | 'productivity';
  readonly by: readonly string[];
  /** The API's own figures of a day. */
  figures(row: Readonly<Record<string, unknown>>): Readonly<Record<string, number>>;
}

const CHECKED: readonly Checked[] = [
  {
    metric: 'agent_platform_daily_credits',
    dataset: 'tokens',
    by: [],
    figures: (row) => ({ '': Number(row['billable_tokens']) }),
  },
  {
    metric: 'agent_platform_daily_credits_by_model',
    dataset: 'tokens',
    by: ['model', 'tier'],
    figures: (row) => sums(row['by_model'], ['model_id', 'model_tier'], 'billable_tokens'),
  },
  {
    metric: 'agent_platform_daily_file_operations_by_language',
    dataset: 'productivity',
    by: ['language'],
    figures: (row) => sums(row['by_language'], ['language'], 'count'),
  },
  {
    metric: 'agent_platform_daily_git_commits',
    dataset: 'productivity',
    by: [],
    figures: (row) => ({ '': Number(row['git_commits']) }),
  },
];

function sums(list: unknown, labels: readonly string[], value: string): Readonly<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const entry of Array.isArray(list) ? list : []) {
    const key = labels.map((label) => String(entry[label])).join();
    found[key] = (found[key] ?? 0) + Number(entry[value]);
  }
  return found;
}

function nonzero(values: Readonly<Record<string, number>> = {}): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== 0));
}

function dayAt(second: number): string {
  return new Date(second * 1000).toISOString().slice(0, 10);
}

function samplesOf(stdout: string): number {
  return Number(/^(\d+) samples/.exec(stdout)?.[1]);
}

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [number, string])[];
}

type Figures = Readonly<Record<string, Readonly<Record<string, number>>>>;

describe('300 days of the simulated organization', () => {
  const programs = createPrograms();
  const api = new Map<string, Figures>();
  const range = { from: '', to: '', firstDay: 0, lastDay: 0 };
  let platform = '';
  let store = '';

  function backfill(args: readonly string[], from = range.from) {
    const { to } = range;
    const collectors = ['tokens', 'productivity'].map((name) => `--collector=${name}`);
    return programs.exporter(
      [
        ...[
          'backfill',
          '--org=acme',
          `--from=${from}`,
          `--to=${to}`,
          ...collectors,
          `--storage.path=${store}`,
        ],
        ...['--label=job=agent-platform', '--label=instance=exporter:9889', ...args],
      ],
      {
        AGENT_PLATFORM_API_BASE_URL: platform,
        AGENT_PLATFORM_API_KEY: KEY,
        AGENT_PLATFORM_API_REQUESTS_PER_SECOND: '200',
      },
    );
  }

  async function bring(args: readonly string[], from?: string): Promise<string> {
    const program = backfill(args, from);
    expect(await program.ended, program.stderr()).toEqual({ code: 0, signal: null });
    return program.stdout();
  }

  /** Every day's figures as queried by a day panel, in the format of the API's. */
  async function shown(
    prometheus: string,
    { metric, dataset, by }: Checked,
    parameters: Readonly<Record<string, string>>,
  ): Promise<Figures> {
    // The expression of the day panels: a value on the day it describes and on no other.
    const labels = ['org', ...by].join(',');
    const gate = `agent_platform_data_day_timestamp_seconds{dataset="${dataset}"} > time() - 172800 < time() - 86400`;
    const query = `max by (${labels}) (last_over_time((${metric} and on (job,instance,org) (${gate}))[1d:1h] offset -2d))`;
    // The panel's point at a day's first instant shows that day.
    const at = { start: String(range.firstDay), end: String(range.lastDay), step: '1d' };
    const answer = await fetch(`${prometheus}/api/v1/query_range`, {
      method: 'POST',
      body: new URLSearchParams({ query, ...at, ...parameters }),
    });
    const { data } = (await answer.json()) as { data?: { result: readonly Series[] } };
    const days: Record<string, Record<string, number>> = {};
    for (const { metric: series, values } of data?.result ?? []) {
      const key = by.map((label) => series[label] ?? '').join();
      for (const [second, value] of values) {
        const day = dayAt(second);
        days[day] = { ...days[day], [key]: Number(value) };
      }
    }
    return days;
  }

  /** Compares every day. A day without a row had no activity; a label value missing from a day is 0 or absent. */
  async function expectAll(prometheus: string, parameters = {}): Promise<void> {
    for (const checked of CHECKED) {
      const found = await shown(prometheus, checked, parameters);
      for (let second = range.firstDay; second <= range.lastDay; second += DAY_S) {
        const day = dayAt(second);
        const expected = api.get(checked.metric)?.[day] ?? {};
        const what = `${checked.metric} on ${day}`;
        expect(nonzero(found[day]), what).toEqual(nonzero(expected));
        if (checked.by.length === 0) expect(found[day], what).toHaveProperty(['']);
      }
    }
  }

  /** The number of samples. */
  async function stored(prometheus: string): Promise<number> {
    const query = '{__name__=~"agent_platform[_:].+"}[400d]';
    const answer = await fetch(`${prometheus}/api/v1/query`, {
      method: 'POST',
      body: new URLSearchParams({ query }),
    });
    const { data } = (await answer.json()) as { data: { result: readonly Series[] } };
    return data.result.reduce((sum, { values }) => sum + values.length, 0);
  }

  async function startPrometheus(tsdb: string, config = '', flags: readonly string[] = []): Promise<string> {
    const file = join(programs.folder(), 'prometheus.yml');
    await writeFile(file, `global: {scrape_interval: 1h}\n${config}`);
    const port = await freePort();
    const program = programs.start('prometheus', [
      `--config.file=${file}`,
      `--storage.tsdb.path=${tsdb}`,
      '--storage.tsdb.retention.time=2y',
      `--web.listen-address=127.0.0.1:${port}`,
      ...flags,
    ]);
    const url = `http://127.0.0.1:${port}`;
    await waitFor(async () => {
      const ready = await fetch(`${url}/-/ready`).catch(() => undefined);
      expect(ready?.ok, program.stderr()).toBe(true);
    });
    return url;
  }

  beforeAll(async () => {
    platform = (await startPlatform(programs)).url;
    store = join(programs.folder(), 'history.db');
    // The newest days belong to the live series.
    range.to = await newestSettledDay(platform);
    range.lastDay = Date.parse(range.to) / 1000;
    range.firstDay = range.lastDay - (DAYS - 1) * DAY_S;
    range.from = dayAt(range.firstDay);
    const rows = new Map<string, Readonly<Record<string, unknown>>[]>();
    for (const dataset of new Set(CHECKED.map((checked) => checked.dataset))) {
      const url = `${platform}/api/v1/analytics/${dataset}?startDate=${range.from}&endDate=${range.to}`;
      const answer = await fetch(url, { headers: { authorization: `Bearer ${KEY}` } });
      const { data } = (await answer.json()) as { data: Readonly<Record<string, unknown>>[] };
      expect(data.length).toBeGreaterThan(DAYS / 2);
      rows.set(dataset, data);
    }
    for (const { metric, dataset, figures } of CHECKED) {
      const days = (rows.get(dataset) ?? []).map((row) => [String(row['date']), figures(row)]);
      api.set(metric, Object.fromEntries(days));
    }
  });

  describe.runIf(requireTool('prometheus') && requireTool('promtool'))('in Prometheus', () => {
    test('as blocks, created from one file per month', async () => {
      const [output, tsdb] = [join(programs.folder(), 'out'), join(programs.folder(), 'tsdb')];
      await bring([`--output=${output}`]);
      for (const file of readdirSync(output)) {
        const args = ['tsdb', 'create-blocks-from', 'openmetrics', '--max-block-duration=744h', '-q'];
        const made = await programs.run('promtool', [...args, join(output, file), tsdb]);
        expect(made.code, made.stderr).toBe(0);
      }
      await expectAll(await startPrometheus(tsdb));
    });

    test('by remote write, into a window for samples out of order; nothing is sent twice', async () => {
      const config = 'storage: {tsdb: {out_of_order_time_window: 400d}}\n';
      const tsdb = join(programs.folder(), 'tsdb');
      const url = await startPrometheus(tsdb, config, ['--web.enable-remote-write-receiver']);
      const args = [`--remote-write.url=${url}/api/v1/write`];
      const interrupted = backfill(args);
      await waitFor(() => accessSync(join(dirname(store), 'backfill.json')));
      interrupted.send('SIGTERM');
      await interrupted.ended;
      const atFirst = samplesOf(interrupted.stdout());
      const later = samplesOf(await bring(args));
      expect(atFirst).toBeGreaterThan(0);
      await expectAll(url);
      expect(await stored(url)).toBe(atFirst + later);
      expect(await bring(args)).toMatch(/^0 samples/);
    });

    test('by remote write without such a window, one explanation names the setting', async () => {
      const url = await startPrometheus(join(programs.folder(), 'tsdb'), '', [
        '--web.enable-remote-write-receiver',
      ]);
      const args = [`--remote-write.url=${url}/api/v1/write`];
      // One day is one request: whether several of them are taken into an empty database depends on how they arrive.
      await bring([...args, '--remote-write.again'], range.to);
      const program = backfill([...args, '--remote-write.again']);
      expect((await program.ended).code).toBe(1);
      expect(program.stderr()).toMatch(/the target answered [45]00: [a-z ]+\n {2}.*out_of_order_time_window/);
    });
  });

  describe.runIf(requireTool('victoria-metrics'))('in VictoriaMetrics', () => {
    test('by remote write', async () => {
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      programs.start('victoria-metrics', [
        `-storageDataPath=${join(programs.folder(), 'data')}`,
        '-retentionPeriod=2y',
        `-httpListenAddr=127.0.0.1:${port}`,
      ]);
      await waitFor(async () => {
        expect((await fetch(`${url}/health`).catch(() => undefined))?.ok).toBe(true);
      });
      await bring([`--remote-write.url=${url}/api/v1/write`]);
      await fetch(`${url}/internal/force_flush`);
      // Otherwise it would treat a sample as current for as long as the usual interval between samples: a day.
      await expectAll(url, { max_lookback: '5m' });
    });
  });
});
