import { readinessRatio } from '../../../src/collectors/readiness/collector.ts';
import type { Row } from '../dashboard.ts';
import { atEnd, promql } from '../expression.ts';
import { strips } from '../panels/strips.ts';
import { days } from '../query.ts';
import { readinessOverTime } from './over-time.ts';
import { readinessTiles } from './summary.ts';
import { REPO } from './variables.ts';

/** The portfolio in numbers and over time. */
export const trend: Row = {
  title: 'How ready are the repositories?',
  panels: [
    {
      width: 4,
      column: readinessTiles(REPO, { width: 4, height: 3 }),
    },
    readinessOverTime(REPO, { width: 9, height: 12 }),
    strips({
      title: 'Repositories over time',
      text: 'The share of criteria that pass in each repository at the end of each UTC day, from the report current at that time. Stronger colours mean higher readiness. Only the 25 least ready of each day are shown.',
      noValue: 'No report yet',
      bounds: [0.2, 0.4, 0.6, 0.75, 0.9],
      queries: [days(promql`bottomk(25, ${atEnd(readinessRatio, { only: REPO })})`, '{{repo}}')],
      width: 11,
      height: 12,
    }),
  ],
};
