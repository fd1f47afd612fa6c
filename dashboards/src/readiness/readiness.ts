import { dayEvents } from '../annotations.ts';
import type { DashboardSpec } from '../dashboard.ts';
import { links } from '../links.ts';
import { changes } from './changes.ts';
import { criteria } from './criteria.ts';
import { portfolio } from './portfolio.ts';
import { trend } from './trend.ts';
import { repoVariable } from './variables.ts';
import { wiki } from './wiki.ts';

/** The readiness of the repositories for agents, and the criteria to work on. */
export const readiness: DashboardSpec = {
  ...links.readiness,
  description:
    'How ready the repositories are for agents, which of them regressed, and which criteria fail most. Select a repository above to see its criteria.',
  rows: [trend, portfolio, changes, criteria, wiki],
  from: 'now-90d',
  refresh: '5m',
  events: dayEvents,
  variables: [repoVariable()],
};
