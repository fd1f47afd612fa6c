import type { DayCollector } from '../../catalog/collector.ts';
import { dayFamily } from '../../catalog/family.ts';
import { counts, figure, parts } from '../samples.ts';
import { type ProductivityRow, productivityDataset } from './dataset.ts';

const ENDPOINT = '/api/v1/analytics/productivity';

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

export const dailyFileOperationsByExtension = dayFamily({
  name: 'agent_platform_daily_file_operations_by_extension',
  help: 'File operations of the newest complete UTC day, by file extension; empty for files without one.',
  labels: ['extension'],
  unit: 'operations',
  source: `${ENDPOINT}: data[].by_extension[].count`,
  aggregation: 'additive',
  breakdown: true,
  part: 'extensions',
  samplesOf: (view, day) => counts('extension', view.row(productivityDataset, day)?.byExtension),
});

export const dailyFileOperationsByLanguage = dayFamily({
  name: 'agent_platform_daily_file_operations_by_language',
  help: 'File operations of the newest complete UTC day, by programming language; empty where it is unknown.',
  labels: ['language'],
  unit: 'operations',
  source: `${ENDPOINT}: data[].by_language[].count`,
  aggregation: 'additive',
  breakdown: true,
  part: 'languages',
  samplesOf: (view, day) => counts('language', view.row(productivityDataset, day)?.byLanguage),
});

export const dailyGitCommits = dayFamily({
  name: 'agent_platform_daily_git_commits',
  help: 'Git commits made through the agent on the newest complete UTC day.',
  labels: [],
  unit: 'commits',
  source: `${ENDPOINT}: data[].git_commits`,
  aggregation: 'additive',
  samplesOf: (view, day) => figure(view.row(productivityDataset, day)?.commits),
});

export const dailyGitPullRequestsCreated = dayFamily({
  name: 'agent_platform_daily_git_pull_requests_created',
  help: 'Pull requests created through the agent on the newest complete UTC day.',
  labels: [],
  unit: 'pull requests',
  source: `${ENDPOINT}: data[].git_prs_created`,
  aggregation: 'additive',
  samplesOf: (view, day) => figure(view.row(productivityDataset, day)?.pullRequests),
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
