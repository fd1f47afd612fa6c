import {
  dailyActiveUsersByTeam,
  dailyCostByTeam,
  dailyCreditsByTeam,
  dailyGitCommitsByTeam,
  dailyGitPullRequestsCreatedByTeam,
  dailyToolCallsByTeam,
} from '../../../src/collectors/users/collector.ts';
import { daily, newest, quotient } from '../expression.ts';
import { largestAndRest } from '../largest.ts';
import type { Row } from '../layout.ts';
import { links } from '../links.ts';
import { bars } from '../panels/chart.ts';
import { orgLink } from '../panels/drill.ts';
import { ranking } from '../panels/ranking.ts';
import { table } from '../panels/table.ts';
import { days, rows } from '../query.ts';
import { TEAM, teamLink } from './variables.ts';

const OFF = 'None known: off, or too few active people';
const credits = daily(dailyCreditsByTeam, { orgs: 'summed', only: TEAM });

/** The teams that are large enough to hide individuals. */
export const teams: Row = {
  title: 'Teams',
  panels: [
    ranking({
      title: 'Credits by team',
      text: 'Standard Credits of each team over the days in the range; those of no shown team are unassigned.',
      unit: 'short',
      labels: [{ of: 'team', title: 'Team', to: teamLink }],
      value: 'Credits',
      queries: [days(credits, '{{team}}')],
      noValue: OFF,
      width: 9,
      height: 10,
    }),
    bars({
      title: 'Share of each team by day',
      text: 'The five teams with most credits in the range, and the rest, as shares of the credits of all teams on each UTC day.',
      unit: 'short',
      stack: 'shares',
      queries: largestAndRest({ family: dailyCreditsByTeam, label: 'team', only: TEAM }),
      noValue: OFF,
      width: 15,
      height: 10,
    }),
    table({
      title: 'Teams on the newest day',
      text: 'Each team on the newest complete day: people, credits, credits per active person, tool calls, commits and pull requests.',
      queries: [
        rows(newest(dailyActiveUsersByTeam, { only: TEAM })),
        rows(newest(dailyCreditsByTeam, { only: TEAM })),
        rows(
          quotient(
            newest(dailyCreditsByTeam, { only: TEAM }),
            newest(dailyActiveUsersByTeam, { only: TEAM }),
          ),
        ),
        rows(newest(dailyToolCallsByTeam, { only: TEAM })),
        rows(newest(dailyGitCommitsByTeam, { only: TEAM })),
        rows(newest(dailyGitPullRequestsCreatedByTeam, { only: TEAM })),
      ],
      columns: [
        { of: 'org', title: 'Organization', to: orgLink(links.users), width: 125 },
        { of: 'team', title: 'Team', properties: [teamLink] },
        { of: 0, title: 'People', total: true },
        { of: 1, title: 'Credits', total: true },
        { of: 2, title: 'Per person' },
        { of: 3, title: 'Calls', total: true },
        { of: 4, title: 'Commits', total: true },
        { of: 5, title: 'PRs', total: true },
      ],
      sort: { by: 'Credits', desc: true },
      noValue: OFF,
      width: 24,
    }),
    ranking({
      title: 'Cost by team',
      text: 'Cost of each team over the days in the range; that of no shown team is unassigned, so that the teams add up to the cost.',
      unit: 'none',
      decimals: 2,
      labels: [
        { of: 'team', title: 'Team', to: teamLink },
        { of: 'currency', title: 'Currency' },
      ],
      value: 'Cost',
      queries: [
        days(
          daily(dailyCostByTeam, { by: ['team', 'currency'], orgs: 'summed', only: TEAM }),
          '{{team}} ({{currency}})',
        ),
      ],
      noValue: 'No price, or no teams known',
      width: 24,
      height: 8,
    }),
  ],
};
