import type { FetchedDays, Window } from '../../catalog/collector.ts';
import type { Source } from '../../catalog/source.ts';
import { askAnalytics, byDay } from '../analytics.ts';
import { type ProductivityRow, productivityDataset } from './dataset.ts';
import { dayRow } from './schema.ts';

/** Asks for a window's output. */
export async function fetchProductivity(
  source: Source,
  window: Window,
): Promise<FetchedDays<ProductivityRow>> {
  const answer = await askAnalytics(source, { dataset: 'productivity', window }, dayRow);
  return byDay(answer, productivityDataset.parts);
}
