import { globSync } from 'node:fs';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { CHART, createChart, extensions, type KubernetesObject, shapes } from './chart.ts';
import { REPOSITORY } from './image.ts';
import { kubernetesVersions, writeSchemas } from './kubernetes-schemas.ts';
import { createPrograms } from './programs.ts';
import { requireTool } from './tools.ts';

const hasHelm = requireTool('helm');

describe.runIf(hasHelm)('the chart', () => {
  const programs = createPrograms();
  const chart = createChart(programs);

  async function refusal(values: string): Promise<string> {
    return chart.text({ values }).then(
      () => 'taken',
      (error: Error) => error.message,
    );
  }

  function lint(...values: readonly string[]) {
    // The linter has no cluster.
    const args = ['lint', '--strict', CHART, '--kube-version', '1.32.0', '--set', 'trustCRDs=true'];
    return programs.run('helm', [...args, ...values]);
  }

  test.each(shapes)('has nothing that the linter reports: %s', async (shape) => {
    const { code, stdout, stderr } = await lint('--values', join(CHART, 'ci', `${shape}-values.yaml`));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).not.toMatch(/WARNING|ERROR/);
  });

  test('says how to get something to poll, which its own values do not have', async () => {
    const wayOut =
      /organizations: empty, so there is nothing to poll\. Add one .* or try the demo: --set demo=true/;
    expect(await refusal('{}')).toMatch(wayOut);
    // The linter renders what it has, and only says so.
    const { code, stdout, stderr } = await lint();
    expect([code, stdout]).toEqual([0, expect.not.stringMatching(/WARNING|ERROR/)]);
    expect(stderr).toMatch(wayOut);
    for (const values of ['demo: true', 'extraEnv: [{name: AGENT_PLATFORM_ORG, value: acme}]'])
      expect(await refusal(values)).toBe('taken');
  });

  test.each(shapes)('renders an upgrade to %s', async (shape) => {
    const fresh = await chart.objects({ shape });
    expect((await chart.objects({ shape, isUpgrade: true })).map(nameOf)).toEqual(fresh.map(nameOf));
  });

  test.each([
    ['serviceMonitor: {enabled: true}', 'monitoring.coreos.com/v1'],
    ['podMonitor: {enabled: true}', 'monitoring.coreos.com/v1'],
    ['prometheusRule: {enabled: true}', 'monitoring.coreos.com/v1'],
    ['probe: {enabled: true}', 'monitoring.coreos.com/v1'],
    ['scrapeConfig: {enabled: true}', 'monitoring.coreos.com/v1alpha1'],
    ['{dashboards: {enabled: true}, grafanaDashboards: {enabled: true}}', 'grafana.integreatly.org/v1beta1'],
    [
      'hooks: {enabled: true, token: {value: t}, httpRoute: {enabled: true, parentRefs: [{name: public}]}}',
      'gateway.networking.k8s.io/v1',
    ],
  ])('does not silently omit what the cluster does not support: %s', async (values, api) => {
    const given = `organizations: [{name: a, baseUrl: "https://x", apiKey: {value: k}}]\n${values.replace(/^\{(.*)\}$/, '$1').replaceAll('}, gr', '}\ngr')}`;
    await expect(chart.text({ values: given, knows: [] })).rejects.toThrow(
      new RegExp(`enabled: this cluster does not know ${api}\\. Install .* trustCRDs=true .*--api-versions`),
    );
    expect(await chart.text({ values: `${given}\ntrustCRDs: true`, knows: [] })).toContain(
      `apiVersion: ${api}`,
    );
  });

  test('prints the three next commands', async () => {
    expect(await chart.notes({ shape: 'shards' })).toMatch(
      /rollout status statefulset\/test-agent[\s\S]*port-forward service\/test-agent[\s\S]*logs --selector/,
    );
    expect(await chart.notes({ values: 'extraArgs: [--org=acme]' })).toContain(
      'No organization is configured',
    );
    expect(await chart.notes({ shape: 'one-organization' })).not.toContain('No organization');
  });

  test.each([
    ['a key that does not exist', 'replica: 2', /replica/],
    ['a misspelt key below another', 'image: {pullpolicy: Always}', /pullpolicy/],
    ['a misspelt key of an organization', 'organizations: [{name: a, baseURL: "https://x"}]', /baseURL/],
    ['a misspelt threshold', 'prometheusRule: {thresholds: {dataStaleHour: 1}}', /dataStaleHour/],
    ['a misspelt option of the exporter', 'config: {api: {timeouts: 3s}}', /timeouts/],
    ['what the chart decides itself', 'config: {storage: {path: /tmp/x}}', /storage/],
    ['an organization without a key', 'organizations: [{name: a, baseUrl: "https://x"}]', /apiKey/],
    [
      'an organization with two keys',
      'organizations: [{name: a, baseUrl: "https://x", apiKey: {value: k, secretName: s}}]',
      /apiKey/,
    ],
    [
      'an organization twice',
      'organizations: [{name: a, baseUrl: "https://x", apiKey: {value: k}}, {name: a, baseUrl: "https://y", apiKey: {value: k}}]',
      /"a" is listed twice/,
    ],
    [
      'a key in an address',
      'organizations: [{name: a, baseUrl: "https://k@x", apiKey: {value: k}}]',
      /baseUrl/,
    ],
    ['a password that is not hashed', 'web: {basicAuth: {users: {me: secret}}}', /users\.me|me/],
    ['shards of a demo', '{demo: true, replicas: 2}', /demo: cannot have more than one replica/],
    [
      'one claim for several pods',
      '{replicas: 2, persistence: {enabled: true, existingClaim: x}}',
      /existingClaim/,
    ],
    ['two files of teams', '{config: {teams: {file: /a}}, users: {teams: {secretName: b}}}', /config\.teams/],
    ['hooks without a token', 'hooks: {enabled: true}', /hooks\.token/],
    [
      'a monitor that does not know whom to trust',
      '{web: {tls: {enabled: true}, existingSecret: own}, serviceMonitor: {enabled: true}}',
      /serviceMonitor\.tlsConfig/,
    ],
    [
      'a monitor without a client certificate',
      '{web: {tls: {enabled: true, secretName: s, clientCaKey: ca.crt}}, serviceMonitor: {enabled: true}}',
      /web\.tls\.clientCaKey: .*serviceMonitor\.tlsConfig/,
    ],
    ['a path that the exporter refuses', 'web: {telemetryPath: /}', /telemetryPath/],
    ['the path of another page', 'web: {telemetryPath: /hooks/events}', /telemetryPath/],
    ['a monitor without the password', passwordButNoMonitor(), /serviceMonitor\.basicAuth/],
  ])('refuses %s', async (_, values, message) => {
    expect(await refusal(values)).toMatch(message);
  });

  test.each([
    ['an organization without an address', '', /baseUrl is required/],
    ['an unknown platform', ', platform: other', /platform must be one of/],
    ['Copilot without an account', ', platform: copilot', /account is required/],
    ['an identifier of Copilot', ', platform: copilot, account: a, orgId: b', /orgId/],
    ['an unknown kind of Claude', ', platform: claude, kind: team', /kind must be one of/],
    ['a budget of Claude in credits', ', platform: claude, budget: {creditsPerMonth: 5}', /creditsPerMonth/],
    ['prices of Claude', ', platform: claude, prices: []', /prices/],
    ['a web app of Claude', ', platform: claude, appUrl: "https://x"', /appUrl/],
    ['an address as a host', ', platform: copilot, account: a, linkHosts: ["https://x"]', /linkHosts/],
    ['an address with a blank', ', baseUrl: "https://a b"', /baseUrl/],
    ['an account of the default platform', ', baseUrl: "https://x", account: a', /account/],
  ])('refuses %s', async (_, given, message) => {
    expect(await refusal(`organizations: [{name: a, apiKey: {value: k}${given}}]`)).toMatch(message);
  });

  test('keeps names that look like numbers', async () => {
    const values = `priorityClassName: "123"
web: {tls: {enabled: true, secretName: "1e3"}}
persistence: {enabled: true, storageClass: "007", size: "5"}`;
    const text = JSON.stringify(await chart.objects({ shape: 'one-organization', values }));
    expect(text).toContain('"priorityClassName":"123"');
    expect(text.match(/"secretName":"1e3"/g)).toHaveLength(2);
    expect(text).toContain('"storageClassName":"007","resources":{"requests":{"storage":"5"}}');
  });

  test('can be part of another chart', async () => {
    const parent = programs.folder();
    await writeFile(join(parent, 'Chart.yaml'), 'apiVersion: v2\nname: parent\nversion: 0.1.0\n');
    await writeFile(
      join(parent, 'values.yaml'),
      'global: {region: eu}\nagent-platform-exporter: {demo: true}\n',
    );
    await mkdir(join(parent, 'charts'));
    await cp(CHART, join(parent, 'charts/agent-platform-exporter'), { recursive: true });
    const { code, stdout, stderr } = await programs.run('helm', [
      'template',
      parent,
      '--kube-version',
      '1.32.0',
    ]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('- demo\n');
  });

  test('keeps keys, tokens and password hashes in Secrets', async () => {
    const values = passwordButNoMonitor().replace('serviceMonitor: {enabled: true}', '');
    const created = await chart.objects({ shape: 'created-keys', values });
    const secrets = created.filter(({ kind }) => kind === 'Secret');
    const others = JSON.stringify(created.filter(({ kind }) => kind !== 'Secret'));
    const held = secrets.flatMap(({ data }) => Object.values(data as Record<string, string>));
    const texts = held.map((value) => Buffer.from(value, 'base64').toString());
    for (const key of [
      'created-key-of-acme',
      'created-key-of-mueller',
      'created-token-of-hooks',
      'created-hash-key',
    ]) {
      expect(texts.join('\n')).toContain(key);
      expect(others).not.toContain(key);
      expect(others).not.toContain(Buffer.from(key).toString('base64').replace(/=+$/, ''));
    }
    expect(texts.join('\n')).toContain('prometheus: $2y$10$');
    expect(others).not.toContain('$2y$10$');
  });

  test.each(shapes)('runs without any privilege: %s', async (shape) => {
    for (const { kind, spec } of await chart.objects({ shape })) {
      if (!/^(Deployment|StatefulSet|Pod)$/.test(kind)) continue;
      const pod = (
        kind === 'Pod' ? spec : (spec as { template: { spec: unknown } }).template.spec
      ) as PodSpec;
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(pod.containers[0]?.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        privileged: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(pod.containers[0]?.resources).toMatchObject({
        requests: {},
        limits: { memory: expect.any(String) },
      });
    }
  });

  test('rolls out another configuration, and no other change of values', async () => {
    const checksum = async (values: string) =>
      /checksum\/config: (\w{64})/.exec(await chart.text({ shape: 'one-organization', values }))?.[1];
    const before = await checksum('{}');
    expect(before).toBeDefined();
    expect(await checksum('serviceMonitor: {interval: 5m}')).toBe(before);
    expect(await checksum('config: {api: {timeout: 5s}}')).not.toBe(before);
  });

  test('admits only hook events from outside', async () => {
    const paths = JSON.stringify(await chart.objects({ shape: 'shards' })).match(/"path":"\/[^"]*"/g) ?? [];
    const [ingress] = (await chart.objects({ shape: 'shards' })).filter(({ kind }) => kind === 'Ingress');
    expect(JSON.stringify(ingress).match(/"path":"\/[^"]*"/g)).toEqual(['"path":"/hooks/events"']);
    const [route] = (await chart.objects({ shape: 'tls' })).filter(({ kind }) => kind === 'HTTPRoute');
    expect(JSON.stringify(route)).toContain(
      '"matches":[{"method":"POST","path":{"type":"Exact","value":"/hooks/events"}}]',
    );
    expect(paths).toContain('"path":"/-/ready"');
  });

  test('has probes that need neither a password nor a certificate', async () => {
    const password = await chart.text({ shape: 'tls', showOnly: 'templates/deployment.yaml' });
    expect(password).toContain('- --web.open-health');
    expect(password.match(/scheme: HTTPS/g)).toHaveLength(3);
    const certificate = await chart.text({
      shape: 'client-certificates',
      showOnly: 'templates/deployment.yaml',
    });
    expect(certificate).not.toContain('httpGet');
    expect(certificate.match(/- healthcheck\n/g)).toHaveLength(3);
  });

  test('has the dashboards of the repository, byte for byte', async () => {
    const objects = await chart.objects({ shape: 'everything' });
    const maps = objects.filter(
      ({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.includes('-dashboard-'),
    );
    const found = Object.assign({}, ...maps.map(({ data }) => data)) as Record<string, string>;
    const source = await dashboards();
    // Where the sidecar writes all dashboards into one folder, another chart's overview.json must not be replaced.
    const keyOf = (file: string) => `agent-platform-${file}`;
    expect(Object.keys(found).sort()).toEqual(Object.keys(source).map(keyOf).sort());
    for (const [file, text] of Object.entries(source)) {
      expect(found[keyOf(file)] === text, file).toBe(true);
    }
    for (const { metadata } of maps) {
      expect(metadata).toMatchObject({
        annotations: { folder: 'Agents & Money' },
        labels: { dashboards: 'yes' },
      });
    }
    const operator = objects.filter(({ kind }) => kind === 'GrafanaDashboard');
    expect(operator.map(({ spec }) => spec)).toMatchObject(
      maps.map(({ metadata, data }) => ({
        configMapRef: { name: metadata.name, key: Object.keys(data as object)[0] },
      })),
    );
  });

  test('has no object that is too large for kubectl apply, which keeps a copy of each in an annotation', async () => {
    const sizes = (await chart.objects({ shape: 'everything' })).map(
      (object) => [nameOf(object), Buffer.byteLength(JSON.stringify(object))] as const,
    );
    expect(sizes.filter(([, size]) => size > 256 * 1024)).toEqual([]);
  });

  describe.runIf(requireTool('promtool'))('rules', () => {
    async function rules(shape: string, values: string): Promise<string> {
      const given = { shape, values, showOnly: 'templates/prometheusrule.yaml' };
      const [rule] = await chart.objects(given);
      return JSON.stringify(rule?.['spec']);
    }

    test('are those of the repository if no threshold is given', async () => {
      const source = await readFile(join(REPOSITORY, 'alerts/agent-platform-exporter.rules.yaml'), 'utf8');
      expect(JSON.parse(await rules('demo', 'prometheusRule: {enabled: true}'))).toEqual(parse(source));
    });

    test.each(['one-organization', 'everything'])(
      'pass promtool with the thresholds of %s',
      async (shape) => {
        const text = await rules(shape, '{}');
        expect(text).not.toMatch(/@[A-Za-z]+@/);
        const file = join(programs.folder(), 'rules.yaml');
        await writeFile(file, text);
        const { code, stdout, stderr } = await programs.run('promtool', ['check', 'rules', file]);
        expect([code, stderr]).toEqual([0, '']);
        expect(stdout).toMatch(/SUCCESS: \d\d rules found/);
      },
    );

    test('link to dashboards only where they are known to be', async () => {
      expect(await rules('demo', 'prometheusRule: {enabled: true}')).not.toContain('dashboard_url');
      expect(await rules('everything', '{}')).toContain(
        '"dashboard_url":"https://grafana.example.com/d/ape-credits?viewPanel=201&var-org={{ $labels.org | urlquery }}',
      );
    });

    test('take thresholds and the runbook of the operator', async () => {
      expect(await rules('one-organization', '{}')).toContain('> 80 * 3600');
      expect(await rules('everything', '{}')).toContain('https://wiki.example.com/runbook#agentplatform');
    });
  });

  describe.runIf(requireTool('kubeconform') && requireTool('go'))('objects', () => {
    describe.each(kubernetesVersions)('for Kubernetes %s', (version) => {
      let schemas = '';

      beforeAll(async () => {
        schemas = await writeSchemas(programs, version);
      });

      async function conform(target: string) {
        const args = ['-strict', '-summary', '-output', 'text', '-schema-location', schemas, target];
        return programs.run('kubeconform', args);
      }

      test.each([
        ['knows', extensions, 'trustCRDs: false'],
        ['is trusted to get to know', [], 'trustCRDs: true'],
      ])('are what a cluster takes that %s monitors', async (_, knows, values) => {
        const rendered = programs.folder();
        for (const shape of shapes) {
          const text = await chart.text({ shape, version, knows, values });
          await writeFile(join(rendered, `${shape}.yaml`), text);
        }
        const { code, stdout, stderr } = await conform(rendered);
        expect([stdout.replace(/^Summary.*\n/m, ''), stderr, code]).toEqual(['', '', 0]);
        expect(stdout).toMatch(
          new RegExp(`in ${shapes.length} files - Valid: \\d{2,}, Invalid: 0, Errors: 0, Skipped: 0`),
        );
      });

      test('would be refused with a field that does not exist', async () => {
        const file = join(programs.folder(), 'wrong.yaml');
        const text = await chart.text({ shape: 'one-organization', version });
        await writeFile(
          file,
          text.replace('scrapeTimeout:', 'scrapeTimeouts:').replace('readOnly: true', 'readonly: true'),
        );
        const { code, stdout } = await conform(file);
        expect(code).toBe(1);
        expect(stdout).toMatch(/additionalProperties[\s\S]*scrapeTimeouts/);
        expect(stdout).toMatch(/additionalProperties[\s\S]*readonly/);
      });
    });
  });
});

interface PodSpec {
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: unknown;
  readonly containers: readonly { readonly securityContext: unknown; readonly resources: unknown }[];
}

function nameOf({ kind, metadata }: KubernetesObject): string {
  return `${kind}/${metadata.name}`;
}

function passwordButNoMonitor(): string {
  const users = '{prometheus: $2y$10$QOauhQNbBCuQDKes6eFzPeMqBSjb7Mr5DUmpZ/VcEd00UAV/LDeSi}';
  return `web: {basicAuth: {enabled: true, users: ${users}}}\nserviceMonitor: {enabled: true}`;
}

async function dashboards(): Promise<Readonly<Record<string, string>>> {
  const folder = join(REPOSITORY, 'dashboards');
  const files = globSync('*.json', { cwd: folder });
  const entries = files.map(async (file) => [file, await readFile(join(folder, file), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(entries));
}
