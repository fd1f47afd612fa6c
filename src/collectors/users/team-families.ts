import type { Day } from '../../catalog/day.ts';
import { dayFamily, type Sample } from '../../catalog/family.ts';
import type { View } from '../../catalog/view.ts';
import { type TeamFigures, usersDataset } from './dataset.ts';
import { ENDPOINT } from './group-families.ts';

// A team that is missing from a day is folded, or did nothing: a zero would tell that it was the latter.
const NOTE =
  'People without a team are none; teams with fewer than 5 active people are in other, which may hold larger ones too.';

export const dailyCreditsByTeam = dayFamily({
  name: 'agent_platform_daily_credits_by_team',
  help: `Standard Credits consumed on the newest complete UTC day, by team. ${NOTE}`,
  labels: ['team'],
  unit: 'credits',
  source: `${ENDPOINT}: data[].billable_tokens`,
  aggregation: 'additive',
  samplesOf: (view, day) => byTeam(view, day, 'credits'),
});

export const dailyActiveUsersByTeam = dayFamily({
  name: 'agent_platform_daily_active_users_by_team',
  help: `People active on the newest complete UTC day, by team. ${NOTE}`,
  labels: ['team'],
  unit: 'people',
  source: `${ENDPOINT}: data[].sessions, messages, tool_calls, billable_tokens`,
  aggregation: 'additive',
  samplesOf: (view, day) => byTeam(view, day, 'active'),
});

export const dailyToolCallsByTeam = dayFamily({
  name: 'agent_platform_daily_tool_calls_by_team',
  help: `Tool calls on the newest complete UTC day, by team. ${NOTE}`,
  labels: ['team'],
  unit: 'calls',
  source: `${ENDPOINT}: data[].tool_calls`,
  aggregation: 'additive',
  samplesOf: (view, day) => byTeam(view, day, 'toolCalls'),
});

export const dailyGitCommitsByTeam = dayFamily({
  name: 'agent_platform_daily_git_commits_by_team',
  help: `Git commits made via the agent on the newest complete UTC day, by team. ${NOTE}`,
  labels: ['team'],
  unit: 'commits',
  source: `${ENDPOINT}: data[].git_commits`,
  aggregation: 'additive',
  samplesOf: (view, day) => byTeam(view, day, 'commits'),
});

export const dailyGitPullRequestsCreatedByTeam = dayFamily({
  name: 'agent_platform_daily_git_pull_requests_created_by_team',
  help: `Pull requests created via the agent on the newest complete UTC day, by team. ${NOTE}`,
  labels: ['team'],
  unit: 'pull requests',
  source: `${ENDPOINT}: data[].git_prs_created`,
  aggregation: 'additive',
  samplesOf: (view, day) => byTeam(view, day, 'pullRequests'),
});

/** What is told of teams that are large enough. */
export const teamFamilies = [
  dailyCreditsByTeam,
  dailyActiveUsersByTeam,
  dailyToolCallsByTeam,
  dailyGitCommitsByTeam,
  dailyGitPullRequestsCreatedByTeam,
] as const;

function byTeam(
  view: View,
  day: Day,
  figure: Exclude<keyof TeamFigures, 'team'>,
): readonly Sample<'team'>[] | undefined {
  return view.row(usersDataset, day)?.byTeam?.flatMap((team) => {
    const value = team[figure];
    return value === undefined ? [] : [{ labels: { team: team.team }, value }];
  });
}
