import {
  readinessCriterionRatio,
  readinessCriterionRatioPrevious,
} from '../../../src/collectors/readiness/collector.ts';
import { newest, promql } from '../expression.ts';
import type { Row } from '../layout.ts';
import { palette, TEXT } from '../palette.ts';
import { table } from '../panels/table.ts';
import { rows } from '../query.ts';
import { REPO, repoLink } from './variables.ts';

const now = newest(readinessCriterionRatio, { only: REPO });
/** Only of the criteria that changed. */
const previous = newest(readinessCriterionRatioPrevious, { only: REPO });
const percent = [{ id: 'decimals', value: 0 }];

/** What changed between two reports. */
export const changes: Row = {
  title: 'What changed',
  panels: [
    table({
      title: 'Criteria that changed since the previous report',
      text: 'Criteria of the selected repositories that score differently in the current report than in the previous one of the same branch, which is of another commit. What got worse most is first. Select a repository in the Portfolio to see its criteria alone.',
      queries: [rows(promql`${now} - ${previous}`), rows(previous), rows(promql`${now} and ${previous}`)],
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
                  { value: 0, color: TEXT },
                ],
              },
            },
          ],
        },
        { of: 1, title: 'Before', unit: 'percentunit', width: 100, properties: percent },
        { of: 2, title: 'Now', unit: 'percentunit', width: 100, properties: percent },
      ],
      sort: { by: 'Change', desc: false },
      noValue: 'None known: no criterion changed, or there is no earlier report of another commit',
      height: 11,
    }),
  ],
};
