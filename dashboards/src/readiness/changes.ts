import {
  readinessCriterionRatio,
  readinessReportTimestampSeconds,
} from '../../../src/collectors/readiness/collector.ts';
import { type Described, type Expression, newest, promql } from '../expression.ts';
import type { Row } from '../layout.ts';
import { palette } from '../palette.ts';
import { table } from '../panels/table.ts';
import { rows } from '../query.ts';
import { REPO, repoLink } from './variables.ts';

const now = newest(readinessCriterionRatio, { only: REPO });

/** A metric at the noons of a subquery with a step of a day, when backfilled reports are stamped too. */
function atNoon(metric: Described<'repo' | 'criterion'>): string {
  const { text } = newest(metric, { only: REPO });
  return text.replace('})', '} offset -12h)');
}

/** The end of the range in seconds, which within a subquery `end()` means in Prometheus alone. */
const RANGE_END = `\${__to:date:seconds}`;

/** Each criterion of the newest report before the current one: at the last noon at which another one was current. */
const previous: Expression = {
  text: `last_over_time((${atNoon(readinessCriterionRatio)} and on (org,repo) (${atNoon(readinessReportTimestampSeconds)} < on (org,repo) ${newest(readinessReportTimestampSeconds, { only: REPO }).text.replace('})', `} @ ${RANGE_END})`)}))[45d:1d])`,
  about: [readinessCriterionRatio, readinessReportTimestampSeconds],
};
const percent = [{ id: 'decimals', value: 0 }];

/** What changed between two reports. */
export const changes: Row = {
  title: 'What changed',
  panels: [
    table({
      title: 'Criteria that changed since the report before',
      text: 'Criteria of the selected repositories that score differently in the current report than in the report before it, as far as that was current at a noon (UTC) of the last 45 days. What got worse most is first. Select a repository in the Portfolio to see its criteria alone.',
      queries: [
        rows(promql`(${now} - on (org,repo,criterion) ${previous}) != 0`),
        rows(promql`${previous} != on (org,repo,criterion) ${now}`),
        rows(promql`${now} != on (org,repo,criterion) ${previous}`),
      ],
      columns: [
        { of: 'repo', title: 'Repository', to: repoLink },
        { of: 'criterion', title: 'Criterion' },
        {
          of: 0,
          title: 'Change',
          unit: 'percentunit',
          width: 100,
          properties: [
            ...percent,
            { id: 'custom.cellOptions', value: { type: 'color-text' } },
            {
              id: 'thresholds',
              value: {
                mode: 'absolute',
                steps: [
                  { value: null, color: palette.alarm },
                  { value: 0, color: palette.main },
                ],
              },
            },
          ],
        },
        { of: 1, title: 'Before', unit: 'percentunit', width: 100, properties: percent },
        { of: 2, title: 'Now', unit: 'percentunit', width: 100, properties: percent },
      ],
      sort: { by: 'Change', desc: false },
      noValue: 'No criterion changed, or no earlier report in 45 days',
      height: 11,
    }),
  ],
};
