import { dayEvents } from '../annotations.ts';
import type { DashboardSpec } from '../dashboard.ts';
import { links } from '../links.ts';
import { budgets } from './budgets.ts';
import { groups } from './groups.ts';
import { people } from './people.ts';
import { privacy } from './privacy.ts';
import { teams } from './teams.ts';
import { peopleVariables } from './variables.ts';

/** People and teams, as far as the privacy settings publish them. */
export const users: DashboardSpec = {
  ...links.users,
  description:
    'People and teams, as far as the privacy settings publish them. The first row shows what is published.',
  rows: [privacy, groups, teams, budgets, people],
  from: 'now-30d',
  refresh: '5m',
  events: dayEvents,
  variables: peopleVariables(),
};
