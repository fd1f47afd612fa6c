import { newestOf } from '../../../dashboards/src/promql.ts';
import { LATE_DAYS } from '../../../src/catalog/day-rules.ts';
import { dataDayTimestamp } from '../../../src/collectors/org-families.ts';
import { ownMetrics } from '../../../src/exposition/own-metrics.ts';
import { platforms } from '../../../src/platforms/list.ts';
import { dateInWords, inWords, onPlatforms } from '../queries.ts';
import { OVER_GAPS, type RuleGroup, type RuleSettings } from '../rule.ts';
import { staleHours } from '../thresholds.ts';

/** PromQL for the newest days of the datasets of a platform whose days come later, or earlier, than usual, and from which age in hours they are stale. */
interface OwnDays {
  daysOf(where?: string): string;
  readonly hours: number;
}

function ownDays(): readonly OwnDays[] {
  return platforms.flatMap(({ name, days }) => {
    const byLateness = Map.groupBy(Object.entries(days), ([, { lateDays = LATE_DAYS }]) => lateDays);
    return [...byLateness].flatMap(([lateDays, alike]) => {
      if (lateDays === LATE_DAYS) return [];
      const datasets = alike.map(([dataset]) => dataset).join('|');
      const daysOf = (where = '') =>
        `(${newestOf(dataDayTimestamp, { where: `dataset=~"${datasets}"${where}` })} and on (org) ${onPlatforms(name)})`;
      return [{ hours: staleHours(lateDays), daysOf }];
    });
  });
}

/** PromQL for the age of the newest days that are older than those of their platform may be. */
function staleDays(threshold: string, own: readonly OwnDays[]): string {
  const usual = `time() - ${newestOf(dataDayTimestamp)} > ${threshold} * 3600`;
  return [
    `${usual}${own.map(({ daysOf }) => ` unless ${daysOf()}`).join('')}`,
    ...own.map(({ daysOf, hours }) => `time() - ${daysOf()} > ${hours} * 3600`),
  ].join(' or ');
}

/** Alerts about fetching data from the platform, and its timeliness. */
export function collectionGroup({ threshold }: RuleSettings): RuleGroup {
  const { collectorFailing, collectorSuccess, collectorLastSuccess, apiRequests } = ownMetrics;
  const requests = apiRequests.name;
  const reason = inWords(
    `${collectorFailing.name}{org=%[1]q,collector=%[2]q} == 1`,
    '$labels.org $labels.collector',
    ' ({{ . | first | label "reason" }})',
  );
  const ofDataset = { where: 'org=%[1]q,dataset=%[2]q', args: '$labels.org $labels.dataset' };
  const own = ownDays();
  const hours = own.reduce(
    (otherwise, { daysOf, hours: ofOwn }) =>
      inWords(daysOf(`,${ofDataset.where}`), ofDataset.args, String(ofOwn), otherwise),
    threshold('dataStaleHours'),
  );
  const newestDay = dateInWords(dataDayTimestamp, ofDataset, 'unknown');
  return {
    name: 'agent-platform-collection',
    alerts: [
      {
        name: 'KeyRejected',
        expr: `${newestOf(collectorFailing, { by: ['org', 'reason'], where: 'reason=~"auth|role"' })} > 0`,
        severity: 'critical',
        for: '5m',
        keepFiringFor: '15m',
        labels: ['org', 'reason'],
        panel: 'health/Failing now',
        summary: 'The platform rejects the API key',
        description:
          '{{ $value }} collectors of organization {{ $labels.org }} fail with reason {{ $labels.reason }}: the key is wrong or revoked (auth), or its role may not read this endpoint (role). No new data arrives until the key is replaced.',
      },
      {
        name: 'CollectionFailing',
        // A process that has just started knows its last success, if any, from its history.
        expr: `${newestOf(collectorSuccess)} == 0
unless on (org,collector) (time() - ${newestOf(collectorLastSuccess)} <= ${threshold('collectionFailingHours')} * 3600)`,
        severity: 'warning',
        for: '15m',
        keepFiringFor: '15m',
        labels: ['org', 'collector'],
        panel: 'health/Collectors',
        summary: 'A collector is failing',
        description: `Collector {{ $labels.collector }} of organization {{ $labels.org }} has not succeeded for more than ${threshold('collectionFailingHours')} h${reason}. The last good data is served until --metrics.max-age.`,
      },
      {
        name: 'Throttled',
        // Requests of all replicas are summed, because each sends its own; a pause that the platform requested sends
        // none.
        expr: `sum by (org) (increase(${requests}{code="429"}[2h])) / sum by (org) (increase(${requests}[2h])) > ${threshold('throttledRatio')}
or on (org) max by (org) (${collectorFailing.name}{reason="throttled"}) == 1`,
        severity: 'warning',
        for: '30m',
        keepFiringFor: '1h',
        labels: ['org'],
        panel: 'health/Requests per minute, by answer',
        summary: 'The platform is throttling the exporter',
        description:
          'Requests for organization {{ $labels.org }} are answered with 429 Too Many Requests. Data is late, and other clients of the same key or plan may be throttled as well.',
      },
      {
        name: 'DataStale',
        // The label of the collector lets Alertmanager inhibit it where that collector fails.
        expr: `label_replace(${staleDays(threshold('dataStaleHours'), own)}, "collector", "$1", "dataset", "(.*)")`,
        severity: 'warning',
        for: '30m',
        keepFiringFor: OVER_GAPS,
        labels: ['org', 'dataset', 'collector'],
        panel: 'health/Age of the data',
        summary: 'The newest day of a dataset is old',
        description: `The newest day of {{ $labels.dataset }} (collector {{ $labels.collector }}) of organization {{ $labels.org }} is ${newestDay}. It began {{ $value | humanizeDuration }} ago; days without activity explain ${hours} h at most.`,
      },
    ],
  };
}
