import type { DayCollector } from '../../catalog/collector.ts';
import { dayFamily } from '../../catalog/family.ts';
import { parts } from '../samples.ts';
import { trailing } from '../spend/credits.ts';
import { quotientOf } from '../statistics.ts';
import { tableOf } from '../table.ts';
import { familiesOf, weeklySum, weeksOf } from '../weeks.ts';
import { outputOf, type ProductivityRow, productivityDataset } from './dataset.ts';

const productivity = tableOf(productivityDataset);

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
      const millions = (trailing(view, day, 7) ?? 0) / 1e6;
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
