import type { Instant } from '../../src/catalog/day.ts';
import type { History } from '../../src/history/history.ts';
import { putAnalytics } from './days.ts';
import { putReports } from './reports.ts';
import { ORG } from './settings.ts';

/** Approximate number of series of an organization's days, without its repositories. */
const OTHER_SERIES = 317;

/** Fills the history with rows, as if parsed from answers, for approximately this many series. */
export async function fillHistory(history: History, series: number, now: Instant): Promise<void> {
  await putAnalytics(history, ORG, now);
  await putReports(history, ORG, series - OTHER_SERIES, now);
}
