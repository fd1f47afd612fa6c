import { dataDayTimestamp } from '../../../src/collectors/org-families.ts';
import { ownMetrics } from '../../../src/exposition/own-metrics.ts';
import { newest, promql } from '../expression.ts';
import { dataAge } from '../figures.ts';
import { exportersUp } from '../health/process-metrics.ts';
import { WHOLE } from '../health/whole.ts';
import { links } from '../links.ts';
import { palette } from '../palette.ts';
import { tile } from '../panels/tile.ts';
import { now } from '../query.ts';

/** The age of the data of the other panels, in one line. */
export const freshness = tile({
  title: 'Data',
  text: 'The newest UTC day that the figures describe: the latest one of any organization and dataset. How long ago the newest day of the dataset and organization furthest behind ended: up to about a day and a half is normal, and quiet days can make it four. Share of the exporters that Prometheus could scrape, and of the collectors whose last run succeeded. Selected organizations that have data.',
  unit: 'none',
  queries: [
    now(promql`1000 * max(${newest(dataDayTimestamp)})`, 'newest day', {
      colour: palette.main,
      unit: 'time:ddd D MMM',
    }),
    now(promql`max(${dataAge()})`, 'age of the oldest data', {
      colour: palette.main,
      unit: 's',
      decimals: 0,
    }),
    now(promql`avg(${exportersUp()})`, 'exporters up', WHOLE),
    now(promql`avg(${newest(ownMetrics.collectorSuccess)})`, 'collectors succeed', WHOLE),
    now(promql`count(count by (org) (${newest(dataDayTimestamp)}))`, 'organizations', {
      colour: palette.main,
    }),
  ],
  noValue: 'No exporter answers',
  inOneLine: true,
  to: links.health,
  width: 24,
  height: 2,
});
