import type { DashboardSpec } from '../dashboard.ts';
import { places } from '../places.ts';
import { adoption } from './adoption.ts';
import { freshness } from './freshness.ts';
import { output } from './output.ts';
import { readiness } from './readiness.ts';
import { spend } from './spend.ts';

/** What happened yesterday, against a week ago. */
export const overview: DashboardSpec = {
  ...places.overview,
  description:
    'What happened on the newest complete day, against a week before, and whether the data is fresh. Each panel links to a more detailed dashboard.',
  rows: [freshness, spend, adoption, output, readiness],
  from: 'now-30d',
  refresh: '5m',
};
