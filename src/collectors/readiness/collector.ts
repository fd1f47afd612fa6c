import type { DocumentCollector } from '../../catalog/collector.ts';
import {
  type CurrentFamily,
  currentFamily,
  type FamilyDeclaration,
  type Sample,
  UNKNOWN,
} from '../../catalog/family.ts';
import type { View } from '../../catalog/view.ts';
import { figure, parts } from '../samples.ts';
import { type EvaluatedCriterion, type ReadinessReport, readinessDataset } from './dataset.ts';
import {
  bandOf,
  changedBetween,
  lowerBound,
  ratioOf,
  regressedBetween,
  scoreOf,
  statusesOf,
} from './score.ts';
import { type Selected, selectReports } from './selection.ts';

const RESULTS = 'readiness: criteria';

/** The families about readiness reports. */
export const readinessFamilies = {
  readinessRatio: ofRepo(({ current }) => scoreOf(current), {
    name: 'agent_platform_readiness_ratio',
    help: 'Mean share of applications that pass, over the criteria not skipped, in the current report of the repository.',
  }),

  readinessRatioPrevious: ofRepo(({ previous }) => scoreOf(previous), {
    name: 'agent_platform_readiness_ratio_previous',
    help: 'Same as agent_platform_readiness_ratio, for the newest earlier report of the same branch with another commit.',
  }),

  readinessCriterionRatio: ofCriteria(ratioOf, {
    name: 'agent_platform_readiness_criterion_ratio',
    help: 'Share of the evaluated applications that pass a criterion in the current report; absent where the criterion was skipped.',
  }),

  readinessCriterionRatioPrevious: ofReports({
    name: 'agent_platform_readiness_criterion_ratio_previous',
    help: 'Same as agent_platform_readiness_criterion_ratio, for the previous report; only where both reports evaluated the criterion and the ratios differ.',
    labels: ['criterion'],
    samplesOf: ({ current, previous }) =>
      changedBetween(current, previous).map(({ id, before }) => ({
        labels: { criterion: id },
        value: before,
      })),
  }),

  readinessCriterionPassed: ofCriteria(({ passed }) => passed, {
    isShown: withCounts,
    name: 'agent_platform_readiness_criterion_passed',
    help: 'Applications that pass a criterion in the current report; absent where the criterion was skipped. Do not sum over criteria.',
    unit: 'applications',
    source: 'readiness: criteria.passed',
    aggregation: 'additive',
    dropPriority: 'detail',
  }),

  readinessCriterionEvaluated: ofCriteria(({ evaluated }) => evaluated, {
    isShown: withCounts,
    name: 'agent_platform_readiness_criterion_evaluated',
    help: 'Applications evaluated against a criterion in the current report; absent where the criterion was skipped. Do not sum over criteria.',
    unit: 'applications',
    source: 'readiness: criteria.evaluated',
    aggregation: 'additive',
    dropPriority: 'detail',
  }),

  readinessCriteria: ofReports({
    name: 'agent_platform_readiness_criteria',
    help: 'Criteria of the current report, by status: passed by all, some or none of the applications, or skipped.',
    labels: ['status'],
    fixedLabels: ['status'],
    unit: 'criteria',
    aggregation: 'additive',
    samplesOf: ({ current }) => parts('status', statusesOf(current) ?? {}) ?? [],
  }),

  readinessCriteriaRegressed: ofRepo(
    ({ current, previous }) => previous && regressedBetween(current, previous),
    {
      name: 'agent_platform_readiness_criteria_regressed',
      help: 'Criteria evaluated in both the current and the previous report with a lower ratio in the current one.',
      unit: 'criteria',
      aggregation: 'additive',
    },
  ),

  readinessApplications: ofRepo(({ current }) => current.applications, {
    name: 'agent_platform_readiness_applications',
    help: 'Applications found in the repository by the current report.',
    unit: 'applications',
    source: 'readiness: applications',
    aggregation: 'additive',
  }),

  readinessReportTimestampSeconds: ofRepo(({ current }) => current.createdAt / 1000, {
    name: 'agent_platform_readiness_report_timestamp_seconds',
    help: 'Creation time of the current report, in Unix seconds.',
    unit: 'seconds',
    source: 'readiness: createdAt',
    aggregation: 'timestamp',
  }),

  readinessReportInfo: ofReports({
    name: 'agent_platform_readiness_report_info',
    help: 'Attributes of the current report, always 1; unknown attributes are empty.',
    labels: [
      'branch',
      'commit',
      'model',
      'reasoning_effort',
      'client_version',
      'local_changes',
      'non_remote_commits',
    ],
    unit: 'info',
    source: 'readiness: branch, commit, model, clientVersion, localChanges, nonRemoteCommits',
    aggregation: 'info',
    samplesOf: ({ current }) => [{ labels: infoOf(current), value: 1 }],
  }),

  readinessRatioLower: ofRepo(({ previous, earlier }) => lowerBound(previous, earlier), {
    name: 'agent_platform_readiness_ratio_lower',
    help: 'Ratio below which the current report is worse than the previous one by more than the noise of the earlier reports explains.',
  }),

  readinessLevel: ofRepo(({ current }) => levelOf(current), {
    isShown: ({ settings }) => settings.readiness.levelRule === 'bands',
    name: 'agent_platform_readiness_level',
    help: 'Level of the current report, 1 to 5, in bands of 20% of its ratio. Requires a level rule.',
    unit: 'level',
  }),
};

/** The readiness of the organization's repositories for agents, by their current reports. */
export const readinessCollector: DocumentCollector<ReadinessReport> = {
  name: 'readiness',
  description: 'Agent-readiness reports of the repositories.',
  schedule: 'readiness',
  enabledByDefault: true,
  dataset: readinessDataset,
  families: Object.values(readinessFamilies),
  // Loaded on first use, so that validation code does not delay the first scrape.
};

function selected(view: View): readonly Selected[] {
  return view.once(select);
}

function select(view: View): readonly Selected[] {
  return selectReports(view.documents(readinessDataset), view.settings.readiness, view.asOf);
}

function withCounts({ settings }: View): boolean {
  return settings.readiness.criterionCounts;
}

/** The declaration of a family; by default it is a ratio of results. */
interface Line
  extends Pick<CurrentFamily, 'name' | 'help'>,
    Partial<Pick<CurrentFamily, 'unit' | 'source' | 'aggregation' | 'dropPriority'>> {
  /** Whether the settings enable the family; always by default. */
  isShown?(view: View): boolean;
}

/** A family with samples of the reports of each repository, whose label comes first. */
function ofReports<const Label extends string = never>({
  labels,
  samplesOf,
  isShown = () => true,
  ...line
}: Line &
  Pick<FamilyDeclaration<Label>, 'labels' | 'fixedLabels'> & {
    samplesOf(reports: Selected): readonly Sample<NoInfer<Label>>[];
  }) {
  function* samplesOfAll(view: View): Generator<Sample<'repo' | Label>> {
    for (const reports of selected(view)) {
      const { repo } = reports.current;
      for (const { labels: own, value } of samplesOf(reports)) yield { labels: { repo, ...own }, value };
    }
  }
  return currentFamily<'repo' | Label>({
    unit: 'ratio',
    source: RESULTS,
    aggregation: 'ratio',
    ...line,
    labels: ['repo', ...labels],
    samplesOf: (view) => (isShown(view) ? samplesOfAll(view) : undefined),
  });
}

/** A family with a figure of each repository; null where it is unusable. */
function ofRepo(figureOf: (reports: Selected) => number | null | undefined, line: Line) {
  return ofReports({ ...line, labels: [], samplesOf: (reports) => figure(figureOf(reports)) ?? [] });
}

/** A family with a figure of each criterion that was not skipped. */
function ofCriteria(figureOf: (criterion: EvaluatedCriterion) => number, line: Line) {
  return ofReports({
    ...line,
    labels: ['criterion'],
    samplesOf: ({ current: { criteria } }) =>
      (criteria ?? []).flatMap((criterion) => {
        if (criterion.skipped === true) return [];
        const value = criterion.skipped === false ? figureOf(criterion) : UNKNOWN;
        return { labels: { criterion: criterion.id }, value };
      }),
  });
}

function levelOf(report: ReadinessReport): number | undefined {
  const score = scoreOf(report);
  return score === undefined ? undefined : bandOf(score);
}

function infoOf(report: ReadinessReport) {
  return {
    branch: report.branch ?? '',
    commit: report.commit ?? '',
    model: report.model ?? '',
    reasoning_effort: report.reasoningEffort ?? '',
    client_version: report.clientVersion ?? '',
    local_changes: report.localChanges?.toString() ?? '',
    non_remote_commits: report.nonRemoteCommits?.toString() ?? '',
  };
}
