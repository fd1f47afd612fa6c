import { readerOf } from '../analytics.ts';
import { type Count, summedCounts } from '../counts.ts';
import { elementAmount, members } from '../fields.ts';
import { activityDataset } from './dataset.ts';

export const { dayRow, contract, fetchDays } = readerOf(
  activityDataset,
  { byClient: members(elementAmount).transform((pairs) => pairs && clientsOf(pairs)) },
  { values: { daily_active_users_by_client: ['terminal-ui', 'web', 'non-interactive-cli'] } },
);

function clientsOf(pairs: readonly (readonly [string, number | null | undefined])[]): readonly Count[] {
  const clients: Count[] = [];
  for (const [name, count] of pairs) {
    if (count !== undefined) clients.push({ name, count });
  }
  return summedCounts(clients);
}
