/** A value of a well-known chart, and its equivalent here. */
interface PeerValue {
  readonly chart: 'kube-prometheus-stack' | 'prometheus-blackbox-exporter' | 'kube-state-metrics';
  readonly theirs: string;
  /** Values of this chart; empty if there is no equivalent, in which case `note` says why. */
  readonly ours: readonly string[];
  readonly note?: string;
}

const stack = 'kube-prometheus-stack';
const blackbox = 'prometheus-blackbox-exporter';
const state = 'kube-state-metrics';

/** For operators who know the other charts. */
export const peerValues: readonly PeerValue[] = [
  { chart: stack, theirs: 'global.imageRegistry', ours: ['global.imageRegistry'] },
  { chart: stack, theirs: 'global.imagePullSecrets', ours: ['global.imagePullSecrets'] },
  { chart: stack, theirs: 'namespaceOverride', ours: ['namespaceOverride'] },
  { chart: stack, theirs: 'commonLabels', ours: ['commonLabels'] },
  { chart: stack, theirs: 'defaultRules.create', ours: ['prometheusRule.enabled'] },
  {
    chart: stack,
    theirs: 'defaultRules.disabled',
    ours: ['prometheusRule.disabled'],
    note: 'a list of names',
  },
  { chart: stack, theirs: 'defaultRules.runbookUrl', ours: ['prometheusRule.runbookUrl'] },
  {
    chart: stack,
    theirs: 'defaultRules.additionalRuleLabels',
    ours: ['prometheusRule.additionalLabels'],
  },
  { chart: stack, theirs: 'customRules', ours: ['prometheusRule.overrides'] },
  { chart: stack, theirs: 'additionalPrometheusRulesMap', ours: ['prometheusRule.additionalGroups'] },
  { chart: stack, theirs: 'grafana.sidecar.dashboards', ours: ['dashboards'] },
  { chart: stack, theirs: 'grafana.operator.dashboardsConfigMapRefEnabled', ours: ['grafanaDashboards'] },
  { chart: stack, theirs: 'extraManifests', ours: ['extraObjects'] },
  { chart: blackbox, theirs: 'config', ours: ['config'] },
  {
    chart: blackbox,
    theirs: 'extraConfigmapMounts, extraSecretMounts',
    ours: ['extraVolumes', 'extraVolumeMounts'],
  },
  { chart: blackbox, theirs: 'serviceMonitor.targets', ours: ['probe', 'scrapeConfig'] },
  { chart: blackbox, theirs: 'serviceMonitor.selfMonitor', ours: ['serviceMonitor'] },
  { chart: blackbox, theirs: 'strategy', ours: ['updateStrategy'] },
  {
    chart: blackbox,
    theirs: 'kind',
    ours: ['replicas'],
    note: 'a DaemonSet would poll everything on each node',
  },
  { chart: blackbox, theirs: 'livenessProbe, readinessProbe', ours: ['livenessProbe', 'readinessProbe'] },
  { chart: blackbox, theirs: 'hostAliases', ours: ['hostAliases'] },
  { chart: blackbox, theirs: 'dnsPolicy, dnsConfig', ours: ['dnsPolicy', 'dnsConfig'] },
  { chart: blackbox, theirs: 'hostNetwork', ours: ['extraPodSpec'] },
  { chart: blackbox, theirs: 'service.ipDualStack', ours: ['service.ipFamilyPolicy', 'service.ipFamilies'] },
  {
    chart: blackbox,
    theirs: 'ingress',
    ours: ['ingress', 'hooks.ingress', 'hooks.httpRoute'],
    note: 'for the page and hook events; metrics are never exposed',
  },
  { chart: blackbox, theirs: 'networkPolicy.allowMonitoringNamespace', ours: ['networkPolicy.scrapers'] },
  { chart: blackbox, theirs: 'podDisruptionBudget', ours: ['podDisruptionBudget'] },
  { chart: blackbox, theirs: 'extraEnv, extraEnvFromSecret', ours: ['extraEnv', 'extraEnvFrom'] },
  { chart: state, theirs: 'autosharding.enabled', ours: ['replicas'] },
  { chart: state, theirs: 'prometheus.monitor.enabled', ours: ['serviceMonitor.enabled'] },
  { chart: state, theirs: 'prometheus.monitor.additionalLabels', ours: ['serviceMonitor.labels'] },
  { chart: state, theirs: 'prometheus.monitor.http.honorLabels', ours: ['serviceMonitor.honorLabels'] },
  {
    chart: state,
    theirs: 'prometheus.monitor.targetLabels, .podTargetLabels',
    ours: ['serviceMonitor.targetLabels', 'serviceMonitor.podTargetLabels'],
  },
  {
    chart: state,
    theirs: 'prometheus.monitor.sampleLimit, .labelLimit, …',
    ours: ['serviceMonitor.extraSpec'],
  },
  {
    chart: state,
    theirs: 'prometheus.monitor.http.relabelings, .metricRelabelings',
    ours: ['serviceMonitor.relabelings', 'serviceMonitor.metricRelabelings'],
  },
  { chart: state, theirs: 'prometheus.monitor.http.proxyUrl', ours: ['serviceMonitor.extraEndpoint'] },
  { chart: state, theirs: 'prometheus.scrapeconfig', ours: ['scrapeConfig'] },
  { chart: state, theirs: 'customLabels', ours: ['commonLabels'] },
  { chart: state, theirs: 'extraManifests', ours: ['extraObjects'] },
  { chart: state, theirs: 'containers', ours: ['extraContainers'] },
  { chart: state, theirs: 'volumes, volumeMounts', ours: ['extraVolumes', 'extraVolumeMounts'] },
  { chart: state, theirs: 'collectors', ours: ['config'], note: '`config.collectors`' },
  { chart: state, theirs: 'kubeRBACProxy', ours: ['web.tls', 'web.basicAuth'] },
  { chart: state, theirs: 'rbac', ours: [], note: 'not needed: the exporter does not talk to Kubernetes' },
  { chart: state, theirs: 'verticalPodAutoscaler', ours: ['extraObjects'] },
];

/** The table for the chart's README. */
export function peerTable(): readonly string[] {
  const rows = peerValues.map(({ chart, theirs, ours, note }) => {
    const own = ours.map((name) => `\`${name}\``).join(', ');
    const cell = [own, note].filter((part) => part !== undefined && part !== '').join('; ');
    return `| ${chart} | ${theirs
      .split(', ')
      .map((name) => `\`${name}\``)
      .join(', ')} | ${cell} |`;
  });
  return ['| Chart | Value there | Value here |', '|---|---|---|', ...rows];
}
