import { activityDataset } from '../../collectors/activity/dataset.ts';
import { type Count, summedCounts } from '../../collectors/counts.ts';
import { elementAmount, members } from '../fields.ts';
import { readerOf } from './analytics.ts';

export const reader = readerOf(
  activityDataset,
  { byClient: members(elementAmount).transform((pairs) => pairs && clientsOf(pairs)) },
  { values: { daily_active_users_by_client: ['terminal-ui', 'web', 'non-interactive-cli'] } },
);

function clientsOf(pairs: readonly (readonly [string, number | null | undefined])[]): readonly Count[] {
  return summedCounts(pairs.flatMap(([name, count]) => (count === undefined ? [] : [{ name, count }])));
}
