import type { QueryVariableBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import { dailyActiveUsersByTeam } from '../../../src/collectors/users/collector.ts';
import { dailyCreditsByUser } from '../../../src/collectors/users/user-families.ts';
import { links } from '../links.ts';
import { drillTo } from '../panels/drill.ts';
import { labelVariable } from '../variables.ts';

/** The selected teams. */
export const TEAM = { team: '$team' } as const;

/** Selects a team. */
export const teamLink = drillTo(links.users, 'team');

/** The variables that select teams and people. */
export function peopleVariables(): readonly QueryVariableBuilder[] {
  const of = (metric: string) => `${metric}{job=~"$job",org=~"$org"}`;
  return [
    labelVariable('team', 'Team', { metric: of(dailyActiveUsersByTeam.name) }).description(
      'Teams; the panels by team show the selected ones',
    ),
    labelVariable('user', 'Person', { metric: of(dailyCreditsByUser.name) }).description(
      'People, if they are identified',
    ),
  ];
}
