import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { defaultSettings, rulesDocument } from '../../alerts/src/index.ts';
import { freePort } from '../../bench/programs.ts';
import { renamableLabels } from '../../dashboards/src/renamed-labels.ts';
import { readPage } from '../e2e/page.ts';
import { waitFor } from '../support/wait-for.ts';
import { startPlatform } from './platform.ts';
import { createPrograms, written } from './programs.ts';
import { createClient, type PrometheusServer } from './prometheus-server.ts';
import { requireTool } from './tools.ts';

const rules = rulesDocument({
  ...defaultSettings,
  duration: (_said, use) => ({ for: '0s', keep_firing_for: '0s', step: '5s' })[use],
});
const NAMES = renamableLabels.map(({ label }) => label).sort();
const CREDITS = 'agent_platform_credits_month_to_date';

describe.runIf(requireTool('prometheus'))('targets that have labels of the exporter’s names', () => {
  const programs = createPrograms();
  let exporter = '';
  let prometheus: PrometheusServer;

  /** The labels of the results, without those of the target. */
  async function found(query: string): Promise<readonly Readonly<Record<string, string>>[]> {
    const series = await prometheus.instant(query);
    return series.map(({ labels: { __name__, instance, ...labels } }) => labels);
  }

  /** The values of the `label` of the alert for a job, sorted. */
  async function renamedIn(job: string): Promise<readonly (string | undefined)[]> {
    const query = `ALERTS{alertname="AgentPlatformLabelsRenamed",alertstate="firing",job="${job}"}`;
    return (await found(query)).map(({ label }) => label).sort();
  }

  beforeAll(async () => {
    const platform = await startPlatform(programs, ['--orgs=2', '--users=40']);
    const folder = programs.folder();
    await writeFile(join(folder, 'teams.yaml'), '"*@*.example": web\n');
    const config = join(folder, 'config.yaml');
    await writeFile(
      config,
      `orgs:
  - {name: acme, base_url: '${platform.url}', api_key_env: ACME_KEY, budget: {credits_per_month: 1000}}
  - {name: globex, base_url: '${platform.url}', api_key_env: GLOBEX_KEY, budget: {credits_per_month: 1000000000000}}
storage: {path: ':memory:'}
collectors: {users: {enabled: true, identity: id}}
teams: {file: teams.yaml}
api: {requests_per_second: 200}
`,
    );
    const program = programs.exporter(
      ['serve', '--web.listen-address=127.0.0.1:0', `--config.file=${config}`],
      { ACME_KEY: 'sandbox-acme-owner', GLOBEX_KEY: 'sandbox-globex-owner' },
    );
    exporter = `http://127.0.0.1:${await written(program, 'stderr', /msg=Serving .*\bport=(\d+)/)}`;
    const target = `{targets: ['${new URL(exporter).host}'], labels: {org: platform, team: infra, repo: chart, user: root}}`;
    await writeFile(join(folder, 'rules.yaml'), rules);
    const file = join(folder, 'prometheus.yml');
    await writeFile(
      file,
      `global: {scrape_interval: 2s, scrape_timeout: 2s, evaluation_interval: 1s}
rule_files: [rules.yaml]
scrape_configs:
  - {job_name: plain, static_configs: [${target}]}
  - {job_name: honored, honor_labels: true, static_configs: [${target}]}
`,
    );
    const address = `127.0.0.1:${await freePort()}`;
    programs.start('prometheus', [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${address}`,
    ]);
    prometheus = createClient(`http://${address}`);
    await waitFor(async () => expect(await renamedIn('plain')).toEqual(NAMES));
  });

  test('rename the exporter’s labels without honor_labels, and the alert names each of them', async () => {
    // One organization is published before the other.
    await waitFor(async () => {
      const seen = await found(`group by (org,exported_org) (${CREDITS}{job="plain"})`);
      expect(seen.map(({ org, exported_org: exported }) => [org, exported]).sort()).toEqual([
        ['platform', 'acme'],
        ['platform', 'globex'],
      ]);
    });
  });

  test('rename nothing with honor_labels: every series has the labels of the page', async () => {
    const renamed = NAMES.map((label) => `count({job="honored",exported_${label}!=""})`).join(' or ');
    await waitFor(async () => {
      expect(await found(renamed)).toEqual([]);
      const page = readPage(await (await fetch(`${exporter}/metrics`)).text());
      const series = await prometheus.instant(`${CREDITS}{job="honored"}`);
      const credits = Object.fromEntries(series.map(({ labels, values }) => [labels['org'], values[0]?.[1]]));
      expect(credits).toEqual(page.by('org', CREDITS));
      expect(Object.keys(credits).sort()).toEqual(['acme', 'globex']);
    });
    expect(await renamedIn('honored')).toEqual([]);
  });

  test('hide a budget that is exceeded, unless labels are honored', async () => {
    const fired = 'ALERTS{alertname="AgentPlatformBudgetExceeded",alertstate="firing"}';
    await waitFor(async () => expect((await found(fired)).map(({ org }) => org)).toEqual(['acme']));
  });
});
