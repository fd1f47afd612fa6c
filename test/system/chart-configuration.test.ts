import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { createChart, type KubernetesObject } from './chart.ts';
import { createPrograms, written } from './programs.ts';
import { requireTool } from './tools.ts';

const volume = z.looseObject({
  name: z.string(),
  configMap: z.object({ name: z.string() }).optional(),
  secret: z.object({ secretName: z.string() }).optional(),
  projected: z
    .object({ sources: z.array(z.object({ secret: z.looseObject({ name: z.string() }) })) })
    .optional(),
});
const workload = z.object({
  template: z.object({
    spec: z.object({
      volumes: z.array(volume),
      containers: z.array(
        z.object({
          args: z.array(z.string()).default([]),
          env: z.array(z.object({ name: z.string(), value: z.string().optional() })).optional(),
          volumeMounts: z.array(z.object({ name: z.string(), mountPath: z.string() })).default([]),
        }),
      ),
    }),
  }),
});
const items = z.array(z.object({ key: z.string(), path: z.string() }));

describe.runIf(requireTool('helm') && requireTool('openssl'))('what the chart renders', () => {
  const programs = createPrograms();
  const chart = createChart(programs);

  async function certificate(): Promise<Readonly<Record<string, string>>> {
    const folder = programs.folder();
    const [key, certificate] = [join(folder, 'key'), join(folder, 'crt')];
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=test'];
    await programs.run('openssl', [...request, '-keyout', key, '-out', certificate]);
    const text = await readFile(certificate, 'utf8');
    return { 'tls.crt': text, 'ca.crt': text, 'tls.key': await readFile(key, 'utf8') };
  }

  /** Creates the volumes below a directory as the kubelet would, and returns the command line with those paths. */
  async function layOut(objects: readonly KubernetesObject[]) {
    const root = programs.folder();
    const found = objects.find(({ kind }) => /^(Deployment|StatefulSet)$/.test(kind));
    const { volumes, containers } = workload.parse(found?.['spec']).template.spec;
    const [container] = containers;
    if (container === undefined) throw new Error('no container');
    const here = (text: string) =>
      text.replace(/(?=\/(?:etc|run\/secrets|var\/lib)\/agent-platform-exporter)/g, root);
    const foreign: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      'exporter-tls': await certificate(),
      'whole-web-config': { 'web.yml': '{}' },
      people: { 'teams.csv': 'user,team\nada@example.com,platform\n' },
    };

    function dataOf(kind: string, name: string): Readonly<Record<string, string>> {
      const own = objects.find((object) => object.kind === kind && object.metadata.name === name)?.['data'];
      const data = z.record(z.string(), z.string()).optional().parse(own);
      if (data === undefined) return foreign[name] ?? {};
      const decoded = (value: string) =>
        kind === 'Secret' ? Buffer.from(value, 'base64').toString() : value;
      return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, decoded(value)]));
    }

    for (const { name, mountPath } of container.volumeMounts) {
      const source = volumes.find((volume) => volume.name === name);
      const files = new Map<string, string>();
      const map = source?.configMap && dataOf('ConfigMap', source.configMap.name);
      const secret = source?.secret && dataOf('Secret', source.secret.secretName);
      for (const [key, value] of Object.entries(map ?? secret ?? {})) files.set(key, value);
      for (const { secret } of source?.projected?.sources ?? []) {
        const held = dataOf('Secret', secret.name);
        for (const { key, path } of items.parse(secret['items']))
          files.set(path, held[key] ?? `key-in-${secret.name}`);
      }
      for (const [file, text] of files) {
        const path = join(root, mountPath, file);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, name === 'tls' ? text : here(text));
      }
    }
    const environment = Object.fromEntries(
      (container.env ?? []).map(({ name, value = '' }) => [name, here(value)]),
    );
    return { args: container.args.map(here), environment };
  }

  test.each(['one-organization', 'platforms', 'created-keys', 'tls', 'client-certificates', 'everything'])(
    'is accepted by the exporter: %s',
    async (shape) => {
      const values =
        shape === 'created-keys'
          ? "organizations: [{name: own, baseUrl: 'https://a', apiKey: {value: k}}]"
          : '{}';
      const { args, environment } = await layOut(await chart.objects({ shape, values }));
      const [command, ...flags] = args;
      expect(command).toBe('serve');
      const check = programs.exporter(['check-config', ...flags], environment);
      expect([await check.ended, check.stderr()]).toEqual([{ code: 0, signal: null }, '']);
      expect(check.stdout()).toMatch(/own|acme/);
    },
  );

  test('has the organizations of every platform', async () => {
    const { args, environment } = await layOut(await chart.objects({ shape: 'platforms' }));
    const check = programs.exporter(['check-config', ...args.slice(1)], environment);
    await check.ended;
    expect(check.stdout()).toMatch(
      /account +acme-org\n[\s\S]*api\.acme\.ghe\.com[\s\S]*account +enterprises\/acme\n[\s\S]*kind +console\n[\s\S]*kind +enterprise\n/,
    );
  });

  test('has every setting of an organization as it is given', async () => {
    const values = `
organizations:
  - name: a
    baseUrl: https://a.example
    appUrl: https://b.example
    orgId: org_1
    seats: 7
    budget: {creditsPerMonth: 1000}
    prices: [{from: '2026-01-14', currency: EUR, perMillionCredits: 2.5}]
    billing: {periodStarts: 9}
    calendar: {country: FR, daysOff: ['2026-12-24']}
    apiKey: {file: /keys/a}
  - name: b
    platform: copilot
    account: octo
    linkHosts: [reports.internal, files.internal]
    budget: {amount: 50.5, currency: USD}
    apiKey: {file: /keys/b}
  - {name: c, platform: claude, kind: enterprise, orgId: u-1, apiKey: {file: /keys/c}}
`;
    const objects = await chart.objects({ values });
    const map = objects.find(({ kind }) => kind === 'ConfigMap');
    const { 'config.yml': text } = z.object({ 'config.yml': z.string() }).parse(map?.['data']);
    const { orgs } = parse(text) as { readonly orgs: unknown };
    expect(await chart.text({ values: `demo: true\n${values}` })).not.toContain('a.example');
    expect(orgs).toEqual([
      {
        ...{
          name: 'a',
          base_url: 'https://a.example',
          app_url: 'https://b.example',
          org_id: 'org_1',
          seats: 7,
        },
        budget: { credits_per_month: 1000 },
        prices: [{ from: '2026-01-14', currency: 'EUR', per_million_credits: 2.5 }],
        billing: { period_starts: 9 },
        calendar: { country: 'FR', days_off: ['2026-12-24'] },
        api_key_file: '/keys/a',
      },
      {
        ...{ name: 'b', platform: 'copilot', account: 'octo' },
        link_hosts: ['reports.internal', 'files.internal'],
        budget: { amount: 50.5, currency: 'USD' },
        api_key_file: '/keys/b',
      },
      { name: 'c', platform: 'claude', kind: 'enterprise', org_id: 'u-1', api_key_file: '/keys/c' },
    ]);
  });

  test('starts the demo', async () => {
    const { args, environment } = await layOut(await chart.objects({ shape: 'demo' }));
    const listen = args.map((flag) => flag.replace('address=:9889', 'address=127.0.0.1:0'));
    const demo = programs.exporter(listen, environment);
    const url = await written(demo, 'stdout', /status +(http:\S+)\//);
    expect((await fetch(`${url}/metrics`)).status).toBe(200);
  });

  test('gives each shard a number of its own, and each organization to one of them', async () => {
    const { args, environment } = await layOut(await chart.objects({ shape: 'shards' }));
    expect(args).toContain('--shard=$(POD_INDEX)');
    const pages: string[] = [];
    for (const index of ['0', '1', '2']) {
      const flags = args.slice(1).map((flag) => flag.replace('$(POD_INDEX)', index));
      const check = programs.exporter(['check-config', ...flags], environment);
      expect([await check.ended, check.stderr()]).toEqual([{ code: 0, signal: null }, '']);
      pages.push(check.stdout());
    }
    for (const org of ['acme', 'globex', 'initech']) {
      expect(
        pages.filter((page) => new RegExp(`^ *(- )?${org}\\b`, 'm').test(page)),
        org,
      ).toHaveLength(1);
    }
  });

  test('does not start as shard 0 if Kubernetes gives no index', async () => {
    const check = programs.exporter(['check-config', '--shard=', '--total-shards=3']);
    expect(await check.ended).toMatchObject({ code: 2 });
    expect(check.stderr()).toContain('--shard');
  });
});
