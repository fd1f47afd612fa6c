import type { DayCollector } from '../../catalog/collector.ts';
import { dayFamily } from '../../catalog/family.ts';
import type { PlatformMoney } from '../../catalog/money.ts';
import { parts } from '../samples.ts';
import { trailing } from '../spend/measure.ts';
import { quotientOf } from '../statistics.ts';
import { tableOf } from '../table.ts';
import { familiesOf, weeklySum, weeksOf } from '../weeks.ts';
import { outputOf, type ProductivityRow, productivityDataset } from './dataset.ts';

const productivity = tableOf(productivityDataset);

/** Limits a family to platforms that report their cost: only these report lines, suggestions and merges. */
const ofOthers = { isFor: ({ currency }: PlatformMoney) => currency !== undefined };

const daily = {
  dailyFiles: productivity.parts(
    'action',
    ({ filesCreated: created, filesEdited: edited }) => ({ created, edited }),
    {
      name: 'agent_platform_daily_files',
      help: 'Files created and edited by the agent on the newest complete UTC day.',
      unit: 'files',
      members: 'filesCreated, filesEdited',
    },
  ),

  dailyFileOperationsByExtension: productivity.counts('byExtension', 'extension', {
    name: 'agent_platform_daily_file_operations_by_extension',
    help: 'File operations of the newest complete UTC day, by file extension; empty for files without one.',
    unit: 'operations',
  }),

  dailyFileOperationsByLanguage: productivity.counts('byLanguage', 'language', {
    name: 'agent_platform_daily_file_operations_by_language',
    help: 'File operations of the newest complete UTC day, by programming language; empty where it is unknown.',
    unit: 'operations',
  }),

  dailyGitCommits: productivity.figure('commits', {
    name: 'agent_platform_daily_git_commits',
    help: 'Git commits made through the agent on the newest complete UTC day.',
    unit: 'commits',
  }),

  dailyGitPullRequestsCreated: productivity.figure('pullRequests', {
    name: 'agent_platform_daily_git_pull_requests_created',
    help: 'Pull requests created through the agent on the newest complete UTC day.',
    unit: 'pull requests',
  }),

  dailyGitPullRequestsMerged: productivity.figure('pullRequestsMerged', {
    name: 'agent_platform_daily_git_pull_requests_merged',
    help: 'Pull requests created through the agent and merged on the newest complete UTC day.',
    unit: 'pull requests',
    ...ofOthers,
  }),

  dailyLines: productivity.parts(
    'action',
    ({ linesAdded: added, linesRemoved: removed, linesSuggested: suggested }) => ({
      added,
      removed,
      suggested,
    }),
    {
      name: 'agent_platform_daily_lines',
      help: 'Lines of code that the agent suggested, added and removed on the newest complete UTC day. Do not sum over action: added lines can have been suggested, too.',
      unit: 'lines',
      members: 'linesAdded, linesRemoved, linesSuggested',
      apart: ['action'],
      ...ofOthers,
    },
  ),

  dailySuggestions: productivity.parts(
    'outcome',
    ({ suggestionsShown: shown, suggestionsAccepted: accepted }) => ({ shown, accepted }),
    {
      name: 'agent_platform_daily_suggestions',
      help: 'Suggestions that the agent showed, and those of them that were accepted, on the newest complete UTC day. Do not sum over outcome: accepted ones were shown.',
      unit: 'suggestions',
      members: 'suggestionsShown, suggestionsAccepted',
      apart: ['outcome'],
      ...ofOthers,
    },
  ),
};

/** The families about output. */
export const productivityFamilies = {
  ...daily,
  commitWeeks: weeksOf(productivityDataset, daily.dailyGitCommits),
  pullRequestWeeks: weeksOf(productivityDataset, daily.dailyGitPullRequestsCreated),
  fileWeeks: weeksOf(productivityDataset, daily.dailyFiles),

  outputPerMillionCredits7d: dayFamily({
    name: 'agent_platform_output_per_million_credits_7d',
    help: 'Files, commits and pull requests per million Standard Credits in the 7 days ending with the newest complete UTC day. Do not sum over output.',
    labels: ['output'],
    fixedLabels: ['output'],
    unit: 'per million credits',
    source:
      'stored days of productivity: filesCreated, filesEdited, commits, pullRequests; of tokens: credits',
    aggregation: 'ratio',
    samplesOf(view, day) {
      const millions = (trailing(view, day, 7, 'credits') ?? 0) / 1e6;
      return parts(
        'output',
        outputOf((figureOn) => quotientOf(weeklySum(view, day, productivityDataset, figureOn), millions)),
      );
    },
  }),
};

/** What the agent produced: files, commits and pull requests. */
export const productivityCollector: DayCollector<ProductivityRow> = {
  name: 'productivity',
  schedule: 'analytics',
  enabledByDefault: true,
  dataset: productivityDataset,
  description: 'Files, commits and pull requests made through the agent.',
  families: familiesOf(productivityFamilies),
};
