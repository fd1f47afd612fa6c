import { dataDayTimestamp } from '../../../src/collectors/org-families.ts';
import { ownMetrics } from '../../../src/exposition/own-metrics.ts';
import type { Row } from '../dashboard.ts';
import { newest, promql } from '../expression.ts';
import { dataAge } from '../figures.ts';
import { links } from '../links.ts';
import { tile } from '../panels/tile.ts';
import { now } from '../query.ts';

const HOUR_S = 3600;

/** The age of the data of the other panels. */
export const freshness: Row = {
  title: 'Is the data fresh?',
  panels: [
    tile({
      title: 'Newest complete day',
      text: 'The newest UTC day that the figures below describe: the latest one of any organization and dataset.',
      unit: 'time:ddd D MMM YYYY',
      queries: [now(promql`1000 * max(${newest(dataDayTimestamp)})`, 'day')],
      to: links.health,
      width: 6,
      height: 3,
    }),
    tile({
      title: 'Age of the oldest dataset',
      text: 'How long ago the newest complete day ended, for the dataset and organization furthest behind. Up to about a day and a half is normal. More than 102 hours cannot be explained by a weekend.',
      unit: 's',
      decimals: 0,
      queries: [now(promql`max(${dataAge()})`, 'age')],
      steps: { warn: 54 * HOUR_S, alarm: 102 * HOUR_S },
      to: links.health,
      width: 6,
      height: 3,
    }),
    tile({
      title: 'Collectors succeeding',
      text: 'Share of collectors across all organizations whose last run succeeded.',
      unit: 'percentunit',
      decimals: 0,
      min: 0,
      max: 1,
      queries: [now(promql`avg(${newest(ownMetrics.collectorSuccess)})`, 'succeeded')],
      steps: { warn: 0.999, alarm: 0.75 },
      to: links.health,
      width: 6,
      height: 3,
    }),
    tile({
      title: 'Organizations',
      text: 'Selected organizations that have data.',
      unit: 'none',
      queries: [now(promql`count(count by (org) (${newest(dataDayTimestamp)}))`, 'organizations')],
      to: links.health,
      width: 6,
      height: 3,
    }),
  ],
};
