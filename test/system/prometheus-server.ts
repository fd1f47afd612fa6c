import { readdirSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { freePort } from '../../bench/programs.ts';
import { WINDOW } from '../../dashboards/src/recent.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Programs } from './programs.ts';

/** One series of a result: its labels, and its values by second. */
export interface Answered {
  readonly labels: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [number, number])[];
}

export interface PrometheusServer {
  readonly url: string;
  /** Rejects with Prometheus' error if a query is invalid. */
  instant(query: string, at?: number): Promise<readonly Answered[]>;
  /** Times and step in seconds. */
  range(query: string, from: number, to: number, step: number): Promise<readonly Answered[]>;
  labelValues(label: string, selector: string, from: number): Promise<readonly string[]>;
}

const RECORDING_RULES = fileURLToPath(
  new URL('../../alerts/agent-platform-exporter.recording.rules.yaml', import.meta.url),
);

interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value?: readonly [number, string];
  readonly values?: readonly (readonly [number, string])[];
}

/** A real Prometheus with a directory of blocks, which scrapes a target every second, if given. */
export async function startPrometheus(
  programs: Programs,
  {
    tsdb,
    target,
    command = 'prometheus',
    lookback = '5m',
  }: {
    readonly tsdb: string;
    readonly target?: string;
    readonly command?: string;
    readonly lookback?: string;
  },
): Promise<PrometheusServer> {
  const file = join(programs.folder(), 'prometheus.yml');
  const scrape =
    target === undefined
      ? ''
      : `scrape_configs: [{job_name: agent-platform, static_configs: [{targets: ['${target}']}]}]\n`;
  await writeFile(file, `global: {scrape_interval: 1s, scrape_timeout: 1s}\n${scrape}`);
  const url = `http://127.0.0.1:${await freePort()}`;
  const program = programs.start(command, [
    `--config.file=${file}`,
    `--storage.tsdb.path=${tsdb}`,
    '--storage.tsdb.retention.time=2y',
    `--query.lookback-delta=${lookback}`,
    `--web.listen-address=${new URL(url).host}`,
  ]);
  await waitFor(async () => {
    const ready = await fetch(`${url}/-/ready`).catch(() => undefined);
    expect(ready?.ok, program.stderr()).toBe(true);
  });

  return createClient(url);
}

/** A client of a server with the query API of Prometheus; the parameters are sent with every query. */
export function createClient(url: string, common: Readonly<Record<string, string>> = {}): PrometheusServer {
  async function ask(path: string, parameters: Readonly<Record<string, string>>): Promise<unknown> {
    const answer = await fetch(`${url}/api/v1/${path}?${new URLSearchParams({ ...parameters, ...common })}`);
    const { data, error } = (await answer.json()) as { data?: unknown; error?: string };
    if (error !== undefined) throw new Error(`${error}\n${JSON.stringify(parameters)}`);
    return data;
  }

  async function series(path: string, parameters: Readonly<Record<string, string>>) {
    const { result } = (await ask(path, parameters)) as { result: readonly Series[] };
    return result.map(({ metric, value, values = value === undefined ? [] : [value] }) => ({
      labels: metric,
      values: values.map(([second, text]) => [second, Number(text)] as const),
    }));
  }

  return {
    url,
    instant: (query, at) => series('query', { query, ...(at === undefined ? {} : { time: String(at) }) }),
    range: (query, from, to, step) =>
      series('query_range', { query, start: String(from), end: String(to), step: String(step) }),
    labelValues: async (label, selector, from) =>
      (await ask(`label/${label}/values`, { 'match[]': selector, start: String(from) })) as readonly string[],
  };
}

/** Creates blocks from OpenMetrics files in a new directory, which it returns. */
export async function makeBlocks(programs: Programs, folder: string): Promise<string> {
  const tsdb = join(programs.folder(), 'tsdb');
  for (const file of readdirSync(folder)) {
    const args = ['tsdb', 'create-blocks-from', 'openmetrics', '--max-block-duration=744h', '-q'];
    const made = await programs.run('promtool', [...args, join(folder, file), tsdb]);
    expect(made.code, made.stderr).toBe(0);
  }
  return tsdb;
}

/**
 * Adds the blocks that the recording rules would have made of those in `tsdb`, where targets were scraped hourly: each
 * group of rules is evaluated at an offset of its own.
 */
export async function recordBlocks(
  programs: Programs,
  tsdb: string,
  span: { readonly from: number; readonly to: number; readonly rules?: string },
): Promise<void> {
  const copy = join(programs.folder(), 'tsdb');
  await cp(tsdb, copy, { recursive: true });
  const { url } = await startPrometheus(programs, { tsdb: copy, lookback: '1h' });
  // The rules look back for scrapes that are at most 15 minutes apart.
  const given = span.rules ?? (await readFile(RECORDING_RULES, 'utf8'));
  const rules = given.replaceAll(`[${WINDOW}]`, '[1h]');
  const file = join(programs.folder(), 'recording.rules.yaml');
  await writeFile(file, rules);
  const args = ['tsdb', 'create-blocks-from', 'rules', '--max-block-duration=744h', `--output-dir=${tsdb}`];
  const times = [`--start=${span.from}`, `--end=${span.to}`, `--url=${url}`];
  const made = await programs.run('promtool', [...args, ...times, file]);
  expect(made.code, made.stdout + made.stderr).toBe(0);
}
