import type { DerivedCollector } from '../../catalog/collector.ts';
import { tokensCollector } from '../tokens/collector.ts';
import { type TokensRow, tokensDataset } from '../tokens/dataset.ts';
import { costFamilies } from './cost-families.ts';
import { creditFamilies } from './credit-families.ts';

/** What the credits amount to: month, trend, expectation and cost, from the days that `tokens` has fetched. */
export const spendCollector: DerivedCollector<TokensRow> = {
  name: 'spend',
  description: 'Credits of the month, their forecast and cost, from the days of the collector tokens.',
  enabledByDefault: true,
  derivesFrom: tokensCollector.name,
  dataset: tokensDataset,
  families: [...creditFamilies, ...costFamilies],
};
