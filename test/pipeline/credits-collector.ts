import type { DayCollector } from '../../src/catalog/collector.ts';
import type { DayDataset } from '../../src/catalog/dataset.ts';

/** A day that has nothing but credits. */
interface CreditsRow {
  readonly credits: number;
}

const creditsDataset: DayDataset<CreditsRow> = { kind: 'days', name: 'tokens', idle: { credits: 0 } };

/** A collector of credits without families. */
export const creditsCollector: DayCollector<CreditsRow> = {
  name: 'tokens',
  description: '',
  schedule: 'analytics',
  enabledByDefault: true,
  families: [],
  dataset: creditsDataset,
};
