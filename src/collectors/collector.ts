import type { DayCollector, FetchedDays, Window } from '../catalog/collector.ts';
import type { DayDataset } from '../catalog/dataset.ts';
import type { Source } from '../catalog/source.ts';

/** How the answers about a dataset are read. */
export interface DayReader<Row> {
  /** Fetches the days of a window. */
  fetchDays(source: Source, window: Window): Promise<FetchedDays<Row>>;
}

/**
 * What the collectors of datasets with one answer per window have in common. Their readers are loaded on first use, so that
 * validation code does not delay the first scrape.
 */
export function analyticsCollector<Row>(dataset: DayDataset<Row>, load: () => Promise<DayReader<Row>>) {
  return {
    name: dataset.name,
    schedule: 'analytics',
    enabledByDefault: true,
    dataset,
    fetch: async (source, window) => (await load()).fetchDays(source, window),
  } satisfies Partial<DayCollector<Row>>;
}
