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
import {
  type EvaluatedCriterion,
  READINESS_PATH,
  type ReadinessReport,
  readinessDataset,
} from './dataset.ts';
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

const RESULTS = `${READINESS_PATH}: reports[].report.*`;

/** The families about readiness reports. */
export const readinessFamilies = {
  readinessRatio: ofRepo(({ current }) => scoreOf(current), {
    name: 'agent_platform_readiness_ratio',
    help: 'Mean share of applications that pass, over the criteria not skipped, in the current report of the repository.',
    definition: `The mean, over the criteria that were not skipped, of the applications that pass a criterion divided by those evaluated;
absent if all criteria were skipped or the result of one is unusable. It is that of the current report, the newest one of the repository's main branch: the first of
\`readiness.branches\` with a report, and nothing without one; if that setting is empty \`main\`, else \`master\`, else the branch with the
most reports. Of branches with equally many, it is the one with the newest report, and of those created at the same instant the first by
name. Reports without a branch count where no report of the repository has one.

Example: lint passes in 2 of 4 applications, unit_tests in 4 of 4, docs was skipped. The mean of 0.5 and 1 is 0.75. Without \`main\`
and \`master\`, of \`develop\` with reports of 1 and 5 May and \`trunk\` with reports of 2 and 4 May, \`develop\` is the main branch.`,
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
    definition: `The ratio of the criterion in the report of \`agent_platform_readiness_ratio_previous\`: the newest earlier report of
the same branch with another commit. A series exists for each criterion that both reports evaluated with different ratios, so
that an organization usually has few; subtracting it from \`agent_platform_readiness_criterion_ratio\` gives what changed.

Example: unit_tests passed in 4 of 4 applications and now in 1 of 4, lint in 1 of 2 and now in 2 of 4, and docs was skipped and is
now 1 of 4. Only unit_tests has a previous ratio: 1.`,
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
    source: `${RESULTS}.numerator`,
    aggregation: 'additive',
    dropPriority: 'detail',
  }),

  readinessCriterionEvaluated: ofCriteria(({ evaluated }) => evaluated, {
    isShown: withCounts,
    name: 'agent_platform_readiness_criterion_evaluated',
    help: 'Applications evaluated against a criterion in the current report; absent where the criterion was skipped. Do not sum over criteria.',
    unit: 'applications',
    source: `${RESULTS}.denominator`,
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
    source: `${READINESS_PATH}: reports[].apps`,
    aggregation: 'additive',
  }),

  readinessReportTimestampSeconds: ofRepo(({ current }) => current.createdAt / 1000, {
    name: 'agent_platform_readiness_report_timestamp_seconds',
    help: 'Creation time of the current report, in Unix seconds.',
    unit: 'seconds',
    source: `${READINESS_PATH}: reports[].createdAt`,
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
    source: `${READINESS_PATH}: reports[].branch, commitHash, modelUsed, droidVersion, hasLocalChanges, hasNonRemoteCommits`,
    aggregation: 'info',
    samplesOf: ({ current }) => [{ labels: infoOf(current), value: 1 }],
  }),

  readinessRatioLower: ofRepo(({ previous, earlier }) => lowerBound(previous, earlier), {
    name: 'agent_platform_readiness_ratio_lower',
    help: 'Ratio below which the current report is worse than the previous one by more than the noise of the earlier reports explains.',
    definition: `\`agent_platform_readiness_ratio_previous\` less 3 · 1.4826 · the median of the absolute differences between
consecutive earlier reports of the same branch: ten differences at most, the current report left out, other reports of the
same commit included. At least 0.02 is subtracted, 0.1 if fewer than three differences are known. Never below 0; absent
if the previous ratio is absent.

Example: the previous ratio is 0.80 and the earlier reports, newest first, had 0.80, 0.79, 0.80 and 0.81. The differences are 0.01
each, so that 3 · 1.4826 · 0.01 = 0.0445 is subtracted: 0.7555. A report of 0.77 is within the noise, one of 0.75 is not.`,
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
  apiContract: async () => (await import('./schema.ts')).readinessContract,
  families: Object.values(readinessFamilies),
  // Loaded on first use, so that validation code does not delay the first scrape.
  fetch: async (source) => (await import('./fetch.ts')).fetchReports(source),
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

/** What a family says of itself; it is a ratio of results unless it says otherwise. */
interface Line
  extends Pick<CurrentFamily, 'name' | 'help'>,
    Partial<Pick<CurrentFamily, 'unit' | 'source' | 'aggregation' | 'definition' | 'dropPriority'>> {
  /** Whether the settings ask for it; always by default. */
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
    source: `${RESULTS}.numerator, denominator`,
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
