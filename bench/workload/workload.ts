import type { Instant } from '../../src/catalog/day.ts';
import type { History } from '../../src/history/history.ts';
import { putAnalytics } from './days.ts';
import { putReports, SERIES_PER_REPOSITORY } from './reports.ts';
import { ORG } from './settings.ts';

/** About what the days of an organization come to, beside its repositories. */
const OTHER_SERIES = 285;

/** Fills history, as if parsed from answers, with rows that make about so many series. */
export async function fillHistory(history: History, series: number, now: Instant): Promise<void> {
  await putAnalytics(history, ORG, now);
  const repositories = Math.max(1, Math.round((series - OTHER_SERIES) / SERIES_PER_REPOSITORY));
  await putReports(history, ORG, repositories, now);
}
