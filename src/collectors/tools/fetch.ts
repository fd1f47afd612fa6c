import type { FetchedDays, Window } from '../../catalog/collector.ts';
import type { Source } from '../../catalog/source.ts';
import { askAnalytics, byDay } from '../analytics.ts';
import { type ToolsRow, toolsDataset } from './dataset.ts';
import { dayRow } from './schema.ts';

/** Asks for a window's use of tools. */
export async function fetchTools(source: Source, window: Window): Promise<FetchedDays<ToolsRow>> {
  const answer = await askAnalytics(source, { dataset: 'tools', window }, dayRow);
  return byDay(answer, toolsDataset.parts);
}
