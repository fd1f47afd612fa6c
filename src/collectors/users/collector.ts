import type { DayCollector } from '../../catalog/collector.ts';
import { type DayFamily, dayFamily } from '../../catalog/family.ts';
import { ANONYMOUS } from '../../catalog/settings.ts';
import { figure } from '../samples.ts';
import { costOfEach } from '../spend/costs.ts';
import { ofReported } from '../spend/families.ts';
import { type MemberLine, tableOf } from '../table.ts';
import { familiesOf, weeksOf } from '../weeks.ts';
import { type TeamFigures, type UsersRow, usersDataset } from './dataset.ts';
import { personFamilies } from './person-families.ts';
import { accountedByTeam, amountsByTeam } from './team-amounts.ts';
import { teamBudgetFamilies } from './team-budgets.ts';

const users = tableOf(usersDataset);

// A team that is missing from a day is folded or inactive: a zero would reveal that it was inactive.
const NOTE =
  'People without a team are in none. Teams with fewer than 5 active people are in other, which may also contain larger teams.';

const REST =
  'What no shown team has of the total of the day is in unassigned, so that the teams add up to it; it is negative if they have more.';

const dailyCreditsByTeam = dayFamily({
  name: 'agent_platform_daily_credits_by_team',
  help: `Standard Credits consumed on the newest complete UTC day, by team. ${NOTE} ${REST}`,
  labels: ['team'],
  unit: 'credits',
  source: 'users: credits; tokens: credits',
  aggregation: 'additive',
  samplesOf: (view, day) => amountsByTeam(view, day, 'credits'),
});

const dailyCostByTeam = dayFamily({
  name: 'agent_platform_daily_cost_by_team',
  help: `Cost of the newest complete UTC day, by team. ${NOTE} ${REST} Do not sum over currencies.`,
  labels: ['team', 'currency'],
  fixedLabels: ['currency'],
  unit: 'currency',
  source: 'users: credits; tokens: credits; setting orgs[].prices',
  aggregation: 'additive',
  samplesOf: (view, day) => costOfEach(view, day, (measure) => amountsByTeam(view, day, measure)),
});

/** The families about people as a whole, and about teams that are large enough. */
export const userFamilies = {
  dailyUsersByPrimaryModel: users.samples({
    name: 'agent_platform_daily_users_by_primary_model',
    help: 'People active on the newest complete UTC day, by their most used model and its tier.',
    unit: 'people',
    members: 'model, tier',
    labels: ['model', 'tier'],
    samplesOf: ({ byPrimaryModel }) =>
      byPrimaryModel?.map(({ model, tier, people }) => ({ labels: { model, tier }, value: people })),
  }),

  dailyUsersByDelegationLevel: users.counts('byDelegationLevel', 'level', {
    name: 'agent_platform_daily_users_by_delegation_level',
    help: 'People active on the newest complete UTC day, by their most used autonomy mode.',
    unit: 'people',
    members: 'level',
    breakdown: false,
  }),

  dailyUsersByLanguage: users.counts('byLanguage', 'language', {
    name: 'agent_platform_daily_users_by_language',
    help: 'People active on the newest complete UTC day, by programming language. Do not sum: users of several languages count in each.',
    unit: 'people',
    members: 'languages',
    aggregation: 'distinct',
    breakdown: false,
  }),

  dailyCreditsPerUser: users.parts('stat', quantilesOf, {
    name: 'agent_platform_daily_credits_per_user',
    help: 'Standard Credits per active person on the newest complete UTC day. Quantiles need at least 5 active people, p99 and max at least 10. Do not sum over stat.',
    unit: 'credits',
    members: 'credits',
    aggregation: 'ratio',
  }),

  dailyCreditsTopUsersRatio: users.samples({
    name: 'agent_platform_daily_credits_top_users_ratio',
    help: 'Share of the Standard Credits of the newest complete UTC day used by the top 10% of active people. Needs at least 50 active people.',
    unit: 'ratio',
    members: 'credits',
    aggregation: 'ratio',
    samplesOf: ({ perUser }) => figure(perUser?.topRatio),
  }),

  dailyCreditsByTeam,
  // On the days on which each team was shown.
  teamWeeks: weeksOf(usersDataset, dailyCreditsByTeam),

  dailyCostByTeam,
  teamCostWeeks: weeksOf(usersDataset, ofReported(dailyCostByTeam)),

  dailyActiveUsersByTeam: teamFamily('active', {
    name: 'agent_platform_daily_active_users_by_team',
    help: `People active on the newest complete UTC day, by team. ${NOTE}`,
    unit: 'people',
    members: 'isActive',
  }),

  dailyToolCallsByTeam: teamFamily('toolCalls', {
    name: 'agent_platform_daily_tool_calls_by_team',
    help: `Tool calls on the newest complete UTC day, by team. ${NOTE}`,
    unit: 'calls',
    members: 'toolCalls',
  }),

  dailyGitCommitsByTeam: teamFamily('commits', {
    name: 'agent_platform_daily_git_commits_by_team',
    help: `Git commits made via the agent on the newest complete UTC day, by team. ${NOTE}`,
    unit: 'commits',
    members: 'commits',
  }),

  dailyGitPullRequestsCreatedByTeam: teamFamily('pullRequests', {
    name: 'agent_platform_daily_git_pull_requests_created_by_team',
    help: `Pull requests created via the agent on the newest complete UTC day, by team. ${NOTE}`,
    unit: 'pull requests',
    members: 'pullRequests',
  }),
};

/** The credits and the cost of teams for files that add days up, by the names of the daily families. */
export const accountedFamilies: readonly DayFamily[] = [
  {
    ...userFamilies.dailyCreditsByTeam,
    samplesOf: (view, day) => accountedByTeam(view, day, 'credits'),
  },
  {
    ...userFamilies.dailyCostByTeam,
    samplesOf: (view, day) => costOfEach(view, day, (measure) => accountedByTeam(view, day, measure)),
  },
];

function quantilesOf({ perUser: { p50, p90, p99, max } = {} }: UsersRow) {
  return { p50, p90, p99, max };
}

/** A family whose samples are a figure of each shown team. */
function teamFamily(figure: Exclude<keyof TeamFigures, 'team'>, line: MemberLine) {
  return users.samples({
    ...line,
    labels: ['team'],
    samplesOf: ({ byTeam }) =>
      byTeam?.flatMap(({ team, [figure]: value }) =>
        value === undefined ? [] : [{ labels: { team }, value }],
      ),
  });
}

const CATCH_UP_DAYS = 31;

/** The organization's people: in groups, and individually if the operator enables it. */
export const usersCollector: DayCollector<UsersRow> = {
  name: 'users',
  description: 'People by model, delegation level, language and team; individual people only if identified.',
  schedule: 'users',
  enabledByDefault: false,
  dataset: usersDataset,
  expensive: {
    windowDays: 1,
    revisionDays: 3,
    catchUpDays: CATCH_UP_DAYS,
    // A whole month of teams, and four of each weekday.
    neededDays: ({ people = ANONYMOUS }) => (people.teamRules === ANONYMOUS.teamRules ? 0 : CATCH_UP_DAYS),
  },
  families: [
    ...familiesOf(userFamilies),
    ...Object.values(teamBudgetFamilies),
    ...Object.values(personFamilies),
  ],
};
