import { spendEvents } from '../annotations.ts';
import type { DashboardSpec } from '../dashboard.ts';
import { links } from '../links.ts';
import { adoption } from './adoption.ts';
import { answers } from './answers.ts';
import { output } from './output.ts';
import { readiness } from './readiness.ts';
import { spend } from './spend.ts';

/** The last seven days against the seven before. */
export const overview: DashboardSpec = {
  ...links.overview,
  description:
    'What happened in the last seven days, against the seven before, whether the budget lasts and whether the data is fresh. Each panel links to a more detailed dashboard.',
  rows: [answers, spend, adoption, output, readiness],
  from: 'now-30d',
  refresh: '5m',
  events: spendEvents,
};
