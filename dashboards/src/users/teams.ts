import {
  dailyActiveUsersByTeam,
  dailyCreditsByTeam,
  dailyGitCommitsByTeam,
  dailyGitPullRequestsCreatedByTeam,
  dailyToolCallsByTeam,
} from '../../../src/collectors/users/collector.ts';
import type { Row } from '../dashboard.ts';
import { daily, newest, quotient } from '../expression.ts';
import { largestShares } from '../figures.ts';
import { ranking } from '../panels/ranking.ts';
import { strips } from '../panels/strips.ts';
import { table } from '../panels/table.ts';
import { days, rows } from '../query.ts';

const OFF = 'Off, or too few active people';
const credits = daily(dailyCreditsByTeam, { orgs: 'summed' });

/** The teams that are large enough to hide individuals. */
export const teams: Row = {
  title: 'Teams',
  panels: [
    ranking({
      title: 'Credits by team',
      text: 'Standard Credits of each team over the days in the range.',
      unit: 'short',
      what: 'Team',
      value: 'Credits',
      queries: [days(credits, '{{team}}')],
      noValue: OFF,
      width: 6,
    }),
    strips({
      title: 'Share of each team by day',
      text: 'The credits of each team as a share of all teams’ credits on the UTC day. Stronger colours mean larger shares. Only the ten largest of each day are shown.',
      queries: [days(largestShares(credits), '{{team}}')],
      noValue: OFF,
      width: 8,
    }),
    table({
      title: 'Teams on the newest day',
      text: 'Each team on the newest complete day: people, credits, credits per active person, tool calls, commits and pull requests.',
      queries: [
        rows(newest(dailyActiveUsersByTeam)),
        rows(newest(dailyCreditsByTeam)),
        rows(quotient(newest(dailyCreditsByTeam), newest(dailyActiveUsersByTeam))),
        rows(newest(dailyToolCallsByTeam)),
        rows(newest(dailyGitCommitsByTeam)),
        rows(newest(dailyGitPullRequestsCreatedByTeam)),
      ],
      columns: [
        { of: 'org', title: 'Organization', width: 105 },
        { of: 'team', title: 'Team' },
        { of: 0, title: 'People' },
        { of: 1, title: 'Credits' },
        { of: 2, title: 'Per person' },
        { of: 3, title: 'Calls' },
        { of: 4, title: 'Commits' },
        { of: 5, title: 'PRs' },
      ],
      sort: { by: 'Credits', desc: true },
      noValue: OFF,
      width: 10,
    }),
  ],
};
