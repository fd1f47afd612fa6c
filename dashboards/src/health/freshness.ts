import { dataDayTimestamp, historyUncovered, orgInfo } from '../../../src/collectors/org-families.ts';
import { ownMetrics } from '../../../src/exposition/own-metrics.ts';
import { increase, newest, promql } from '../expression.ts';
import { dataAge } from '../figures.ts';
import type { Row } from '../layout.ts';
import { links } from '../links.ts';
import { coloursOf } from '../palette.ts';
import { bars, lines } from '../panels/chart.ts';
import { orgLink } from '../panels/drill.ts';
import { table } from '../panels/table.ts';
import { tile } from '../panels/tile.ts';
import { line, now, rows } from '../query.ts';
import { collectorNames, datasetNames, reasons } from './known.ts';

/** The age of the data, and the runs. */
export const freshness: Row = {
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
    bars({
      title: 'Failing collectors by reason',
      text: 'Number of collectors across all organizations whose last run failed, by reason.',
      stack: 'values',
      queries: [
        line(
          promql`sum by (reason) (${newest(ownMetrics.collectorFailing)})`,
          '{{reason}}',
          coloursOf(reasons),
        ),
      ],
      width: 8,
    }),
    table({
      title: 'Datasets',
      text: 'The newest complete day of each dataset, the time since it ended, and the number of days since the start of history without a settled answer.',
      queries: [
        rows(promql`1000 * ${newest(dataDayTimestamp)}`),
        rows(dataAge()),
        rows(newest(historyUncovered)),
      ],
      columns: [
        { of: 'org', title: 'Organization', to: orgLink(links.health), width: 125 },
        { of: 'dataset', title: 'Dataset' },
        { of: 0, title: 'Newest day', unit: 'time:YYYY-MM-DD' },
        { of: 1, title: 'Age', unit: 's', decimals: 0 },
        { of: 2, title: 'Uncovered', total: true },
      ],
      sort: { by: 'Newest day', desc: false },
      width: 10,
    }),
    bars({
      title: 'Days revised',
      text: 'Days that the platform revised, by dataset.',
      stack: 'values',
      queries: [
        line(
          increase(ownMetrics.dayRevisions, '$__rate_interval', { by: ['dataset'] }),
          '{{dataset}}',
          coloursOf(datasetNames),
        ),
      ],
      width: 7,
    }),
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
          queries: [rows(newest(orgInfo))],
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
