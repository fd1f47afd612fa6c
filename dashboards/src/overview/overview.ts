import type { DashboardSpec } from '../dashboard.ts';
import { links } from '../links.ts';
import { adoption } from './adoption.ts';
import { freshness } from './freshness.ts';
import { output } from './output.ts';
import { readiness } from './readiness.ts';
import { spend } from './spend.ts';

/** The newest day against a week before. */
export const overview: DashboardSpec = {
  ...links.overview,
  description:
    'What happened on the newest complete day, against a week before, and whether the data is fresh. Each panel links to a more detailed dashboard.',
  rows: [freshness, spend, adoption, output, readiness],
  from: 'now-30d',
  refresh: '5m',
};
