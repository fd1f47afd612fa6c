import type { DayCollector } from '../../catalog/collector.ts';
import { dayFamily } from '../../catalog/family.ts';
import { parts } from '../samples.ts';
import { tableOf } from '../table.ts';
import { type ProductivityRow, productivityDataset } from './dataset.ts';

const ENDPOINT = '/api/v1/analytics/productivity';
const productivity = tableOf(productivityDataset, ENDPOINT);

export const dailyFiles = dayFamily({
  name: 'agent_platform_daily_files',
  help: 'Files created and edited by the agent on the newest complete UTC day.',
  labels: ['action'],
  fixedLabels: ['action'],
  unit: 'files',
  source: `${ENDPOINT}: data[].files_created, files_edited`,
  aggregation: 'additive',
  samplesOf: (view, day) => {
    const row = view.row(productivityDataset, day);
    return parts('action', { created: row?.filesCreated, edited: row?.filesEdited });
  },
});

export const dailyFileOperationsByExtension = productivity.counts('byExtension', 'extension', {
  name: 'agent_platform_daily_file_operations_by_extension',
  help: 'File operations of the newest complete UTC day, by file extension; empty for files without one.',
  unit: 'operations',
  field: 'by_extension[].count',
  part: 'extensions',
});

export const dailyFileOperationsByLanguage = productivity.counts('byLanguage', 'language', {
  name: 'agent_platform_daily_file_operations_by_language',
  help: 'File operations of the newest complete UTC day, by programming language; empty where it is unknown.',
  unit: 'operations',
  field: 'by_language[].count',
  part: 'languages',
});

export const dailyGitCommits = productivity.figure('commits', {
  name: 'agent_platform_daily_git_commits',
  help: 'Git commits made through the agent on the newest complete UTC day.',
  unit: 'commits',
  field: 'git_commits',
});

export const dailyGitPullRequestsCreated = productivity.figure('pullRequests', {
  name: 'agent_platform_daily_git_pull_requests_created',
  help: 'Pull requests created through the agent on the newest complete UTC day.',
  unit: 'pull requests',
  field: 'git_prs_created',
});

/** What the agent produced: files, commits and pull requests. */
export const productivityCollector: DayCollector<ProductivityRow> = {
  name: 'productivity',
  description: 'Files, commits and pull requests made through the agent.',
  schedule: 'analytics',
  enabledByDefault: true,
  dataset: productivityDataset,
  families: [
    dailyFiles,
    dailyFileOperationsByExtension,
    dailyFileOperationsByLanguage,
    dailyGitCommits,
    dailyGitPullRequestsCreated,
  ],
  // Loaded on first use, so that validation code does not delay the first scrape.
  fetch: async (source, window) => (await import('./fetch.ts')).fetchProductivity(source, window),
};
