import { ownMetrics } from '../../../src/exposition/own-metrics.ts';
import { type Expression, increase, promql, quantile } from '../expression.ts';
import type { Row } from '../layout.ts';
import { table } from '../panels/table.ts';

type Lag = typeof ownMetrics.dayPublishedLag | typeof ownMetrics.daySettledLag;

/** A quantile of the days that were counted in the range. */
function ofDays(share: number, metric: Lag): Expression {
  return promql`${quantile(share, increase(metric, '$__range', { by: ['dataset'], suffix: '_bucket' }))} > 0`;
}

/** How late the platform publishes days. */
export const lags: Row = {
  title: 'Lag of the platform',
  panels: [
    table({
      title: 'When days are published, and when they settle',
      text: 'Time from the end of a day until its figures appeared, and until they last changed, estimated from histograms of the days counted in the range: choose a month. Days are left out that appeared or changed while polls failed.',
      unit: 's',
      columns: [
        { of: 'dataset', title: 'Dataset' },
        { of: ofDays(0.5, ownMetrics.dayPublishedLag), title: 'Published, median' },
        { of: ofDays(0.9, ownMetrics.dayPublishedLag), title: 'Published, 90th percentile' },
        { of: ofDays(0.5, ownMetrics.daySettledLag), title: 'Settled, median' },
        { of: ofDays(0.9, ownMetrics.daySettledLag), title: 'Settled, 90th percentile' },
      ],
      sort: { by: 'Dataset', desc: false },
      noValue: 'No day in the range',
      height: 7,
    }),
  ],
};
