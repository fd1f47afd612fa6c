import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { parse, stringify } from 'yaml';
import { freePort } from '../../bench/programs.ts';
import { waitFor } from '../support/wait-for.ts';
import type { Programs } from './programs.ts';

const EXAMPLE = new URL('../../alerts/alertmanager.example.yaml', import.meta.url);

interface Route {
  group_wait?: string;
  group_interval?: string;
  repeat_interval?: string;
}

/** Delays of a route in place of those of the example; where one is absent, the example's. */
type Delays = (of: Route) => Route;

/** Without delays, and without repetitions. */
const impatient: Delays = () => ({ group_wait: '0s', group_interval: '1s', repeat_interval: '1h' });

/** Starts the example's Alertmanager with every receiver at `url`; returns its own address. */
export async function startAlertmanager(
  programs: Programs,
  command: string,
  url: string,
  delays: Delays = impatient,
): Promise<string> {
  const folder = programs.folder();
  const file = join(folder, 'alertmanager.yml');
  await writeFile(file, await exampleWith(url, delays));
  const port = await freePort();
  programs.start(command, [
    `--config.file=${file}`,
    `--storage.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
    '--cluster.listen-address=',
  ]);
  return `http://127.0.0.1:${port}`;
}

/** The example's configuration with every receiver at `url`. */
export async function exampleWith(url: string, delays: Delays = impatient): Promise<string> {
  const config = parse(await readFile(EXAMPLE, 'utf8')) as {
    route: Route & { routes: Route[] };
    receivers: { webhook_configs: { url: string }[] }[];
  };
  for (const route of [config.route, ...config.route.routes])
    Object.assign(route, delays({ ...config.route, ...route }));
  for (const { webhook_configs: webhooks } of config.receivers)
    for (const webhook of webhooks) webhook.url = url;
  return stringify(config);
}

/** How often the tests' rules look at the past. */
export const LOOKBACK_STEP = '5s';

/** Starts a Prometheus that evaluates the rules every second once it has scraped the targets; returns its address. */
export async function startAlerting(
  programs: Programs,
  {
    rules,
    targets,
    alertmanager,
    tsdb,
  }: {
    readonly rules: string;
    readonly targets: readonly string[];
    readonly alertmanager?: string;
    readonly tsdb?: string;
  },
): Promise<string> {
  const folder = programs.folder();
  const file = join(folder, 'prometheus.yml');
  const at = (urls: readonly string[]) => [
    { static_configs: [{ targets: urls.map((url) => new URL(url).host) }] },
  ];
  await writeFile(join(folder, 'rules.yaml'), 'groups: []\n');
  const config = {
    // A scrape that takes longer than its interval counts as a missing exporter: a busy machine must not make one.
    global: { scrape_interval: '10s', scrape_timeout: '10s', evaluation_interval: '1s' },
    rule_files: ['rules.yaml'],
    ...(alertmanager === undefined ? {} : { alerting: { alertmanagers: at([alertmanager]) } }),
    scrape_configs: at(targets).map((job) => ({ job_name: 'agent-platform', ...job })),
  };
  await writeFile(file, stringify(config));
  const port = await freePort();
  programs.start('prometheus', [
    `--config.file=${file}`,
    `--storage.tsdb.path=${tsdb ?? join(folder, 'data')}`,
    '--storage.tsdb.retention.time=2y',
    // What fires before Alertmanager is discovered is not sent.
    '--rules.alert.resend-delay=1s',
    '--web.enable-lifecycle',
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  const url = `http://127.0.0.1:${port}`;
  // An exporter that no step of the rules' subqueries has seen yet would count as missing.
  const seen = `max_over_time((sum(up))[1h:${LOOKBACK_STEP}])`;
  await waitFor(async () => {
    const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(seen)}`);
    const { data } = (await answer.json()) as { data: { result: readonly { value: [number, string] }[] } };
    expect(Number(data.result[0]?.value[1] ?? 0)).toBe(targets.length);
  });
  await writeFile(join(folder, 'rules.yaml'), rules);
  const { status } = await fetch(`${url}/-/reload`, { method: 'POST' });
  expect(status).toBe(200);
  return url;
}
