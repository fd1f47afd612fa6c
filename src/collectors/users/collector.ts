import type { DayCollector } from '../../catalog/collector.ts';
import { type UsersRow, usersDataset } from './dataset.ts';
import { groupFamilies } from './group-families.ts';
import { teamFamilies } from './team-families.ts';
import { userFamilies } from './user-families.ts';

/** The organization's people: how they work, in groups, and one by one where the operator wants it. */
export const usersCollector: DayCollector<UsersRow> = {
  name: 'users',
  description:
    'People by model, delegation level, language and team, and one by one where they are told apart.',
  schedule: 'users',
  enabledByDefault: false,
  dataset: usersDataset,
  expensive: { windowDays: 1, revisionDays: 3, catchUpDays: 31 },
  families: [...groupFamilies, ...teamFamilies, ...userFamilies],
  // Loaded when it is first needed: what reads answers need not delay the first scrape.
  fetch: async (source, window, settings) =>
    (await import('./fetch.ts')).fetchUsers(source, window, settings?.people),
};
