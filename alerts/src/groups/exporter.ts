import { WINDOW } from '../../../dashboards/src/recent.ts';
import { renamableLabels, renamedValues } from '../../../dashboards/src/renamed-labels.ts';
import { ownMetrics } from '../../../src/exposition/own-metrics.ts';
import { numberOf } from '../queries.ts';
import { durationOf, type RuleGroup, type RuleSettings } from '../rule.ts';

const LOOKBACK = '7d';

/** What the pods of an exporter have in common, as far as the targets have these labels. */
const EXPORTER = 'job,namespace,service';

/** Alerts about the exporter itself. */
export function exporterGroup(settings: RuleSettings): RuleGroup {
  const { threshold } = settings;
  const { buildInfo, apiRequests, historyPersistent, recordsRejected, valuesFolded, familiesDropped } =
    ownMetrics;
  // No sample is older than five minutes when the next step comes.
  const step = durationOf(settings, '5m', 'step');
  const configured = `last_over_time(${ownMetrics.configOrg.name}[${LOOKBACK}:${step}])`;
  /** The organizations of the newest configuration of what has these labels. */
  const newest = (labels: string) =>
    `${configured} == on (${labels}) group_left () max by (${labels}) (${configured})`;
  return {
    name: 'agent-platform-exporter',
    alerts: [
      {
        name: 'ExporterDown',
        // A newer configuration no longer has what was removed or renamed. Exporters that share a job without being one may have
        // others: a target that fails counts with its own. The requests are there before the first run has ended.
        expr: `group by (org) (
  ${newest(EXPORTER)}
  or ${newest('job,instance')} and on (job,instance) last_over_time(up[${WINDOW}:${step}]) == 0
)
unless on (org) ${apiRequests.name}{code="200"}`,
        severity: 'critical',
        for: '10m',
        labels: ['org'],
        panel: 'health/Exporters up',
        summary: 'No exporter serves the organization',
        description:
          'Organization {{ $labels.org }} was served within the last seven days, but no scrape returns its metrics now. It is not monitored.',
      },
      {
        name: 'ExporterAbsent',
        expr: `absent_over_time(${buildInfo.name}[${LOOKBACK}:${step}])`,
        severity: 'warning',
        for: '15m',
        labels: [],
        panel: 'health/Exporters up',
        summary: 'No exporter was scraped in the last seven days',
        description:
          'These rules are loaded, but no target has returned a metric of the exporter for seven days. The scrape is not configured, does not select the exporter, or fails.',
      },
      {
        name: 'HistoryNotPersistent',
        expr: `min by (job) (${historyPersistent.name}) == 0`,
        severity: 'warning',
        for: '15m',
        keepFiringFor: '15m',
        labels: ['job'],
        panel: 'health/History on disk',
        summary: 'The files of the store cannot be used',
        description:
          'An exporter of job {{ $labels.job }} stores and publishes nothing new: its files cannot be used. What it has published stays.',
      },
      {
        name: 'StoreDown',
        // A file has an alert of its own.
        expr: `min by (job) (${ownMetrics.storeUp.name}) == 0
unless on (job) ${historyPersistent.name}`,
        severity: 'warning',
        for: '5m',
        keepFiringFor: '5m',
        labels: ['job'],
        panel: 'health/Store usable',
        summary: 'The database cannot be used',
        description:
          'An exporter of job {{ $labels.job }} cannot use its database. Published data stays, but polling waits and hook events are refused with 503.',
      },
      {
        name: 'OrganizationsNotPolled',
        expr: `max by (job) (${ownMetrics.orgsNotPolled.name}) > 0`,
        severity: 'warning',
        for: '15m',
        keepFiringFor: '15m',
        labels: ['job'],
        panel: 'health/Organizations not polled',
        summary: 'Exporters with other organizations share a database',
        description:
          'An exporter of job {{ $labels.job }} has {{ $value }} organizations that nobody polls, because the one that polls for this database does not have them.',
      },
      {
        name: 'ConfigReloadFailed',
        expr: `min by (job) (${ownMetrics.configReloadSuccessful.name}) == 0`,
        severity: 'warning',
        for: '5m',
        keepFiringFor: '5m',
        labels: ['job'],
        panel: 'health/Configuration valid',
        summary: 'Configuration reload failed',
        description:
          'An exporter of job {{ $labels.job }} could not reload its configuration and keeps the previous one. A restart would fail.',
      },
      {
        name: 'LabelsRenamed',
        expr: renamableLabels
          .map(
            (renamable) =>
              `label_replace(${renamedValues(renamable)}, "label", "${renamable.label}", "", "")`,
          )
          .join('\nor '),
        severity: 'warning',
        for: '15m',
        keepFiringFor: '15m',
        labels: ['job', 'label'],
        panel: 'health/Values of renamed labels',
        summary: 'Prometheus renames labels of the exporter',
        description:
          'Targets of job {{ $labels.job }} have a label {{ $labels.label }} of their own, which moves the exporter’s values ({{ $value }}) to exported_{{ $labels.label }}. Sums, panels and alerts by {{ $labels.label }} are wrong. Set honor_labels: true in the scrape configuration.',
      },
      {
        name: 'RecordsRejected',
        expr: `max by (org,dataset) (increase(${recordsRejected.name}[1d])) > ${threshold('rejectedRecords')}`,
        severity: 'warning',
        for: '15m',
        keepFiringFor: '2h',
        labels: ['org', 'dataset'],
        panel: 'health/Records rejected',
        summary: 'The platform sends unusable data',
        description: `{{ ${numberOf()} }} rows, documents or fields of {{ $labels.dataset }} of organization {{ $labels.org }} were rejected within a day. Its values may be missing or outdated.`,
      },
      {
        name: 'ValuesFolded',
        expr: `max by (org,metric) (${valuesFolded.name}) > ${threshold('valuesFolded')}`,
        severity: 'info',
        for: '1h',
        keepFiringFor: '1h',
        labels: ['org', 'metric'],
        panel: 'health/Values folded into “other”',
        summary: 'Label values are folded into other',
        description:
          '{{ $value }} label values of {{ $labels.metric }} of organization {{ $labels.org }} are over limits.values_per_label. Sums stay correct, but these values cannot be distinguished.',
      },
      {
        name: 'ContractChanged',
        // Tells once: a day later, the fields are those of the day before.
        expr: [ownMetrics.unknownFields, ownMetrics.missingFields]
          .map(
            ({ name }) =>
              `max by (org,dataset) (${name}) > (max by (org,dataset) (${name} offset 1d) or max by (org,dataset) (${name}) * 0)`,
          )
          .join('\nor '),
        severity: 'info',
        for: '15m',
        labels: ['org', 'dataset'],
        panel: 'health/Fields that changed',
        summary: 'The platform’s answers have changed',
        description:
          'Answers of {{ $labels.dataset }} of organization {{ $labels.org }} have a field that is not read, or lack one that they had. The page of the exporter names it.',
      },
      {
        name: 'FamiliesDropped',
        expr: `max by (org,collector) (${familiesDropped.name}) > ${threshold('familiesDropped')}`,
        severity: 'warning',
        for: '15m',
        keepFiringFor: '1h',
        labels: ['org', 'collector'],
        panel: 'health/Metrics dropped',
        summary: 'Metrics are dropped over the series limit',
        description:
          '{{ $value }} metrics of collector {{ $labels.collector }} of organization {{ $labels.org }} are not published because the organization is over limits.series.',
      },
    ],
  };
}
