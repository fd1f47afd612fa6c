import {
  readinessCriteriaRegressed,
  readinessCriterionRatio,
  readinessRatio,
  readinessRatioPrevious,
} from '../../../src/collectors/readiness/collector.ts';
import { newest, promql } from '../expression.ts';
import type { Row } from '../layout.ts';
import { links } from '../links.ts';
import { palette } from '../palette.ts';
import { orgLink } from '../panels/drill.ts';
import { table } from '../panels/table.ts';
import { rows } from '../query.ts';
import { REPO, repoLink } from './variables.ts';

const each = newest(readinessCriterionRatio, { only: REPO });
const regressed = newest(readinessCriteriaRegressed, { only: REPO });
const share = [
  { id: 'min', value: 0 },
  { id: 'max', value: 1 },
  { id: 'decimals', value: 0 },
  { id: 'color', value: { mode: 'fixed', fixedColor: palette.main } },
  { id: 'custom.cellOptions', value: { type: 'gauge', mode: 'basic', valueDisplayMode: 'text' } },
];

/** The criteria to work on. */
export const criteria: Row = {
  title: 'What to work on',
  panels: [
    table({
      title: 'Criteria that fail most',
      text: 'Each criterion across the selected repositories: the mean share of applications that fail it, and the number of repositories that do not fully meet it. Select a repository above to see its criteria.',
      queries: [
        rows(promql`1 - avg by (criterion) (${each})`),
        rows(promql`sum by (criterion) (${each} < bool 1)`),
      ],
      columns: [
        { of: 'criterion', title: 'Criterion', width: 210 },
        { of: 0, title: 'Fails', unit: 'percentunit', properties: share },
        { of: 1, title: 'Repositories', width: 110 },
      ],
      sort: { by: 'Fails', desc: true },
      noValue: 'No report known',
      width: 12,
      height: 11,
    }),
    table({
      title: 'Regressions since the previous report',
      text: 'Repositories with criteria that score lower in the current report than in the previous one of the same branch. The most regressions are first.',
      queries: [
        rows(promql`${regressed} > 0`),
        rows(promql`${newest(readinessRatioPrevious, { only: REPO })} and on (org,repo) (${regressed} > 0)`),
        rows(promql`${newest(readinessRatio, { only: REPO })} and on (org,repo) (${regressed} > 0)`),
      ],
      columns: [
        { of: 'org', title: 'Organization', to: orgLink(links.readiness), width: 125 },
        { of: 'repo', title: 'Repository', to: repoLink, width: 285 },
        { of: 0, title: 'Criteria' },
        { of: 1, title: 'Before', unit: 'percentunit', properties: [{ id: 'decimals', value: 0 }] },
        { of: 2, title: 'Now', unit: 'percentunit', properties: [{ id: 'decimals', value: 0 }] },
      ],
      sort: { by: 'Criteria', desc: true },
      noValue: 'None known',
      width: 12,
      height: 11,
    }),
  ],
};
