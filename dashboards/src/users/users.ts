import { dailyCreditsByUser } from '../../../src/collectors/users/user-families.ts';
import type { DashboardSpec } from '../dashboard.ts';
import { links } from '../links.ts';
import { labelVariable } from '../variables.ts';
import { groups } from './groups.ts';
import { people } from './people.ts';
import { privacy } from './privacy.ts';
import { teams } from './teams.ts';

/** People and teams, as far as the privacy settings publish them. */
export const users: DashboardSpec = {
  ...links.users,
  description:
    'People and teams, as far as the privacy settings publish them. The first row shows what is published.',
  rows: [privacy, groups, teams, people],
  from: 'now-30d',
  refresh: '5m',
  variables: [
    labelVariable('user', 'Person', {
      metric: `${dailyCreditsByUser.name}{job=~"$job",org=~"$org"}`,
    }).description('People, if they are identified'),
  ],
};
