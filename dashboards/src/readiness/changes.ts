import {
  readinessCriterionRatio,
  readinessReportTimestampSeconds,
} from '../../../src/collectors/readiness/collector.ts';
import { atNoon, type Expression, newest, promql } from '../expression.ts';
import type { Row } from '../layout.ts';
import { palette } from '../palette.ts';
import { table } from '../panels/table.ts';
import { rows } from '../query.ts';
import { REPO, repoLink } from './variables.ts';

const now = newest(readinessCriterionRatio, { only: REPO });

/** The end of the range in seconds, which within a subquery `end()` means in Prometheus alone. */
const RANGE_END = `\${__to:date:seconds}`;
const report = newest(readinessReportTimestampSeconds, { only: REPO });
const current: Expression = { ...report, text: report.text.replace('})', `} @ ${RANGE_END})`) };

/** Each criterion of the newest report before the current one: at the last noon at which another one was current. */
const previous = promql`last_over_time((${atNoon(readinessCriterionRatio, { only: REPO })} and on (org,repo) (${atNoon(readinessReportTimestampSeconds, { only: REPO })} < on (org,repo) ${current}))[45d:1d])`;

/**
 * The current value of each criterion that changed, with the former one as the label `before`: to look for it in the reports
 * of 45 days takes seconds for 20 000 criteria, and every further query would do so again.
 */
const changed = promql`count_values by (org,repo,criterion) ("before", ${previous} != on (org,repo,criterion) ${now}) * on (org,repo,criterion) group_left () ${now}`;
const percent = [{ id: 'decimals', value: 0 }];

/** What changed between two reports. */
export const changes: Row = {
  title: 'What changed',
  panels: [
    table({
      title: 'Criteria that changed since the report before',
      text: 'Criteria of the selected repositories that score differently in the current report than in the report before it, as far as that was current at a noon (UTC) of the last 45 days. What got worse most is first. Select a repository in the Portfolio to see its criteria alone.',
      queries: [rows(changed)],
      columns: [
        { of: 'repo', title: 'Repository', to: repoLink },
        { of: 'criterion', title: 'Criterion' },
        {
          of: { value: 0, minus: 'before' },
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
        { of: { number: 'before' }, title: 'Before', unit: 'percentunit', width: 100, properties: percent },
        { of: 0, title: 'Now', unit: 'percentunit', width: 100, properties: percent },
      ],
      sort: { by: 'Change', desc: false },
      noValue: 'No criterion changed, or no earlier report in 45 days',
      height: 11,
    }),
  ],
};
