import {
  readinessApplications,
  readinessCriteria,
  readinessCriteriaRegressed,
  readinessLevel,
  readinessRatio,
  readinessRatioPrevious,
  readinessReportInfo,
  readinessReportTimestampSeconds,
} from '../../../src/collectors/readiness/collector.ts';
import { newest, promql } from '../expression.ts';
import type { Row } from '../layout.ts';
import { links } from '../links.ts';
import { palette, TEXT, WARNING_TEXT } from '../palette.ts';
import { orgLink } from '../panels/drill.ts';
import type { TableColumn } from '../panels/table.ts';
import { table } from '../panels/table.ts';
import { rows } from '../query.ts';
import { REPO, repoLink } from './variables.ts';

const DAY_S = 86_400;
const steps = (warn: number, alarm: number) =>
  warn < alarm
    ? [
        { value: null, color: TEXT },
        { value: warn, color: WARNING_TEXT },
        { value: alarm, color: palette.alarm },
      ]
    : [
        { value: null, color: palette.alarm },
        { value: alarm, color: WARNING_TEXT },
        { value: warn, color: TEXT },
      ];

const coloured = (warn: number, alarm: number, decimals = 0) => [
  { id: 'decimals', value: decimals },
  { id: 'custom.cellOptions', value: { type: 'color-text' } },
  { id: 'thresholds', value: { mode: 'absolute', steps: steps(warn, alarm) } },
];

/** The columns of a repository's state. */
const columns: readonly TableColumn[] = [
  { of: 'org', title: 'Organization', to: orgLink(links.readiness), width: 125 },
  { of: 'repo', title: 'Repository', to: repoLink, width: 290 },
  { of: 0, title: 'Ready', unit: 'percentunit', properties: coloured(0.6, 0.4) },
  { of: 1, title: 'Change', unit: 'percentunit', properties: coloured(0, -0.05, 1) },
  { of: 2, title: 'Level' },
  { of: 3, title: 'Passed', total: true },
  { of: 4, title: 'Partial', total: true },
  { of: 5, title: 'Failed', total: true },
  { of: 6, title: 'Skipped', total: true },
  { of: 7, title: 'Worse', total: true },
  { of: 8, title: 'Apps', total: true },
  { of: 9, title: 'Report age', unit: 's', properties: coloured(30 * DAY_S, 90 * DAY_S), width: 100 },
  { of: 'branch', title: 'Branch', width: 95 },
];

function criteria(status: string) {
  return rows(newest(readinessCriteria, { by: ['repo'], only: { ...REPO, status } }));
}

const ratio = newest(readinessRatio, { only: REPO });

/** The state of every repository. */
export const portfolio: Row = {
  title: 'Repositories',
  panels: [
    table({
      title: 'Portfolio',
      text: 'The current report of each repository: share of criteria that pass, its change since the previous report, criteria by status, and how many regressed. A click on a repository selects it. The least ready repository is first. The level is shown if a level rule is configured.',
      queries: [
        rows(ratio),
        rows(promql`${ratio} - ${newest(readinessRatioPrevious, { only: REPO })}`),
        rows(newest(readinessLevel, { only: REPO })),
        criteria('passed'),
        criteria('partial'),
        criteria('failed'),
        criteria('skipped'),
        rows(newest(readinessCriteriaRegressed, { only: REPO })),
        rows(newest(readinessApplications, { only: REPO })),
        rows(promql`time() - ${newest(readinessReportTimestampSeconds, { only: REPO })}`),
        rows(newest(readinessReportInfo, { only: REPO })),
      ],
      columns,
      sort: { by: 'Ready', desc: false },
      noValue: '–',
      height: 13,
    }),
  ],
};
