import type { DocumentCollector } from '../../catalog/collector.ts';
import { currentFamily, type Sample, UNKNOWN } from '../../catalog/family.ts';
import type { View } from '../../catalog/view.ts';
import { parts } from '../samples.ts';
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

export const readinessRatio = currentFamily({
  name: 'agent_platform_readiness_ratio',
  help: 'Mean share of applications that pass, over the criteria not skipped, in the current report of the repository.',
  labels: ['repo'],
  unit: 'ratio',
  source: `${RESULTS}.numerator, denominator`,
  aggregation: 'ratio',
  definition: `The mean, over the criteria that were not skipped, of the applications that pass a criterion divided by those evaluated;
absent if all criteria were skipped or the result of one is unusable. It is that of the current report, the newest one of the repository's main branch: the first of
\`readiness.branches\` with a report, and nothing without one; if that setting is empty \`main\`, else \`master\`, else the branch with the
most reports. Of branches with equally many, it is the one with the newest report, and of those created at the same instant the first by
name. Reports without a branch count where no report of the repository has one.

Example: lint passes in 2 of 4 applications, unit_tests in 4 of 4, docs was skipped. The mean of 0.5 and 1 is 0.75. Without \`main\`
and \`master\`, of \`develop\` with reports of 1 and 5 May and \`trunk\` with reports of 2 and 4 May, \`develop\` is the main branch.`,
  samplesOf: (view) => perRepo(view, ({ current }) => scoreOf(current)),
});

export const readinessRatioPrevious = currentFamily({
  name: 'agent_platform_readiness_ratio_previous',
  help: 'Same as agent_platform_readiness_ratio, for the newest earlier report of the same branch with another commit.',
  labels: ['repo'],
  unit: 'ratio',
  source: `${RESULTS}.numerator, denominator`,
  aggregation: 'ratio',
  samplesOf: (view) => perRepo(view, ({ previous }) => scoreOf(previous)),
});

export const readinessCriterionRatio = currentFamily({
  name: 'agent_platform_readiness_criterion_ratio',
  help: 'Share of the evaluated applications that pass a criterion in the current report; absent where the criterion was skipped.',
  labels: ['repo', 'criterion'],
  unit: 'ratio',
  source: `${RESULTS}.numerator, denominator`,
  aggregation: 'ratio',
  samplesOf: (view) => perCriterion(view, ratioOf),
});

export const readinessCriterionRatioPrevious = currentFamily({
  name: 'agent_platform_readiness_criterion_ratio_previous',
  help: 'Same as agent_platform_readiness_criterion_ratio, for the previous report; only where both reports evaluated the criterion and the ratios differ.',
  labels: ['repo', 'criterion'],
  unit: 'ratio',
  source: `${RESULTS}.numerator, denominator`,
  aggregation: 'ratio',
  definition: `The ratio of the criterion in the report of \`agent_platform_readiness_ratio_previous\`: the newest earlier report of
the same branch with another commit. A series exists for each criterion that both reports evaluated with different ratios, so
that an organization usually has few; subtracting it from \`agent_platform_readiness_criterion_ratio\` gives what changed.

Example: unit_tests passed in 4 of 4 applications and now in 1 of 4, lint in 1 of 2 and now in 2 of 4, and docs was skipped and is
now 1 of 4. Only unit_tests has a previous ratio: 1.`,
  samplesOf: changedCriteria,
});

export const readinessCriterionPassed = currentFamily({
  name: 'agent_platform_readiness_criterion_passed',
  help: 'Applications that pass a criterion in the current report; absent where the criterion was skipped. Do not sum over criteria.',
  labels: ['repo', 'criterion'],
  unit: 'applications',
  source: `${RESULTS}.numerator`,
  aggregation: 'additive',
  dropPriority: 'detail',
  samplesOf: (view) => (withCounts(view) ? perCriterion(view, ({ passed }) => passed) : undefined),
});

export const readinessCriterionEvaluated = currentFamily({
  name: 'agent_platform_readiness_criterion_evaluated',
  help: 'Applications evaluated against a criterion in the current report; absent where the criterion was skipped. Do not sum over criteria.',
  labels: ['repo', 'criterion'],
  unit: 'applications',
  source: `${RESULTS}.denominator`,
  aggregation: 'additive',
  dropPriority: 'detail',
  samplesOf: (view) => (withCounts(view) ? perCriterion(view, ({ evaluated }) => evaluated) : undefined),
});

export const readinessCriteria = currentFamily({
  name: 'agent_platform_readiness_criteria',
  help: 'Criteria of the current report, by status: passed by all, some or none of the applications, or skipped.',
  labels: ['repo', 'status'],
  fixedLabels: ['status'],
  unit: 'criteria',
  source: `${RESULTS}.numerator, denominator`,
  aggregation: 'additive',
  samplesOf: perStatus,
});

export const readinessCriteriaRegressed = currentFamily({
  name: 'agent_platform_readiness_criteria_regressed',
  help: 'Criteria evaluated in both the current and the previous report with a lower ratio in the current one.',
  labels: ['repo'],
  unit: 'criteria',
  source: `${RESULTS}.numerator, denominator`,
  aggregation: 'additive',
  samplesOf: (view) =>
    perRepo(view, ({ current, previous }) => previous && regressedBetween(current, previous)),
});

export const readinessApplications = currentFamily({
  name: 'agent_platform_readiness_applications',
  help: 'Applications found in the repository by the current report.',
  labels: ['repo'],
  unit: 'applications',
  source: `${READINESS_PATH}: reports[].apps`,
  aggregation: 'additive',
  samplesOf: (view) => perRepo(view, ({ current }) => current.applications),
});

export const readinessReportTimestampSeconds = currentFamily({
  name: 'agent_platform_readiness_report_timestamp_seconds',
  help: 'Creation time of the current report, in Unix seconds.',
  labels: ['repo'],
  unit: 'seconds',
  source: `${READINESS_PATH}: reports[].createdAt`,
  aggregation: 'timestamp',
  samplesOf: (view) => perRepo(view, ({ current }) => current.createdAt / 1000),
});

export const readinessReportInfo = currentFamily({
  name: 'agent_platform_readiness_report_info',
  help: 'Attributes of the current report, always 1; unknown attributes are empty.',
  labels: [
    'repo',
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
  samplesOf: infos,
});

export const readinessRatioLower = currentFamily({
  name: 'agent_platform_readiness_ratio_lower',
  help: 'Ratio below which the current report is worse than the previous one by more than the noise of the earlier reports explains.',
  labels: ['repo'],
  unit: 'ratio',
  source: `${RESULTS}.numerator, denominator`,
  aggregation: 'ratio',
  definition: `\`agent_platform_readiness_ratio_previous\` less 3 · 1.4826 · the median of the absolute differences between
consecutive earlier reports of the same branch: ten differences at most, the current report left out, other reports of the
same commit included. At least 0.02 is subtracted, 0.1 if fewer than three differences are known. Never below 0; absent
if the previous ratio is absent.

Example: the previous ratio is 0.80 and the earlier reports, newest first, had 0.80, 0.79, 0.80 and 0.81. The differences are 0.01
each, so that 3 · 1.4826 · 0.01 = 0.0445 is subtracted: 0.7555. A report of 0.77 is within the noise, one of 0.75 is not.`,
  samplesOf: (view) => perRepo(view, ({ previous, earlier }) => lowerBound(previous, earlier)),
});

export const readinessLevel = currentFamily({
  name: 'agent_platform_readiness_level',
  help: 'Level of the current report, 1 to 5, in bands of 20% of its ratio. Requires a level rule.',
  labels: ['repo'],
  unit: 'level',
  source: `${RESULTS}.numerator, denominator`,
  aggregation: 'ratio',
  samplesOf: (view) =>
    view.settings.readiness.levelRule === 'bands'
      ? perRepo(view, ({ current }) => levelOf(current))
      : undefined,
});

/** The readiness of the organization's repositories for agents, by their current reports. */
export const readinessCollector: DocumentCollector<ReadinessReport> = {
  name: 'readiness',
  description: 'Agent-readiness reports of the repositories.',
  schedule: 'readiness',
  enabledByDefault: true,
  dataset: readinessDataset,
  apiContract: async () => (await import('./schema.ts')).readinessContract,
  families: [
    readinessRatio,
    readinessRatioPrevious,
    readinessCriterionRatio,
    readinessCriterionRatioPrevious,
    readinessCriterionPassed,
    readinessCriterionEvaluated,
    readinessCriteria,
    readinessCriteriaRegressed,
    readinessApplications,
    readinessReportTimestampSeconds,
    readinessReportInfo,
    readinessRatioLower,
    readinessLevel,
  ],
  // Loaded on first use, so that validation code does not delay the first scrape.
  fetch: async (source) => (await import('./fetch.ts')).fetchReports(source),
};

function selected(view: View): readonly Selected[] {
  return view.once(select);
}

function select(view: View): readonly Selected[] {
  return selectReports(view.documents(readinessDataset), view.settings.readiness, view.asOf);
}

function withCounts(view: View): boolean {
  return view.settings.readiness.criterionCounts;
}

function* perRepo(
  view: View,
  figureOf: (reports: Selected) => number | null | undefined,
): Generator<Sample<'repo'>> {
  for (const reports of selected(view)) {
    const value = figureOf(reports);
    if (value !== undefined) yield { labels: { repo: reports.current.repo }, value: value ?? UNKNOWN };
  }
}

function* perCriterion(
  view: View,
  figureOf: (criterion: EvaluatedCriterion) => number,
): Generator<Sample<'repo' | 'criterion'>> {
  for (const { current } of selected(view)) {
    for (const criterion of current.criteria ?? []) {
      if (criterion.skipped === true) continue;
      const value = criterion.skipped === null ? UNKNOWN : figureOf(criterion);
      yield { labels: { repo: current.repo, criterion: criterion.id }, value };
    }
  }
}

function* changedCriteria(view: View): Generator<Sample<'repo' | 'criterion'>> {
  for (const { current, previous } of selected(view)) {
    for (const { id, before } of changedBetween(current, previous)) {
      yield { labels: { repo: current.repo, criterion: id }, value: before };
    }
  }
}

function* perStatus(view: View): Generator<Sample<'repo' | 'status'>> {
  for (const { current } of selected(view)) {
    for (const { labels, value } of parts('status', statusesOf(current) ?? {}) ?? []) {
      yield { labels: { repo: current.repo, status: labels.status }, value };
    }
  }
}

function* infos(view: View) {
  for (const { current } of selected(view)) yield { labels: infoOf(current), value: 1 };
}

function levelOf(report: ReadinessReport): number | undefined {
  const score = scoreOf(report);
  return score === undefined ? undefined : bandOf(score);
}

function infoOf(report: ReadinessReport) {
  return {
    repo: report.repo,
    branch: report.branch ?? '',
    commit: report.commit ?? '',
    model: report.model ?? '',
    reasoning_effort: report.reasoningEffort ?? '',
    client_version: report.clientVersion ?? '',
    local_changes: report.localChanges?.toString() ?? '',
    non_remote_commits: report.nonRemoteCommits?.toString() ?? '',
  };
}
