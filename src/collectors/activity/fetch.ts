import type { FetchedDays, Window } from '../../catalog/collector.ts';
import type { Source } from '../../catalog/source.ts';
import { askAnalytics, byDay } from '../analytics.ts';
import { type ActivityRow, activityDataset } from './dataset.ts';
import { dayRow } from './schema.ts';

/** Asks for a window's activity. */
export async function fetchActivity(source: Source, window: Window): Promise<FetchedDays<ActivityRow>> {
  const answer = await askAnalytics(source, { dataset: 'activity', window }, dayRow);
  return byDay(answer, activityDataset.parts);
}
