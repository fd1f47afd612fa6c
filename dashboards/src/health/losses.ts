import { ownMetrics } from '../../../src/exposition/own-metrics.ts';
import { increase, newest, promql } from '../expression.ts';
import type { Row } from '../layout.ts';
import { links } from '../links.ts';
import { coloursOf } from '../palette.ts';
import { bars } from '../panels/chart.ts';
import { orgLink } from '../panels/drill.ts';
import { ranking } from '../panels/ranking.ts';
import { table } from '../panels/table.ts';
import { line, now, rows } from '../query.ts';
import { collectorNames } from './known.ts';

/** Rejected, folded and dropped data. */
export const losses: Row = {
  title: 'Rejected, folded and dropped',
  folded: true,
  panels: [
    bars({
      title: 'Records rejected',
      text: 'Rows, documents and fields of the platform’s answers that were rejected as unusable, by dataset.',
      stack: 'values',
      queries: [
        line(
          increase(ownMetrics.recordsRejected, '$__rate_interval', { by: ['dataset'] }),
          '{{dataset}}',
          coloursOf(collectorNames),
        ),
      ],
      width: 8,
    }),
    ranking({
      title: 'Values folded into “other”',
      text: 'Label values of each metric that are summed into other, because they exceed limits.values_per_label. Sums stay correct.',
      labels: [{ of: 'metric', title: 'Metric' }],
      value: 'Values',
      reduce: 'lastNotNull',
      queries: [now(promql`sum by (metric) (${newest(ownMetrics.valuesFolded)}) > 0`, '{{metric}}')],
      noValue: 'None known',
      width: 8,
    }),
    ranking({
      title: 'Metrics dropped',
      text: 'Metrics of each collector that are not published, because the organization is over limits.series.',
      labels: [
        { of: 'org', title: 'Organization', to: orgLink(links.health) },
        { of: 'collector', title: 'Collector' },
      ],
      value: 'Metrics',
      reduce: 'lastNotNull',
      queries: [now(promql`${newest(ownMetrics.familiesDropped)} > 0`, '{{org}} {{collector}}')],
      noValue: 'None known',
      width: 8,
    }),
    table({
      title: 'Metrics that are left out',
      text: 'Metrics that the setting metrics.exclude leaves out. A panel of any dashboard that says nothing, or less than it could, may need one of them.',
      queries: [
        rows({
          text: `max by (family) (${ownMetrics.familiesExcluded.name}{job=~"$job"})`,
          about: [ownMetrics.familiesExcluded],
        }),
      ],
      columns: [{ of: 'family', title: 'Metric' }],
      sort: { by: 'Metric', desc: false },
      noValue: 'None known: nothing is left out, or no exporter answers',
      width: 24,
      height: 4,
    }),
  ],
};
