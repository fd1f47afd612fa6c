import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { CHART, createChart } from './chart.ts';
import { createPrograms } from './programs.ts';
import { requireTool } from './tools.ts';

/** A place in the pods of both kinds of workload. */
function inPod(place: string): readonly string[] {
  return ['Deployment', 'StatefulSet'].map((kind) => `${kind} spec.template.spec.${place}`);
}

/**
 * Each number and quantity of the values file: one that differs from all others in the objects, and the places where it
 * belongs, alone or within a text.
 */
const PLACES: Readonly<Record<string, readonly [value: string | number, ...places: readonly string[]]>> = {
  replicas: [
    911,
    'Deployment spec.replicas',
    'StatefulSet spec.replicas',
    'StatefulSet spec.template.spec.containers.0.args.4',
  ],
  'persistence.size': ['11Gi', 'StatefulSet spec.volumeClaimTemplates.0.spec.resources.requests.storage'],
  'persistence.emptyDirSizeLimit': ['12Gi', 'Deployment spec.template.spec.volumes.1.emptyDir.sizeLimit'],
  revisionHistoryLimit: [
    1013,
    'Deployment spec.revisionHistoryLimit',
    'StatefulSet spec.revisionHistoryLimit',
  ],
  'resources.requests.cpu': ['1014m', ...inPod('containers.0.resources.requests.cpu')],
  'resources.requests.memory': ['1015Mi', ...inPod('containers.0.resources.requests.memory')],
  'resources.limits.memory': ['1016Mi', ...inPod('containers.0.resources.limits.memory')],
  'podSecurityContext.runAsUser': [
    1017,
    ...inPod('securityContext.runAsUser'),
    'Pod spec.securityContext.runAsUser',
  ],
  'podSecurityContext.runAsGroup': [
    1018,
    ...inPod('securityContext.runAsGroup'),
    'Pod spec.securityContext.runAsGroup',
  ],
  'podSecurityContext.fsGroup': [
    1019,
    ...inPod('securityContext.fsGroup'),
    'Pod spec.securityContext.fsGroup',
  ],
  terminationGracePeriodSeconds: [1020, ...inPod('terminationGracePeriodSeconds')],
  'livenessProbe.periodSeconds': [1021, ...inPod('containers.0.livenessProbe.periodSeconds')],
  'livenessProbe.timeoutSeconds': [1022, ...inPod('containers.0.livenessProbe.timeoutSeconds')],
  'livenessProbe.failureThreshold': [1023, ...inPod('containers.0.livenessProbe.failureThreshold')],
  'readinessProbe.periodSeconds': [1024, ...inPod('containers.0.readinessProbe.periodSeconds')],
  'readinessProbe.timeoutSeconds': [1025, ...inPod('containers.0.readinessProbe.timeoutSeconds')],
  'readinessProbe.failureThreshold': [1026, ...inPod('containers.0.readinessProbe.failureThreshold')],
  'startupProbe.periodSeconds': [1027, ...inPod('containers.0.startupProbe.periodSeconds')],
  'startupProbe.timeoutSeconds': [1028, ...inPod('containers.0.startupProbe.timeoutSeconds')],
  'startupProbe.failureThreshold': [1029, ...inPod('containers.0.startupProbe.failureThreshold')],
  'web.port': [
    1030,
    ...inPod('containers.0.ports.0.containerPort'),
    'Deployment spec.template.spec.containers.0.args.2',
    'Deployment spec.template.spec.containers.0.args.3',
    'StatefulSet spec.template.spec.containers.0.args.5',
  ],
  'service.port': [
    1031,
    'Service spec.ports.0.port',
    'Pod spec.containers.0.args.1',
    'Probe spec.prober.url',
    'ScrapeConfig spec.relabelings.2.replacement',
  ],
  'networkPolicy.egressPorts.0': [1032, 'NetworkPolicy spec.egress.1.ports.0.port'],
  'networkPolicy.databasePort': [1033, 'NetworkPolicy spec.egress.2.ports.0.port'],
  'podDisruptionBudget.maxUnavailable': [1034, 'PodDisruptionBudget spec.maxUnavailable'],
  'serviceMonitor.interval': [
    '7m',
    'ServiceMonitor spec.endpoints.0.interval',
    'PodMonitor spec.podMetricsEndpoints.0.interval',
    'Probe spec.interval',
    'ScrapeConfig spec.scrapeInterval',
  ],
  'serviceMonitor.scrapeTimeout': [
    '13s',
    'ServiceMonitor spec.endpoints.0.scrapeTimeout',
    'PodMonitor spec.podMetricsEndpoints.0.scrapeTimeout',
    'Probe spec.scrapeTimeout',
    'ScrapeConfig spec.scrapeTimeout',
  ],
  'grafanaDashboards.resyncPeriod': ['17m', 'GrafanaDashboard spec.resyncPeriod'],
};

/** What the objects need to have all of these places; without persistence, the data is in a volume of the pod, and probes need one replica. */
const NEEDED = `
organizations: [{name: a, baseUrl: 'https://a.example', apiKey: {value: k}}, {name: b, baseUrl: 'https://b.example', apiKey: {value: k}}]
serviceMonitor: {enabled: true}
podMonitor: {enabled: true}
networkPolicy: {enabled: true, databases: [{podSelector: {matchLabels: {app: postgres}}}]}
podDisruptionBudget: {enabled: true}
`;
const SETUPS = [
  `${NEEDED}persistence: {enabled: true}\ndashboards: {enabled: true}\ngrafanaDashboards: {enabled: true}\n`,
  `${NEEDED}storage: {url: {secretName: database}}\n`,
  `${NEEDED}replicas: 1\nprobe: {enabled: true}\nscrapeConfig: {enabled: true}\n`,
];

type Leaf = readonly [path: string, value: unknown];

function leavesOf(tree: unknown, path: readonly (string | number)[] = []): readonly Leaf[] {
  if (tree === null || typeof tree !== 'object') return [[path.join('.'), tree]];
  return Object.entries(tree).flatMap(([key, below]) => leavesOf(below, [...path, key]));
}

/** A number, a duration, or a quantity of Kubernetes. */
function isQuantity(value: unknown): boolean {
  return typeof value === 'number' || /^\d+(?:\.\d+)?(?:ms|m|s|h|Mi|Gi)$/.test(String(value));
}

function withValue(tree: unknown, [key = '', ...below]: readonly string[], value: unknown): unknown {
  const copy = Array.isArray(tree) ? [...tree] : { ...Object(tree ?? {}) };
  copy[key] = below.length === 0 ? value : withValue(copy[key], below, value);
  return copy;
}

describe.runIf(requireTool('helm'))('the numbers of the chart', () => {
  const chart = createChart(createPrograms());

  test('are each in their own places, and nowhere else', async () => {
    const own = parse(await readFile(join(CHART, 'values.yaml'), 'utf8'));
    const given = leavesOf(own).filter(
      ([path, value]) => isQuantity(value) && !path.startsWith('prometheusRule.thresholds.'),
    );
    expect(Object.keys(PLACES).sort()).toEqual(given.map(([path]) => path).sort());
    const found = new Set<string>();
    for (const setup of SETUPS) {
      const changed = [
        ...Object.entries(PLACES).map(([path, [value]]): Leaf => [path, value]),
        ...leavesOf(parse(setup)),
      ];
      const values = changed.reduce((tree, [path, value]) => withValue(tree, path.split('.'), value), own);
      for (const { kind, ...object } of await chart.objects({ values: stringify(values) }))
        for (const [path, value] of leavesOf(object))
          for (const [name, [wanted]] of Object.entries(PLACES))
            if (new RegExp(`\\b${wanted}\\b`).test(String(value))) found.add(`${name}: ${kind} ${path}`);
    }
    const expected = Object.entries(PLACES).flatMap(([name, [, ...places]]) =>
      places.map((place) => `${name}: ${place}`),
    );
    expect([...found].sort()).toEqual(expected.sort());
  });
});
