import { ownMetrics } from '../../../src/exposition/own-metrics.ts';
import type { Row } from '../dashboard.ts';
import { newest, rate } from '../expression.ts';
import { lines } from '../panels/chart.ts';
import { ranking } from '../panels/ranking.ts';
import { line, now } from '../query.ts';
import { processMetrics } from './process-metrics.ts';

/** How large it is. */
export const size: Row = {
  title: 'Size',
  panels: [
    ranking({
      title: 'Series by collector',
      text: 'Series that each collector has published, over all organizations.',
      unit: 'short',
      what: 'Collector',
      value: 'Series',
      reduce: 'lastNotNull',
      queries: [now(newest(ownMetrics.series), '{{collector}}')],
      width: 6,
    }),
    lines({
      title: 'Memory',
      text: 'Memory of each exporter process.',
      unit: 'bytes',
      queries: [line(newest(processMetrics.memory), '{{instance}}')],
      width: 6,
    }),
    lines({
      title: 'Processor',
      text: 'How much of one processor core each exporter process keeps busy.',
      unit: 'percentunit',
      queries: [line(rate(processMetrics.cpu), '{{instance}}')],
      width: 6,
    }),
    lines({
      title: 'Event loop lag',
      text: 'How late each process ran what was due, 99th percentile: what a scrape may have to wait.',
      unit: 's',
      queries: [line(newest(processMetrics.loopLag), '{{instance}}')],
      width: 6,
    }),
  ],
};
