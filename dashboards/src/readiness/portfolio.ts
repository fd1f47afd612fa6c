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
import type { Row } from '../dashboard.ts';
import { newest, promql } from '../expression.ts';
import { palette } from '../palette.ts';
import type { TableColumn } from '../panels/table.ts';
import { table } from '../panels/table.ts';
import { rows } from '../query.ts';
import { REPO } from './variables.ts';

const DAY_S = 86_400;
const steps = (warn: number, alarm: number) =>
  warn < alarm
    ? [
        { value: null, color: palette.main },
        { value: warn, color: palette.second },
        { value: alarm, color: palette.alarm },
      ]
    : [
        { value: null, color: palette.alarm },
        { value: alarm, color: palette.second },
        { value: warn, color: palette.main },
      ];

const coloured = (warn: number, alarm: number) => [
  { id: 'decimals', value: 0 },
  { id: 'custom.cellOptions', value: { type: 'color-text' } },
  { id: 'thresholds', value: { mode: 'absolute', steps: steps(warn, alarm) } },
];

/** The columns of a repository's state. */
const columns: readonly TableColumn[] = [
  { of: 'org', title: 'Organization', width: 105 },
  { of: 'repo', title: 'Repository', width: 285 },
  { of: 0, title: 'Ready', unit: 'percentunit', properties: coloured(0.6, 0.4) },
  { of: 1, title: 'Change', unit: 'percentunit', properties: coloured(0, -0.05) },
  { of: 2, title: 'Level' },
  { of: 3, title: 'Passed' },
  { of: 4, title: 'Partial' },
  { of: 5, title: 'Failed' },
  { of: 6, title: 'Skipped' },
  { of: 7, title: 'Worse' },
  { of: 8, title: 'Apps' },
  { of: 9, title: 'Report age', unit: 's', properties: coloured(30 * DAY_S, 90 * DAY_S), width: 100 },
  { of: 'branch', title: 'Branch' },
  { of: 'model', title: 'Created with', width: 150 },
  { of: 'client_version', title: 'Client' },
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
      text: 'The current report of each repository: share of criteria that pass, its change since the previous report, criteria by status, how many regressed, and how the report was created. The least ready repository is first. The level is shown if a level rule is configured.',
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
