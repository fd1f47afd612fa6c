import { alertName, markerSettings, ruleGroups, thresholds } from '../../alerts/src/index.ts';
import type { AlertDeclaration } from '../../alerts/src/rule.ts';
import {
  anyObject,
  anyObjects,
  duration,
  filled,
  flag,
  number,
  type Schema,
  strict,
  text,
  textMap,
  texts,
  without,
} from './schema-parts.ts';

const alerts = ruleGroups(markerSettings).flatMap((group) => group.alerts);

function override(alert: AlertDeclaration): Schema {
  const markers = [...`${alert.expr} ${alert.description}`.matchAll(/@([A-Za-z]+)@/g)].map(
    ([, name]) => name,
  );
  const own = [...new Set(markers)].filter((name) => name !== undefined);
  const byName = strict(Object.fromEntries(own.map((name) => [name, number])));
  const thresholdOf = own.length === 1 ? { oneOf: [number, byName] } : byName;
  return strict({
    for: duration,
    keepFiringFor: duration,
    severity: filled,
    labels: textMap,
    annotations: textMap,
    ...(own.length === 0 ? {} : { threshold: thresholdOf }),
  });
}

/** The schema of the values about Prometheus and Grafana. */
export const monitoring = {
  serviceMonitor: strict({
    enabled: flag,
    labels: textMap,
    annotations: textMap,
    namespace: text,
    interval: duration,
    scrapeTimeout: duration,
    jobLabel: filled,
    honorLabels: flag,
    targetLabels: texts,
    podTargetLabels: texts,
    relabelings: anyObjects,
    metricRelabelings: anyObjects,
    tlsConfig: anyObject,
    basicAuth: anyObject,
    extraSpec: without('selector', 'endpoints'),
    extraEndpoint: anyObject,
  }),
  podMonitor: strict({
    enabled: flag,
    extraSpec: without('selector', 'podMetricsEndpoints'),
    extraEndpoint: anyObject,
  }),
  probe: strict({ enabled: flag, extraSpec: anyObject }),
  scrapeConfig: strict({ enabled: flag, extraSpec: anyObject }),
  prometheusRule: strict({
    enabled: flag,
    labels: textMap,
    annotations: textMap,
    namespace: text,
    runbookUrl: { type: 'string', pattern: '^https?://\\S+$' },
    dashboardUrl: { type: 'string', pattern: '^(https?://\\S+)?$' },
    additionalLabels: textMap,
    disabled: { type: 'array', items: { enum: alerts.map(alertName) }, uniqueItems: true },
    overrides: strict(Object.fromEntries(alerts.map((alert) => [alertName(alert), override(alert)]))),
    recording: flag,
    additionalGroups: { type: 'array', items: { ...anyObject, required: ['name', 'rules'] } },
    thresholds: strict(Object.fromEntries(Object.keys(thresholds).map((name) => [name, number]))),
  }),
  dashboards: strict({
    enabled: flag,
    labels: textMap,
    annotations: textMap,
    folderAnnotation: filled,
    folder: filled,
    namespace: text,
  }),
  grafanaDashboards: strict({
    enabled: flag,
    instanceSelector: anyObject,
    allowCrossNamespaceImport: flag,
    // In the operator's format, which has no days.
    resyncPeriod: { type: 'string', pattern: '^([0-9]+(ms|s|m|h))+$' },
  }),
} satisfies Record<string, Schema>;
