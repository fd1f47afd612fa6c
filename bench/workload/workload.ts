import type { Instant } from '../../src/catalog/day.ts';
import type { History } from '../../src/history/history.ts';
import { putAnalytics } from './days.ts';
import { putReports } from './reports.ts';
import { ORG } from './settings.ts';

/** About what the days of an organization come to, beside its repositories. */
const OTHER_SERIES = 289;

/** Fills history, as if parsed from answers, with rows that make about so many series. */
export async function fillHistory(history: History, series: number, now: Instant): Promise<void> {
  await putAnalytics(history, ORG, now);
  await putReports(history, ORG, series - OTHER_SERIES, now);
}
