import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { freePort } from '../../bench/programs.ts';
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

/** Starts a Prometheus that scrapes the targets and evaluates the rules every second; returns its address. */
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
  await writeFile(join(folder, 'rules.yaml'), rules);
  const config = {
    global: { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' },
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
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  return `http://127.0.0.1:${port}`;
}
