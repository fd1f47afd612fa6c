import { staleHours, thresholds } from '../../../alerts/src/thresholds.ts';
import { LATE_DAYS, READY_HOURS } from '../../../src/catalog/day-rules.ts';
import { dataDayTimestamp, historyUncovered, orgInfo } from '../../../src/collectors/org-families.ts';
import { ownMetrics } from '../../../src/exposition/own-metrics.ts';
import { platforms } from '../../../src/platforms/list.ts';
import { exporterEvents } from '../annotations.ts';
import type { DashboardSpec } from '../dashboard.ts';
import { type Expression, increase, newest, perMinute, promql, quantile, rate } from '../expression.ts';
import { dataAge, since } from '../figures.ts';
import type { Row } from '../layout.ts';
import { links } from '../links.ts';
import { coloursOf, palette } from '../palette.ts';
import { bars, lines } from '../panels/chart.ts';
import { orgLink } from '../panels/drill.ts';
import type { Placed } from '../panels/panel.ts';
import { ranking } from '../panels/ranking.ts';
import { table } from '../panels/table.ts';
import { tile } from '../panels/tile.ts';
import { line, now, type Query } from '../query.ts';
import { renamableLabels, renamedValues } from '../renamed-labels.ts';
import { failures } from './failures.ts';
import { collectorNames, datasetNames, reasons } from './known.ts';
import { lags } from './lags.ts';
import {
  exportersUp,
  ofEachExporter,
  ofExporters,
  processMetrics,
  rateOfExporters,
  WHOLE,
} from './process-metrics.ts';

const HOUR_S = 3600;
const SECONDS = { unit: 's', decimals: 0 } as const;
const success = newest(ownMetrics.collectorSuccess);

/** A share of exporters or collectors that should be 100 %; it is a reason for alarm if it is absent, unless it can be unknown. */
function share(title: string, text: string, query: Query, { unknown = false } = {}): Placed {
  return tile({
    ...WHOLE,
    ...(unknown && { steps: { ...WHOLE.steps, absence: 'calm' } }),
    title,
    text,
    min: 0,
    max: 1,
    queries: [query],
    noValue: unknown ? 'Not known' : 'No exporter',
    width: 6,
    height: 3,
  });
}

/** Bars over time, stacked by a label whose values are known. */
function stacked(
  title: string,
  text: string,
  names: readonly string[],
  { expression, legend }: Query,
): Placed {
  const queries = [line(expression, legend, coloursOf(names))];
  return bars({ title, text, stack: 'values', queries, width: 8 });
}

/** Age of the oldest data, with limits of its own for platforms that have their days later. */
function oldestData(): Placed {
  const rules = platforms.flatMap(({ title, name, days }) =>
    Object.values(days).flatMap(({ readyWithin = READY_HOURS, lateDays = LATE_DAYS }) =>
      readyWithin > READY_HOURS ? [{ title, name, readyWithin, lateDays }] : [],
    ),
  );
  const names = (of: 'title' | 'name') => [...new Set(rules.map((rule) => rule[of]))];
  const late = `${orgInfo.name}{job=~"$job",org=~"$org",platform=~"${names('name').join('|')}"}`;
  const stepsOf = (ready: number, stale: number) => ({
    warn: (ready + 30) * HOUR_S,
    alarm: (stale - 24) * HOUR_S,
  });
  const usual = thresholds.dataStaleHours.default;
  const own = staleHours(Math.max(...rules.map(({ lateDays }) => lateDays)));
  const ready = Math.max(...rules.map(({ readyWithin }) => readyWithin));
  return tile({
    title: 'Oldest data',
    text: `How long ago the newest complete day ended, for the dataset and organization furthest behind. Days without activity explain up to ${usual - 24} hours, on ${names('title').join(' and ')} up to ${own - 24}; beyond that an alert fires.`,
    unit: 's',
    decimals: 0,
    queries: [
      now(promql`max(${dataAge()} unless on (org) ${late})`, 'age'),
      now(promql`max(${dataAge()} and on (org) ${late})`, names('title').join(', '), {
        steps: stepsOf(ready, own),
      }),
    ],
    steps: stepsOf(READY_HOURS, usual),
    width: 6,
    height: 3,
  });
}

/** The state of the exporter and its collectors. */
const state: Row = {
  title: 'Status',
  panels: [
    share(
      'Exporters up',
      'Share of the exporters that Prometheus could scrape. An exporter that has been down for a week is no longer counted.',
      now(promql`avg(${exportersUp()})`, 'up'),
    ),
    share(
      'Collectors OK',
      'Share of collectors across all organizations whose last run succeeded.',
      now(promql`avg(${success})`, 'succeeded'),
    ),
    oldestData(),
    tile({
      title: 'Uncovered days',
      text: 'Days since the start of history without a settled answer, of all organizations, in the dataset with most of them: days still to fetch, days that failed, and days of late datasets. The number shrinks after an installation or an outage.',
      queries: [now(promql`max(${newest(historyUncovered, { orgs: 'summed' })})`, 'days')],
      width: 6,
      height: 3,
    }),
    share(
      'History on disk',
      'Share of exporters that keep all history in the file of storage.path; not known if it is in memory by configuration. Below 100 %, an exporter holds some of it in memory only and loses it on a restart.',
      now(promql`avg(${ofEachExporter(ownMetrics.historyPersistent)})`, 'on disk'),
      { unknown: true },
    ),
    share(
      'Store usable',
      'Share of exporters that can use the file or database of the history; not known if it is in memory by configuration. Below 100 %, an exporter with a database does not poll and refuses hook events.',
      now(promql`avg(${ofEachExporter(ownMetrics.storeUp)})`, 'usable'),
      { unknown: true },
    ),
    tile({
      title: 'Organizations not polled',
      text: 'Organizations that an exporter has and the one that polls for its database does not. More than 0 for longer than a roll-out takes: exporters with other configurations share a database by mistake.',
      queries: [now(promql`max(${ofEachExporter(ownMetrics.orgsNotPolled)})`, 'organizations')],
      noValue: 'No database',
      width: 6,
      height: 3,
    }),
    share(
      'Configuration valid',
      'Share of exporters whose last configuration reload succeeded. Below 100 %, an exporter keeps its previous configuration.',
      now(promql`avg(${ofEachExporter(ownMetrics.configReloadSuccessful)})`, 'valid'),
    ),
    table({
      title: 'Collectors',
      text: 'The last run of each collector: whether it succeeded, its duration, and the time since the last run and the last success. Failed collectors are first.',
      columns: [
        { of: 'org', title: 'Organization', to: orgLink(links.health), width: 125 },
        { of: 'collector', title: 'Collector' },
        { of: success, title: 'Succeeded', unit: 'bool_yes_no' },
        { of: newest(ownMetrics.collectorDuration), title: 'Duration', unit: 's', decimals: 2 },
        { of: since(newest(ownMetrics.collectorLastRun)), title: 'Since run', ...SECONDS },
        { of: since(newest(ownMetrics.collectorLastSuccess)), title: 'Since success', ...SECONDS },
      ],
      sort: { by: 'Succeeded', desc: false },
      width: 15,
      height: 12,
    }),
    table({
      title: 'Failing now',
      text: 'Collectors whose last run failed, with the reason, and organizations that no exporter serves any more. auth: invalid key. role: the key may not read this endpoint. throttled, server, network, timeout: the platform or the connection to it. schema: unexpected answer. limit: a limit was exceeded. organization: the answer belongs to another organization.',
      labels: failures(),
      columns: [
        { of: 'org', title: 'Organization', to: orgLink(links.health), width: 125 },
        { of: 'collector', title: 'Collector' },
        { of: 'reason', title: 'Reason' },
      ],
      sort: { by: 'Organization', desc: false },
      noValue: 'No exporter',
      width: 9,
      height: 12,
    }),
  ],
};

/** The age of the data, and the runs. */
const freshness: Row = {
  title: 'Data and runs',
  panels: [
    lines({
      title: 'Age of the data',
      text: 'How long ago the newest complete day of each dataset ended, for the organization furthest behind. It rises all day and falls when a new day is published.',
      unit: 's',
      queries: [line(promql`max by (dataset) (${dataAge()})`, '{{dataset}}', coloursOf(datasetNames))],
      width: 8,
    }),
    lines({
      title: 'Duration of runs',
      text: 'Duration of the last run of each collector, for the organization where it took longest.',
      unit: 's',
      queries: [
        line(
          promql`max by (collector) (${newest(ownMetrics.collectorDuration)})`,
          '{{collector}}',
          coloursOf(collectorNames),
        ),
      ],
      width: 8,
    }),
    stacked(
      'Failing collectors by reason',
      'Number of collectors across all organizations whose last run failed, by reason.',
      reasons,
      line(promql`sum by (reason) (${newest(ownMetrics.collectorFailing)})`, '{{reason}}'),
    ),
    table({
      title: 'Datasets',
      text: 'The newest complete day of each dataset, the time since it ended, and the number of days since the start of history without a settled answer.',
      columns: [
        { of: 'org', title: 'Organization', to: orgLink(links.health), width: 125 },
        { of: 'dataset', title: 'Dataset' },
        { of: promql`1000 * ${newest(dataDayTimestamp)}`, title: 'Newest day', unit: 'time:YYYY-MM-DD' },
        { of: dataAge(), title: 'Age', ...SECONDS },
        { of: newest(historyUncovered), title: 'Uncovered' },
      ],
      sort: { by: 'Newest day', desc: false },
      width: 9,
    }),
    stacked(
      'Days revised',
      'Days that the platform revised, by dataset.',
      datasetNames,
      line(increase(ownMetrics.dayRevisions, '$__rate_interval', { by: ['dataset'] }), '{{dataset}}'),
    ),
    {
      width: 7,
      column: [
        tile({
          title: 'Version',
          text: 'Running versions of the exporter.',
          unit: 'none',
          queries: [now(newest(ownMetrics.buildInfo), '{{version}}')],
          named: true,
          height: 3,
        }),
        table({
          title: 'Organizations',
          text: 'The platform’s identifier of each organization.',
          labels: [newest(orgInfo)],
          columns: [
            { of: 'org', title: 'Organization', to: orgLink(links.health) },
            { of: 'org_id', title: 'Identifier' },
          ],
          sort: { by: 'Organization', desc: false },
          height: 5,
        }),
      ],
    },
  ],
};

const buckets = rate(ownMetrics.apiRequestDuration, { by: [], suffix: '_bucket' });

/** Requests to the platform. */
const requests: Row = {
  title: 'Requests to the platform',
  folded: true,
  panels: [
    bars({
      title: 'Requests per minute, by answer',
      text: 'Requests to the platform per minute, including retries, by HTTP status, or timeout or network. 429 means throttling; 401 and 403 mean that the key was rejected.',
      stack: 'values',
      queries: [
        line(perMinute(ownMetrics.apiRequests, { by: ['code'] }), '{{code}}', {
          colour: palette.quiet,
          colours: {
            200: palette.main,
            429: palette.second,
            500: palette.alarm,
            503: palette.fourth,
            401: palette.fifth,
            403: palette.third,
            timeout: palette.deep,
          },
        }),
      ],
      width: 9,
      height: 9,
    }),
    lines({
      title: 'Duration of requests',
      text: 'Time until the complete answer arrived: median, 90th and 99th percentile, estimated from a histogram. Blank if no requests were made.',
      unit: 's',
      queries: [
        line(quantile(0.5, buckets), 'median'),
        line(quantile(0.9, buckets), '90th percentile'),
        line(quantile(0.99, buckets), '99th percentile'),
      ],
      noValue: 'No request in the range',
      width: 8,
      height: 9,
    }),
    ranking({
      title: 'Retries by endpoint',
      text: 'Requests in the range that were retried after a failed attempt.',
      unit: 'locale',
      decimals: 0,
      labels: [{ of: 'endpoint', title: 'Endpoint' }],
      value: 'Retries',
      figure: now(increase(ownMetrics.apiRetries, '$__range', { by: ['endpoint'] })),
      width: 7,
      height: 9,
    }),
  ],
};

/** How many of something each organization has, by another label; those without any are left out. */
function countsOfOrgs({
  by,
  count,
  ...panel
}: {
  readonly title: string;
  readonly text: string;
  readonly by: { readonly of: string; readonly title: string };
  readonly value: string;
  readonly count: Expression;
}) {
  return ranking({
    ...panel,
    labels: [{ of: 'org', title: 'Organization', to: orgLink(links.health) }, by],
    figure: now(promql`${count} > 0`),
    noValue: 'None known',
  });
}

/** Rejected, folded and dropped data. */
const losses: Row = {
  title: 'Rejected, folded and dropped',
  folded: true,
  panels: [
    stacked(
      'Records rejected',
      'Rows, documents and fields of the platform’s answers that were rejected as unusable, by dataset.',
      collectorNames,
      line(increase(ownMetrics.recordsRejected, '$__rate_interval', { by: ['dataset'] }), '{{dataset}}'),
    ),
    ranking({
      title: 'Values folded into “other”',
      text: 'Label values of each metric that are summed into other, because they exceed limits.values_per_label. Sums stay correct.',
      labels: [{ of: 'metric', title: 'Metric' }],
      value: 'Values',
      figure: now(promql`sum by (metric) (${newest(ownMetrics.valuesFolded)}) > 0`),
      noValue: 'None known',
    }),
    countsOfOrgs({
      title: 'Metrics dropped',
      text: 'Metrics of each collector that are not published, because the organization is over limits.series.',
      by: { of: 'collector', title: 'Collector' },
      value: 'Metrics',
      count: newest(ownMetrics.familiesDropped),
    }),
    countsOfOrgs({
      title: 'Fields that changed',
      text: 'Fields of the platform’s answers that are not read, and fields that rows had and no longer have. The page of the exporter names them.',
      by: { of: 'dataset', title: 'Dataset' },
      value: 'Fields',
      count: promql`${newest(ownMetrics.unknownFields)} + ${newest(ownMetrics.missingFields)}`,
    }),
    table({
      title: 'Metrics that are left out',
      text: 'Metrics that the setting metrics.exclude leaves out. A panel of any dashboard that says nothing, or less than it could, may need one of them.',
      labels: [
        {
          text: `max by (family) (${ownMetrics.familiesExcluded.name}{job=~"$job"})`,
          about: [ownMetrics.familiesExcluded],
        },
      ],
      columns: [{ of: 'family', title: 'Metric' }],
      sort: { by: 'Metric', desc: false },
      noValue: 'None known: nothing is left out, or no exporter answers',
      width: 16,
    }),
  ],
};

/** Labels that Prometheus renamed. */
const labels: Row = {
  title: 'Labels of targets',
  folded: true,
  panels: [
    tile({
      title: 'Values of renamed labels',
      text: 'Labels that a target has too: Prometheus keeps the value of the target, such as org, and moves the value of the exporter to exported_org. Sums, panels and alerts then merge what differs. Set honor_labels: true in the scrape configuration.',
      queries: renamableLabels.map((renamable) => {
        const text = `sum(${renamedValues(renamable, 'job=~"$job",org=~"$org",')})`;
        return now({ text, about: [renamable.family] }, renamable.label);
      }),
      noValue: 'None known',
      width: 24,
      height: 3,
    }),
  ],
};

/** Series, memory and CPU usage. */
const size: Row = {
  title: 'Size',
  folded: true,
  panels: [
    ranking({
      title: 'Series by collector',
      text: 'Series published by each collector, across all organizations.',
      labels: [{ of: 'collector', title: 'Collector' }],
      value: 'Series',
      figure: now(newest(ownMetrics.series)),
      width: 6,
      height: 10,
    }),
    lines({
      title: 'Memory',
      text: 'Memory of each exporter process.',
      unit: 'bytes',
      queries: [line(ofExporters(processMetrics.memory), '{{instance}}')],
      width: 6,
      height: 10,
    }),
    lines({
      title: 'CPU',
      text: 'CPU usage of each exporter process, as a share of one core.',
      unit: 'percentunit',
      queries: [line(rateOfExporters(processMetrics.cpu), '{{instance}}')],
      width: 6,
      height: 10,
    }),
    lines({
      title: 'Event loop lag',
      text: 'Event loop delay of each process, 99th percentile. A scrape may be delayed by this long.',
      unit: 's',
      queries: [line(ofExporters(processMetrics.loopLag), '{{instance}}')],
      width: 6,
      height: 10,
    }),
  ],
};

/** The health of the exporter. */
export const health: DashboardSpec = {
  ...links.health,
  description:
    'Health of the exporter: age of the data, collectors, requests to the platform, rejected and dropped data, renamed labels, size, lag of the platform.',
  rows: [state, freshness, requests, losses, labels, size, lags],
  from: 'now-24h',
  refresh: '1m',
  events: exporterEvents,
};
