import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments, stringify } from 'yaml';
import { z } from 'zod';
import { CHART, createChart, extensions, type KubernetesObject } from './chart.ts';
import { createPrograms } from './programs.ts';
import { requireTool } from './tools.ts';

const selector = z.object({ matchLabels: z.record(z.string(), z.string()) });
const policySpec = z.object({
  ingress: z.array(z.object({ from: z.array(z.object({ podSelector: selector.optional() })) })),
});
const rule = z.object({
  alert: z.string().optional(),
  expr: z.string(),
  for: z.string().optional(),
  keep_firing_for: z.string().optional(),
  labels: z.record(z.string(), z.string()).optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});
const rulesSpec = z.object({ groups: z.array(z.object({ rules: z.array(rule) })) });
type Rule = z.infer<typeof rule>;

/** The texts and numbers of a tree of values. */
function leavesOf(values: unknown): readonly string[] {
  if (typeof values === 'boolean' || values === null) return [];
  return typeof values === 'object' ? Object.values(values).flatMap(leavesOf) : [String(values)];
}

const organization = 'organizations: [{name: acme, baseUrl: "https://x", apiKey: {value: k}}]\n';

describe.runIf(requireTool('helm'))('values of the chart', () => {
  const programs = createPrograms();
  const chart = createChart(programs);

  async function everything(kind: string): Promise<KubernetesObject> {
    const found = (await chart.objects({ shape: 'everything' })).find((object) => object.kind === kind);
    if (found === undefined) throw new Error(`no ${kind}`);
    return found;
  }

  function refused(values: string, message: RegExp) {
    return expect(chart.text({ values })).rejects.toThrow(message);
  }

  describe('as a subchart', () => {
    /** The output of a parent chart that has this one as a conditional dependency, and the Deployment's image. */
    async function umbrella(values: string): Promise<readonly string[]> {
      const parent = programs.folder();
      const dependency =
        'dependencies: [{name: agent-platform-exporter, version: ">=0", condition: agent-platform-exporter.enabled}]';
      await writeFile(
        join(parent, 'Chart.yaml'),
        `apiVersion: v2\nname: parent\nversion: 0.1.0\n${dependency}\n`,
      );
      await writeFile(join(parent, 'values.yaml'), values);
      await mkdir(join(parent, 'charts'));
      await cp(CHART, join(parent, 'charts/agent-platform-exporter'), { recursive: true });
      const { code, stdout, stderr } = await programs.run('helm', [
        'template',
        'test',
        parent,
        '--kube-version=1.32.0',
      ]);
      expect([code, stderr]).toEqual([0, '']);
      const documents = parseAllDocuments(stdout).map((document): unknown => document.toJS());
      return documents.filter((document) => document !== null).map((document) => JSON.stringify(document));
    }

    test('is turned on and off by its condition, and follows the parent’s global values', async () => {
      const global = 'global: {region: eu, imageRegistry: mirror.example.net, imagePullSecrets: [pull]}\n';
      const on = await umbrella(`${global}agent-platform-exporter: {enabled: true, demo: true}\n`);
      const deployment = on.find((text) => text.includes('"kind":"Deployment"')) ?? '';
      expect(deployment).toContain('"image":"mirror.example.net/');
      expect(deployment).toContain('"imagePullSecrets":[{"name":"pull"}]');
      expect(on.filter((text) => text.includes('"kind":"Pod"')).join()).toContain('[{"name":"pull"}]');
      expect(await umbrella(`${global}agent-platform-exporter: {enabled: false, demo: true}\n`)).toEqual([]);
    });

    test('does not pretend to be off without a parent', () =>
      refused('{enabled: false, demo: true}', /enabled: only for the condition of a parent chart/));
  });

  test('put every object into the namespace that overrides the release', async () => {
    for (const { kind, metadata } of await chart.objects({ shape: 'everything' })) {
      const expected = /Monitor|Probe|ScrapeConfig|Rule$/.test(kind)
        ? 'monitoring'
        : /dashboard/i.test(`${kind}${metadata.name}`)
          ? 'grafana'
          : 'agents';
      if (metadata.name !== 'test-exporter-more')
        expect([kind, metadata.namespace]).toEqual([kind, expected]);
    }
    expect(JSON.stringify(await everything('ServiceMonitor'))).toContain('"matchNames":["agents"]');
  });

  test('put the common labels on every object', async () => {
    for (const { kind, metadata } of await chart.objects({ shape: 'everything' })) {
      if (metadata.name !== 'test-exporter-more')
        expect(metadata, `${kind} ${metadata.name}`).toMatchObject({ labels: { team: 'platform' } });
    }
  });

  test('arrive in the objects, each that a shape has', async () => {
    const given = parse(await readFile(join(CHART, 'ci/everything-values.yaml'), 'utf8'));
    const rendered = JSON.stringify(await chart.objects({ shape: 'everything' }));
    const shown = {
      ...given,
      // The parent's registry takes precedence, templates are rendered, and these alerts are left out.
      image: { ...given.image, registry: given.global.imageRegistry },
      extraObjects: [],
      prometheusRule: { ...given.prometheusRule, disabled: [] },
    };
    const leaves = leavesOf(shown);
    expect(leaves.length).toBeGreaterThan(100);
    expect(leaves.filter((leaf) => !rendered.includes(JSON.stringify(leaf).slice(1, -1)))).toEqual([]);
  });

  test('have a label or an annotation once, the chart’s own first and the common ones last', async () => {
    const key = 'app.kubernetes.io/name';
    const both = `{team: second, ${key}: other, app.kubernetes.io/component: other}`;
    const values = `demo: true
fullnameOverride: agent-platform-exporter
commonLabels: {team: first, ${key}: other, helm.sh/chart: other, app.kubernetes.io/component: other}
podLabels: ${both}
podAnnotations: {checksum/config: other}
service: {labels: ${both}}
hooks: {enabled: true, token: {value: t}}
serviceMonitor: {enabled: true, labels: ${both}}
prometheusRule: {enabled: true, labels: ${both}}
dashboards: {enabled: true, labels: ${both}, annotations: {grafana_folder: other}}`;
    // Reading them throws if a key is there twice.
    const objects = await chart.objects({ values });
    const own = { [key]: 'agent-platform-exporter' };
    const find = (wanted: string) =>
      objects.find(({ kind, metadata }) => kind === wanted && metadata.name === own[key]);
    expect(find('Deployment')).toMatchObject({
      metadata: { labels: { ...own, team: 'first' } },
      spec: {
        template: {
          metadata: {
            labels: { ...own, team: 'second' },
            annotations: { 'checksum/config': expect.stringMatching(/^[0-9a-f]{64}$/) },
          },
        },
      },
    });
    for (const kind of ['Service', 'ServiceMonitor', 'PrometheusRule'])
      expect(find(kind)?.metadata, kind).toMatchObject({ labels: { ...own, team: 'second' } });
    expect(find('Service')?.metadata['labels']).toMatchObject({ 'app.kubernetes.io/component': 'metrics' });
    expect(objects.find(({ metadata }) => metadata.name.includes('-dashboard-'))?.metadata).toMatchObject({
      labels: { ...own, team: 'second' },
      annotations: { grafana_folder: 'Agent Platform' },
    });
  });

  test('of variables are texts, whatever they look like', async () => {
    const values =
      'demo: true\nextraEnv: [{name: A, value: 1000000}, {name: B, value: true}, {name: C, value: 0}, {name: D, value: "2.50"}, {name: E}]';
    const [deployment] = await chart.objects({ values, showOnly: 'templates/deployment.yaml' });
    expect(deployment?.['spec']).toMatchObject({
      template: {
        spec: {
          containers: [
            {
              env: [
                { name: 'A', value: '1000000' },
                { name: 'B', value: 'true' },
                { name: 'C', value: '0' },
                { name: 'D', value: '2.50' },
                { name: 'E' },
              ],
            },
          ],
        },
      },
    });
    await refused('{demo: true, extraEnv: [{name: A, value: {a: b}}]}', /value/);
  });

  test.each([
    ['{serviceMonitor: {enabled: true, scrapeTimeout: 61s}}', '61s', '60s', 'serviceMonitor.extraEndpoint'],
    [
      '{serviceMonitor: {interval: 1m30s, scrapeTimeout: 90001ms}, podMonitor: {enabled: true}}',
      '90001ms',
      '1m30s',
      'podMonitor.extraEndpoint',
    ],
    ['{podMonitor: {enabled: true, extraEndpoint: {interval: 5s}}}', '10s', '5s', 'podMonitor.extraEndpoint'],
    ['{probe: {enabled: true}, serviceMonitor: {scrapeTimeout: 1h}}', '1h', '60s', 'probe.extraSpec'],
    [
      '{scrapeConfig: {enabled: true, extraSpec: {scrapeTimeout: 2m}}}',
      '2m',
      '60s',
      'scrapeConfig.extraSpec',
    ],
  ])(
    'with a scrape timeout above the interval are refused: %s',
    async (values, timeout, interval, merged) => {
      await refused(
        `${organization}${stringify(parse(values))}`,
        new RegExp(
          `serviceMonitor\\.scrapeTimeout: ${timeout} is above the interval of ${interval}, which Prometheus refuses \\(merged with ${merged}\\)`,
        ),
      );
    },
  );

  test('may have a scrape timeout that equals the interval', async () => {
    const equal = 'serviceMonitor: {enabled: true, interval: 1m30s, scrapeTimeout: 90s}';
    expect(await chart.text({ values: `demo: true\n${equal}` })).toContain('scrapeTimeout: 90s');
  });

  test('are merged with the chart’s own members of the pod, and replace its probes', async () => {
    const spec = (await everything('Deployment'))['spec'];
    expect(spec).toMatchObject({
      template: {
        spec: {
          securityContext: { runAsNonRoot: true, supplementalGroups: [4000] },
          imagePullSecrets: [{ name: 'everywhere' }, { name: 'mirror' }],
          containers: [
            {
              image: expect.stringMatching(/^cache\.example\.com\/tools\/exporter@sha256:/),
              livenessProbe: { initialDelaySeconds: 5, periodSeconds: 20, httpGet: { path: '/-/healthy' } },
              readinessProbe: { tcpSocket: { port: 9000 }, failureThreshold: 3 },
            },
            { name: 'beside' },
          ],
        },
      },
    });
    expect(JSON.stringify(spec)).not.toMatch(/"readinessProbe":\{[^}]*httpGet/);
    await refused('{demo: true, extraPodSpec: {containers: []}}', /extraPodSpec/);
    await refused('{demo: true, livenessProbe: {period: 3}}', /livenessProbe/);
  });

  test('may be fractions given with --set, which passes them as text', async () => {
    const price = 'prices: [{from: "2026-01-14", currency: USD, perMillionCredits: "2.7"}]';
    const budget = 'budget: {creditsPerMonth: "5e8"}';
    const values = `organizations: [{name: acme, baseUrl: "https://x", apiKey: {value: k}, ${budget}, ${price}}]
config: {api: {requests_per_second: "0.5"}}
prometheusRule: {enabled: true, overrides: {AgentPlatformExporterDown: {for: 5m}}}`;
    const text = await chart.text({ values });
    expect(text).toContain('per_million_credits: 2.7\n');
    expect(text).toContain('requests_per_second: 0.5\n');
    expect(text).toMatch(/credits_per_month: (?:5e\+08|500000000)\n/);
    await refused(values.replace('"5e8"', '"0.0"'), /creditsPerMonth/);
    await refused(values.replace('"2.7"', '"2,7"'), /perMillionCredits/);
  });

  test('can remove a probe', async () => {
    const text = await chart.text({ values: '{demo: true, livenessProbe: null}' });
    expect(text).not.toContain('livenessProbe');
    expect(text).toContain('startupProbe');
  });

  test('keep the exporter’s labels, whatever labels its targets have', async () => {
    const values = `${organization}serviceMonitor: {enabled: true}\npodMonitor: {enabled: true}\nprobe: {enabled: true}\nscrapeConfig: {enabled: true}`;
    const objects = await chart.objects({ values });
    const specOf = (wanted: string) => objects.find(({ kind }) => kind === wanted)?.['spec'];
    expect(specOf('ServiceMonitor')).toMatchObject({ endpoints: [{ honorLabels: true }] });
    expect(specOf('PodMonitor')).toMatchObject({ podMetricsEndpoints: [{ honorLabels: true }] });
    expect(specOf('ScrapeConfig')).toMatchObject({ honorLabels: true });
    // The operator has no such field for a Probe.
    expect(specOf('Probe')).not.toHaveProperty('honorLabels');
  });

  test('ask /probe for each organization', async () => {
    const values = `${organization}probe: {enabled: true}\nscrapeConfig: {enabled: true}`;
    const objects = await chart.objects({ values });
    expect(objects.find(({ kind }) => kind === 'Probe')?.['spec']).toMatchObject({
      prober: {
        url: 'test-agent-platform-exporter.monitoring.svc:9889',
        path: '/probe',
        scheme: 'http',
      },
      targets: { staticConfig: { static: ['acme'] } },
    });
    expect(objects.find(({ kind }) => kind === 'ScrapeConfig')?.['spec']).toMatchObject({
      metricsPath: '/probe',
      staticConfigs: [{ targets: ['acme'] }],
      relabelings: [
        { sourceLabels: ['__address__'], targetLabel: '__param_target' },
        { sourceLabels: ['__param_target'], targetLabel: 'instance' },
        { targetLabel: '__address__', replacement: 'test-agent-platform-exporter.monitoring.svc:9889' },
      ],
    });
    await refused(`${values}\nreplicas: 2`, /probe\.enabled, scrapeConfig\.enabled: .*one replica/);
    await refused('{demo: true, probe: {enabled: true}}', /need organizations/);
  });

  test('say how often to scrape: as often as the alerts need, where they are installed', async () => {
    const values = (interval: string, rules: boolean) =>
      `{demo: true, trustCRDs: true, serviceMonitor: {enabled: true, interval: ${interval}}, prometheusRule: {enabled: ${rules}}}`;
    for (const interval of ['15m1s', '1h', '0m901s', '900001ms'])
      await refused(values(interval, true), /serviceMonitor\.interval: more than 15m/);
    for (const interval of ['15m', '900s', '14m60s'])
      expect(await chart.text({ values: values(interval, true) })).toContain(`interval: ${interval}\n`);
    expect(await chart.text({ values: values('1h', false) })).toContain('interval: 1h\n');
  });

  test.each([
    ['serviceMonitor', 'extraEndpoint', 'interval'],
    ['podMonitor', 'extraEndpoint', 'interval'],
    ['probe', 'extraSpec', 'interval'],
    ['scrapeConfig', 'extraSpec', 'scrapeInterval'],
  ])('say in %s.%s no longer %s than the alerts need', async (kind, extra, key) => {
    const values = (interval: string) =>
      `${organization}trustCRDs: true\n${kind}: {enabled: true, ${extra}: {${key}: ${interval}}}\nprometheusRule: {enabled: true}`;
    await refused(values('16m'), new RegExp(`${kind}\\.${extra}\\.${key}: more than 15m`));
    expect(await chart.text({ values: values('15m') })).toContain(`${key}: 15m\n`);
  });

  test('say how many pods must stay', async () => {
    const budgets = await chart.objects({
      shape: 'shards',
      showOnly: 'templates/poddisruptionbudget.yaml',
    });
    expect(budgets[0]?.['spec']).toMatchObject({ minAvailable: 2 });
    expect(budgets[0]?.['spec']).not.toHaveProperty('maxUnavailable');
  });

  test('that are removed protect no less: a budget stays one, and no port is opened', async () => {
    const values =
      'podDisruptionBudget: {enabled: true, minAvailable: null}\nnetworkPolicy: {enabled: true, egressPorts: null}\n';
    const objects = await chart.objects({ shape: 'demo', values });
    const specOf = (kind: string) => objects.find((object) => object.kind === kind)?.['spec'];
    expect(specOf('PodDisruptionBudget')).toMatchObject({ maxUnavailable: 1 });
    expect(specOf('PodDisruptionBudget')).not.toHaveProperty('minAvailable');
    const { egress } = z
      .object({ egress: z.array(z.object({ ports: z.array(z.unknown()) })) })
      .parse(specOf('NetworkPolicy'));
    expect(egress).toHaveLength(1);
  });

  test('let the pod of `helm test` run where the exporter does', async () => {
    const placed = '{nodeSelector: {pool: tools}, tolerations: [{key: tools, operator: Exists}]}';
    const objects = await chart.objects({ shape: 'demo', values: placed });
    const pod = objects.find(({ kind }) => kind === 'Pod');
    expect(pod?.['spec']).toMatchObject({
      nodeSelector: { pool: 'tools' },
      tolerations: [{ key: 'tools', operator: 'Exists' }],
    });
  });

  test('admit the pod of `helm test` if scrapers are restricted', async () => {
    const objects = await chart.objects({ shape: 'shards' });
    const pod = objects.find(({ kind }) => kind === 'Pod');
    const policy = policySpec.parse(objects.find(({ kind }) => kind === 'NetworkPolicy')?.['spec']);
    const peers = policy.ingress.flatMap(({ from }) => from).map(({ podSelector }) => podSelector);
    const admitting = peers.filter((selector) => selector !== undefined);
    expect(admitting).toHaveLength(1);
    expect(pod?.metadata).toMatchObject({ labels: admitting[0]?.matchLabels });
  });

  describe('about alerts', () => {
    async function rules(values: string, shape = 'demo'): Promise<ReadonlyMap<string, Rule>> {
      const [object] = await chart.objects({ shape, values, showOnly: 'templates/prometheusrule.yaml' });
      const { groups } = rulesSpec.parse(object?.['spec']);
      return new Map(groups.flatMap((group) => group.rules).map((rule) => [rule.alert ?? '', rule]));
    }

    test('change one and leave the others', async () => {
      const plain = await rules('prometheusRule: {enabled: true}');
      const changed = await rules('{}', 'everything');
      expect(changed.has('AgentPlatformSessionsWaiting')).toBe(false);
      expect(changed.get('OwnRule')?.expr).toBe('up == 0');
      expect(changed.get('AgentPlatformDataStale')).toMatchObject({
        expr: plain.get('AgentPlatformDataStale')?.expr.replace('126', '54'),
        for: '2h',
        keep_firing_for: '1h',
        labels: { severity: 'critical', page: 'yes', team: 'platform' },
        annotations: { summary: 'No new day of {{ $labels.dataset }}' },
      });
      expect(changed.get('AgentPlatformNewModelShare')?.expr).not.toBe(
        plain.get('AgentPlatformNewModelShare')?.expr,
      );
      const same = [...plain.keys()].filter(
        (name) => changed.get(name)?.expr === plain.get(name)?.expr && name !== '',
      );
      expect(same).toHaveLength([...plain.keys()].filter((name) => name !== '').length - 3);
      for (const [name, { labels }] of changed) {
        if (name.startsWith('AgentPlatform')) expect([name, labels?.['team']]).toEqual([name, 'platform']);
      }
    });

    test('add the recording rules', async () => {
      const source = await readFile(join(CHART, 'files/recording.rules.yaml'), 'utf8');
      const [object] = await chart.objects({
        shape: 'demo',
        values: 'prometheusRule: {enabled: true, recording: true}',
        showOnly: 'templates/prometheusrule.yaml',
      });
      const spec = object?.['spec'] as { readonly groups: readonly { readonly name: string }[] } | undefined;
      const recorded = spec?.groups.filter(({ name }) => name.includes('-recorded-'));
      expect({ groups: recorded }).toEqual(parse(source));
    });

    test.each([
      ['an alert that does not exist', '{disabled: [AgentPlatformNone]}', /disabled/],
      [
        'a change of one that does not exist',
        '{overrides: {AgentPlatformNone: {for: 1h}}}',
        /AgentPlatformNone/,
      ],
      [
        'a threshold that the alert has not',
        '{overrides: {AgentPlatformExporterDown: {threshold: 1}}}',
        /threshold/,
      ],
      [
        'a number where there are several thresholds',
        '{overrides: {AgentPlatformNewModelShare: {threshold: 1}}}',
        /threshold/,
      ],
    ])('refuse %s', (_, values, message) => refused(`{demo: true, prometheusRule: ${values}}`, message));
  });

  test.each([
    [
      'hook events without persistence',
      'hooks: {enabled: true, token: {value: t}}',
      /persistence\.enabled is false/,
    ],
    ['a claim for a demo', '{demo: true, persistence: {enabled: true}}', /demo keeps everything in memory/],
    ['a claim that is not mounted', 'persistence: {existingClaim: mine}', /existingClaim is not mounted/],
    [
      'a rolling update of one claim',
      '{persistence: {enabled: true}, updateStrategy: {type: RollingUpdate}}',
      /only one pod at a time/,
    ],
    [
      'a budget that blocks drains',
      'podDisruptionBudget: {enabled: true, minAvailable: 1}',
      /no node .* can be drained/,
    ],
    ['an image that nobody publishes', 'demo: true', /is a placeholder/],
  ])('are warned about in the notes: %s', async (_, values, message) => {
    const given = JSON.stringify({ extraArgs: ['--org=acme'], ...parse(values) });
    expect(await chart.notes({ values: given })).toMatch(message);
  });

  test('cause no warnings in a sound release', async () => {
    const values = 'image: {registry: registry.internal}';
    expect(await chart.notes({ shape: 'one-organization', values, knows: extensions })).not.toContain('!!');
  });
});
