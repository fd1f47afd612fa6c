import { readinessRatio } from '../../../src/collectors/readiness/collector.ts';
import { atEnd, type Expression, newest, promql } from '../expression.ts';
import type { Row } from '../layout.ts';
import { lines } from '../panels/chart.ts';
import { days } from '../query.ts';
import { readinessOverTime } from './over-time.ts';
import { readinessTiles } from './summary.ts';
import { REPO } from './variables.ts';

const each = atEnd(readinessRatio, { only: REPO });
const ratio = newest(readinessRatio, { only: REPO });
/**
 * By the last reports of the range, which ends at the midnight of its last step. Chosen once: chosen for each day, a repository would appear on some of its days only.
 */
const least: Expression = {
  text: `bottomk(5, ${ratio.text.replace(/\((\w+\{.*\})\)$/, '(last_over_time($1[2d:1h] @ end() offset -1d))')})`,
  about: [],
};

/** The portfolio in numbers and over time. */
export const trend: Row = {
  title: 'How ready are the repositories?',
  panels: [
    {
      width: 4,
      column: readinessTiles(REPO, { width: 4, height: 3 }),
    },
    readinessOverTime(REPO, { width: 9, height: 12 }),
    lines({
      title: 'Least ready repositories',
      text: 'The share of criteria that pass at the end of each UTC day, from the report current at that time, in the five repositories that are least ready at the end of the range.',
      unit: 'percentunit',
      max: 1,
      noValue: 'No report known',
      queries: [days(promql`(${each} and on (org,repo) ${least})`, '{{repo}}', { palette: 'series' })],
      width: 11,
      height: 12,
    }),
  ],
};
