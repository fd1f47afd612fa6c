import { ownMetrics } from '../../../src/exposition/own-metrics.ts';
import { newest } from '../expression.ts';
import type { Row } from '../layout.ts';
import { lines } from '../panels/chart.ts';
import { ranking } from '../panels/ranking.ts';
import { line, now } from '../query.ts';
import { ofExporters, processMetrics, rateOfExporters } from './process-metrics.ts';

/** Series, memory and CPU usage. */
export const size: Row = {
  title: 'Size',
  folded: true,
  panels: [
    ranking({
      title: 'Series by collector',
      text: 'Series published by each collector, across all organizations.',
      labels: [{ of: 'collector', title: 'Collector' }],
      value: 'Series',
      reduce: 'lastNotNull',
      queries: [now(newest(ownMetrics.series), '{{collector}}')],
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
