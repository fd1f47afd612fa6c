import { thresholds } from '../../../alerts/src/thresholds.ts';
import { historyUncovered } from '../../../src/collectors/org-families.ts';
import { ownMetrics } from '../../../src/exposition/own-metrics.ts';
import { newest, promql } from '../expression.ts';
import { dataAge } from '../figures.ts';
import type { Row } from '../layout.ts';
import { links } from '../links.ts';
import { orgLink } from '../panels/drill.ts';
import { table } from '../panels/table.ts';
import { tile } from '../panels/tile.ts';
import { now, rows } from '../query.ts';
import { failures } from './failures.ts';
import { exportersUp, ofEachExporter } from './process-metrics.ts';
import { WHOLE } from './whole.ts';

const HOUR_S = 3600;
const success = newest(ownMetrics.collectorSuccess);
/** A tile of such a share. */
const SHARE = { ...WHOLE, min: 0, max: 1 } as const;

/** The state of the exporter and its collectors. */
export const state: Row = {
  title: 'Status',
  panels: [
    tile({
      ...SHARE,
      title: 'Exporters up',
      text: 'Share of the exporters that Prometheus could scrape. An exporter that has been down for a week is no longer counted.',
      queries: [now(promql`avg(${exportersUp()})`, 'up')],
      noValue: 'No exporter',
      width: 6,
      height: 3,
    }),
    tile({
      ...SHARE,
      title: 'Collectors OK',
      text: 'Share of collectors across all organizations whose last run succeeded.',
      queries: [now(promql`avg(${success})`, 'succeeded')],
      width: 6,
      height: 3,
    }),
    tile({
      title: 'Oldest data',
      text: `How long ago the newest complete day ended, for the dataset and organization furthest behind. Days without activity explain up to ${thresholds.dataStaleHours.default - 24} hours; beyond that an alert fires.`,
      unit: 's',
      decimals: 0,
      queries: [now(promql`max(${dataAge()})`, 'age')],
      steps: { warn: 54 * HOUR_S, alarm: (thresholds.dataStaleHours.default - 24) * HOUR_S },
      width: 6,
      height: 3,
    }),
    tile({
      title: 'Uncovered days',
      text: 'Days since the start of history without a settled answer, across all organizations and datasets: days still to fetch, days that failed, and days of late datasets. The number shrinks after an installation or an outage.',
      queries: [now(promql`sum(${newest(historyUncovered)})`, 'days')],
      width: 6,
      height: 3,
    }),
    tile({
      ...SHARE,
      title: 'History on disk',
      text: 'Share of exporters that keep all history in the file of storage.path; not known if it is in memory by configuration. Below 100 %, an exporter holds some of it in memory only and loses it on a restart.',
      queries: [now(promql`avg(${ofEachExporter(ownMetrics.historyPersistent)})`, 'on disk')],
      steps: { ...WHOLE.steps, absence: 'calm' },
      noValue: 'Not known',
      width: 8,
      height: 3,
    }),
    tile({
      ...SHARE,
      title: 'Store usable',
      text: 'Share of exporters that can use the file or database of the history; not known if it is in memory by configuration. Below 100 %, an exporter with a database does not poll and refuses hook events.',
      queries: [now(promql`avg(${ofEachExporter(ownMetrics.storeUp)})`, 'usable')],
      steps: { ...WHOLE.steps, absence: 'calm' },
      noValue: 'Not known',
      width: 8,
      height: 3,
    }),
    tile({
      ...SHARE,
      title: 'Configuration valid',
      text: 'Share of exporters whose last configuration reload succeeded. Below 100 %, an exporter keeps its previous configuration.',
      queries: [now(promql`avg(${ofEachExporter(ownMetrics.configReloadSuccessful)})`, 'valid')],
      width: 8,
      height: 3,
    }),
    table({
      title: 'Collectors',
      text: 'The last run of each collector: whether it succeeded, its duration, and the time since the last run and the last success. Failed collectors are first.',
      queries: [
        rows(success),
        rows(newest(ownMetrics.collectorDuration)),
        rows(promql`time() - ${newest(ownMetrics.collectorLastRun)}`),
        rows(promql`time() - ${newest(ownMetrics.collectorLastSuccess)}`),
      ],
      columns: [
        { of: 'org', title: 'Organization', to: orgLink(links.health), width: 125 },
        { of: 'collector', title: 'Collector' },
        { of: 0, title: 'Succeeded', unit: 'bool_yes_no' },
        { of: 1, title: 'Duration', unit: 's', decimals: 2 },
        { of: 2, title: 'Since run', unit: 's', decimals: 0 },
        { of: 3, title: 'Since success', unit: 's', decimals: 0 },
      ],
      sort: { by: 'Succeeded', desc: false },
      width: 15,
      height: 12,
    }),
    table({
      title: 'Failing now',
      text: 'Collectors whose last run failed, with the reason, and organizations that no exporter serves any more. auth: invalid key. role: the key may not read this endpoint. throttled, server, network, timeout: the platform or the connection to it. schema: unexpected answer. limit: a limit was exceeded. organization: the answer belongs to another organization.',
      queries: failures().map(rows),
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
