import type { QueryVariableBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { readinessFamilies as reports } from '../../src/collectors/readiness/collector.ts';
import { wikiFamilies as runs } from '../../src/collectors/wiki/collector.ts';
import type { DashboardSpec } from './dashboard.ts';
import { atEnd, type Described, type Expression, newest, promql } from './expression.ts';
import { since, total } from './figures.ts';
import { SHOWN } from './largest.ts';
import type { Row } from './layout.ts';
import { links } from './links.ts';
import { palette, TEXT } from './palette.ts';
import { lines } from './panels/chart.ts';
import { drillTo, orgLink } from './panels/drill.ts';
import { type PanelSpec, type Placed, step } from './panels/panel.ts';
import { BARS, colouredFrom, colouredText, type TableColumn, table } from './panels/table.ts';
import { tile } from './panels/tile.ts';
import { days, now } from './query.ts';
import { labelVariable, seriesOf } from './variables.ts';

const DAY_S = 86_400;

/** The selected repositories. */
const REPO = { repo: '$repo' } as const;

/** Selects a repository, which then shows its criteria and what changed. */
const repoLink = drillTo(links.readiness, 'repo');

function repoVariable(): QueryVariableBuilder {
  const metric = seriesOf(reports.readinessRatio);
  return labelVariable('repo', 'Repository', { metric }).description(
    'Repositories; select one to see its criteria',
  );
}

/** The repositories in some numbers, of all or of the selected ones. */
export function readinessTile(
  only: { readonly repo?: string },
  place: Pick<PanelSpec, 'to'> & { readonly width: number },
): Placed {
  const ratio = newest(reports.readinessRatio, { only });
  const regressed = newest(reports.readinessCriteriaRegressed, { only });
  const age = since(newest(reports.readinessReportTimestampSeconds, { only }));
  const none = promql`or 0 * count(${ratio})`;
  const previous = newest(reports.readinessRatioPrevious, { only });
  return tile({
    title: 'Readiness',
    text: 'From the current report of each repository: the mean share of applications that pass a criterion; the number of repositories; those that are less ready than in the previous report, and those with a criterion that scores lower than in it, which are not the same; and the age of the oldest report.',
    queries: [
      now(promql`avg(${ratio})`, 'mean', {
        unit: 'percentunit',
        decimals: 0,
        steps: { warn: 0.6, alarm: 0.4 },
      }),
      now(promql`count(${ratio})`, 'repositories'),
      now(promql`count(${ratio} < ${previous}) ${none}`, 'less ready'),
      now(promql`count(${regressed} > 0) ${none}`, 'with a worse criterion'),
      now(promql`max(${age})`, 'oldest report', {
        unit: 's',
        decimals: 0,
        steps: { warn: 30 * DAY_S, alarm: 90 * DAY_S },
      }),
    ],
    noValue: 'Unknown',
    ...place,
  });
}

const each = atEnd(reports.readinessRatio, { only: REPO });
const ratio = newest(reports.readinessRatio, { only: REPO });
/**
 * By the last reports of the range, which ends at the midnight of its last step. Chosen once: chosen for each day, a repository would appear on some of its days only.
 */
const least = `bottomk(${SHOWN}, ${ratio.text.replace(/\((\w+\{.*\})\)$/, '(last_over_time($1[2d:1h] @ end() offset -1d))')})`;

const trend: Row = {
  title: 'How ready are the repositories?',
  panels: [
    readinessTile(REPO, { width: 24 }),
    // Each line reads all repositories, which over a year takes a third of a second for a thousand of them; the best says little.
    lines({
      title: 'Readiness over time',
      text: 'The mean and the worst readiness of all repositories at the end of each UTC day, from the reports current at that time.',
      unit: 'percentunit',
      max: 1,
      noValue: 'No report known',
      queries: [
        days(atEnd(reports.readinessRatio, { only: REPO, across: 'avg' }), 'mean', { colour: palette.main }),
        days(atEnd(reports.readinessRatio, { only: REPO, across: 'min' }), 'worst', {
          draw: 'dashes',
          colour: palette.second,
        }),
      ],
    }),
    lines({
      title: 'Least ready repositories',
      text: 'The share of criteria that pass at the end of each UTC day, from the report current at that time, in the four repositories that are least ready at the end of the range.',
      unit: 'percentunit',
      max: 1,
      noValue: 'No report known',
      queries: [
        days(promql`(${each} and on (org,repo) ${least})`, '{{org}} {{repo}}', { palette: 'series' }),
      ],
    }),
  ],
};

/** A column of a share as it is, in whole percent. */
const share = (of: Expression, title: string): TableColumn => ({
  of,
  title,
  unit: 'percentunit',
  width: 100,
  decimals: 0,
});

/** Two columns of the points that a share lost or gained: only what rose has a sign by itself in Grafana. */
function points(present: Expression, past: Expression): readonly TableColumn[] {
  const change = promql`100 * (${present} - ${past})`;
  return [
    {
      of: promql`clamp_max(${change}, 0)`,
      title: 'Points lost',
      decimals: 1,
      width: 110,
      properties: colouredFrom([step(null, palette.alarm), step(0, TEXT)]),
    },
    {
      of: promql`clamp_min(${change}, 0)`,
      title: 'Points gained',
      unit: 'prefix:+',
      decimals: 1,
      width: 110,
      properties: { color: { mode: 'fixed', fixedColor: TEXT } },
    },
  ];
}

const ofRepo = (family: Described<'repo'>) => newest(family, { by: ['repo'], only: REPO });

/** A column of the number of criteria with a status. */
function criteria(status: string, title: string): TableColumn {
  return {
    of: newest(reports.readinessCriteria, { by: ['repo'], only: { ...REPO, status } }),
    title,
    total: true,
  };
}

/** The columns of a repository's state. */
const columns: readonly TableColumn[] = [
  { of: 'org', title: 'Organization', to: orgLink(links.readiness), width: 125 },
  { of: 'repo', title: 'Repository', to: repoLink, width: 290 },
  { of: ratio, title: 'Ready', ...colouredText({ warn: 0.6, alarm: 0.4 }) },
  ...points(ratio, ofRepo(reports.readinessRatioPrevious)),
  { of: ofRepo(reports.readinessLevel), title: 'Level' },
  criteria('passed', 'Passed'),
  criteria('partial', 'Partial'),
  criteria('failed', 'Failed'),
  criteria('skipped', 'Skipped'),
  { of: ofRepo(reports.readinessCriteriaRegressed), title: 'Worse', total: true },
  { of: ofRepo(reports.readinessApplications), title: 'Apps', total: true },
  {
    of: since(ofRepo(reports.readinessReportTimestampSeconds)),
    title: 'Report age',
    ...colouredText({ warn: 30 * DAY_S, alarm: 90 * DAY_S }),
    unit: 's',
    width: 100,
  },
  { of: 'branch', title: 'Branch', width: 95 },
];

const portfolio: Row = {
  title: 'Repositories',
  panels: [
    table({
      title: 'Portfolio',
      text: 'The current report of each repository: share of criteria that pass, the points that it lost or gained since the previous report, criteria by status, and how many got worse. A click on a repository selects it. The least ready repository is first. The level is shown if a level rule is configured.',
      labels: [newest(reports.readinessReportInfo, { only: REPO })],
      columns,
      sort: { by: 'Ready', desc: false },
      noValue: '–',
      height: 13,
    }),
  ],
};

const criterion = newest(reports.readinessCriterionRatio, { only: REPO });
/** Only of the criteria that changed. */
const before = newest(reports.readinessCriterionRatioPrevious, { only: REPO });
const regressed = promql`(${ofRepo(reports.readinessCriteriaRegressed)} > 0)`;

const changes: Row = {
  title: 'What changed, and what to work on',
  panels: [
    table({
      title: 'Criteria that changed since the previous report',
      text: 'Criteria of the selected repositories that score differently in the current report than in the previous one of the same branch, which is of another commit, in points of a hundred. What got worse most is first. Select a repository in the Portfolio to see its criteria alone.',
      columns: [
        { of: 'repo', title: 'Repository', to: repoLink },
        { of: 'criterion', title: 'Criterion' },
        ...points(criterion, before),
      ],
      sort: { by: 'Points lost', desc: false },
      noValue: '–',
      height: 11,
    }),
    table({
      title: 'Criteria that fail most',
      text: 'Each criterion across the selected repositories: the mean share of applications that fail it, and the number of repositories that do not fully meet it. Select a repository above to see its criteria.',
      columns: [
        { of: 'criterion', title: 'Criterion', width: 210 },
        {
          of: promql`1 - avg by (criterion) (${criterion})`,
          title: 'Fails',
          unit: 'percentunit',
          decimals: 0,
          properties: { min: 0, max: 1, ...BARS },
        },
        { of: promql`sum by (criterion) (${criterion} < bool 1)`, title: 'Repositories', width: 110 },
      ],
      sort: { by: 'Fails', desc: true },
      noValue: 'No report known',
      width: 12,
      height: 11,
    }),
    table({
      title: 'Repositories with worse criteria',
      text: 'Repositories with criteria that score lower in the current report than in the previous one of the same branch, and how ready they were and are as a whole: a repository with a worse criterion can be more ready. The most worse criteria are first.',
      columns: [
        { of: 'org', title: 'Organization', to: orgLink(links.readiness), width: 125 },
        { of: 'repo', title: 'Repository', to: repoLink, width: 285 },
        { of: regressed, title: 'Criteria' },
        share(promql`${ofRepo(reports.readinessRatioPrevious)} and on (org,repo) ${regressed}`, 'Before'),
        share(promql`${ratio} and on (org,repo) ${regressed}`, 'Now'),
      ],
      sort: { by: 'Criteria', desc: true },
      noValue: 'None known',
      width: 12,
      height: 11,
    }),
  ],
};

const NO_RUN = 'None known';
const lastRun = newest(runs.wikiLastRunTimestampSeconds, { only: REPO });

const wiki: Row = {
  title: 'Wiki',
  panels: [
    tile({
      title: 'Wiki runs of all repositories',
      text: 'Selected repositories that have a wiki run; and wiki runs that the platform lists, in total and by status where reported, whatever repository is selected. The platform may list only the newest run of each repository.',
      queries: [
        now(total(runs.wikiRuns), 'runs'),
        now(newest(runs.wikiRunsByStatus, { orgs: 'summed' }), '{{status}}', { colour: palette.quiet }),
        now(promql`count(${lastRun})`, 'repositories with a wiki', { colour: palette.second }),
      ],
      noValue: NO_RUN,
      width: 8,
      height: 8,
    }),
    table({
      title: 'Newest run of each repository',
      text: 'Age and number of pages of the newest wiki run of each selected repository. The oldest is first.',
      columns: [
        { of: 'org', title: 'Organization', to: orgLink(links.readiness), width: 125 },
        { of: 'repo', title: 'Repository', to: repoLink, width: 300 },
        { of: since(lastRun), title: 'Age', unit: 's', decimals: 0 },
        { of: ofRepo(runs.wikiPages), title: 'Pages', total: true },
      ],
      sort: { by: 'Age', desc: true },
      noValue: NO_RUN,
      width: 16,
    }),
  ],
};

/** The readiness of the repositories for agents, and the criteria to work on. */
export const readiness: DashboardSpec = {
  ...links.readiness,
  description:
    'How ready the repositories are for agents, which of them got worse, and which criteria fail most. Select a repository above to see its criteria.',
  rows: [trend, portfolio, changes, wiki],
  variables: [repoVariable()],
};
