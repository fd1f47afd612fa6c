import type { DayReader } from '../../catalog/platform.ts';
import type { ProductivityRow } from '../../collectors/productivity/dataset.ts';
import { fetchReports, type ReportRow } from './organization.ts';

const PRODUCTIVITY = {
  dataset: 'productivity',
  rowOf,
  partsOf: {
    pull_requests: ['pullRequests', 'pullRequestsMerged'],
    loc_added_sum: ['linesAdded'],
    loc_deleted_sum: ['linesRemoved'],
    loc_suggested_to_add_sum: ['linesSuggested'],
    code_generation_activity_count: ['suggestionsShown'],
    code_acceptance_activity_count: ['suggestionsAccepted'],
  },
} as const;

export const reader: DayReader<ProductivityRow> = {
  fetchDays: (source, window) => fetchReports(source, window, PRODUCTIVITY),
};

function rowOf(report: ReportRow): ProductivityRow {
  const { pull_requests: pullRequests } = report;
  return {
    pullRequests: pullRequests?.total_created_by_copilot ?? undefined,
    pullRequestsMerged: pullRequests?.total_merged_created_by_copilot ?? undefined,
    linesAdded: report.loc_added_sum,
    linesRemoved: report.loc_deleted_sum,
    linesSuggested: report.loc_suggested_to_add_sum,
    suggestionsShown: report.code_generation_activity_count,
    suggestionsAccepted: report.code_acceptance_activity_count,
  };
}
