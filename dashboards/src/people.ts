import type { QueryVariableBuilder } from '@grafana/grafana-foundation-sdk/dashboard';
import type { Platform } from '../../src/catalog/platform.ts';
import { dataDayTimestamp, orgInfo } from '../../src/collectors/org-families.ts';
import { userFamilies as of } from '../../src/collectors/users/collector.ts';
import { personFamilies as by } from '../../src/collectors/users/person-families.ts';
import { teamBudgetFamilies as budgets } from '../../src/collectors/users/team-budgets.ts';
import { platforms } from '../../src/platforms/list.ts';
import { MODEL_AND_TIER, modelLink } from './credits.ts';
import type { DashboardSpec } from './dashboard.ts';
import {
  atEnd,
  type Described,
  daily,
  type Expression,
  named,
  newest,
  ofPlatform,
  overRange,
  promql,
} from './expression.ts';
import { meanOverOrgs, ofOne } from './figures.ts';
import { eachByDay, sharesByWeek } from './largest.ts';
import type { Row } from './layout.ts';
import { links } from './links.ts';
import { AMOUNT, MONEY } from './money.ts';
import { BUDGET_COLUMNS, budgetColumns, monthFigures } from './months.ts';
import { coloursOf, palette } from './palette.ts';
import { bars, lines } from './panels/chart.ts';
import { drillTo, orgLink } from './panels/drill.ts';
import type { Placed } from './panels/panel.ts';
import { ranking } from './panels/ranking.ts';
import { type TableColumn, table } from './panels/table.ts';
import { days, type Look, now, type Query } from './query.ts';
import { labelVariable, seriesOf } from './variables.ts';
import { weeklyCost } from './without-credits.ts';

/** The selected teams and people. */
const TEAM = { team: '$team' } as const;
const USER = { user: '$user' } as const;

/** Selects a team. */
const teamLink = drillTo(links.users, 'team');

/** The columns that identify a team. */
const ORG_AND_TEAM: readonly TableColumn[] = [
  { of: 'org', title: 'Organization', to: orgLink(links.users), width: 125 },
  { of: 'team', title: 'Team', to: teamLink },
];

type TeamLabel = 'team' | 'currency';
const ofTeam = (family: Described<TeamLabel>) => newest(family, { only: TEAM });
const ofUser = (family: Described<'action' | 'role' | 'user'>) =>
  newest(family, { by: ['user'], only: USER });

function peopleVariables(): readonly QueryVariableBuilder[] {
  const ofTeams = seriesOf(of.dailyActiveUsersByTeam);
  // Where no credits are counted, people have sessions.
  const known = seriesOf(by.dailyCreditsByUser, by.dailySessionsByUser);
  return [
    labelVariable('team', 'Team', { metric: ofTeams }).description(
      'Teams; the panels by team show the selected ones',
    ),
    labelVariable('user', 'Person', { metric: known }).description('People, if they are identified'),
  ];
}

const OFF = 'Off: needs the users collector';
const NO_TEAM = 'None known: off, or too few active people';
const NOBODY = 'Nobody known: identity may be none';
/** Not everybody has a model and an autonomy, nor every team a budget; the text of the panel would be in each such cell. */
const ABSENT = { noValue: '–' } as const;
const NOTHING =
  'Nothing about people is published unless the operator enables it. This dashboard needs the users collector, collectors: {users: {enabled: true}}; teams need teams.file; individual people need collectors.users.identity: hash, id or email.';

const day = newest(dataDayTimestamp, { only: { dataset: 'users' }, by: [] });
const countOf = (family: Described) => promql`count by (org) (${newest(family)})`;

/** The effective privacy settings, which explain empty panels. */
const privacy: Row = {
  title: 'What is published about people?',
  panels: [
    table({
      title: 'Published by organization',
      text: 'The newest complete day of the users dataset, the number of teams shown (including other and none; 0 if no group would have five active people), and the number of people identified (0 while identity is none). Without the users collector an organization is not listed.',
      columns: [
        { of: 'org', title: 'Organization', to: orgLink(links.users) },
        { of: promql`1000 * ${day}`, title: 'Newest day', unit: 'time:ddd D MMM YYYY' },
        { of: promql`${countOf(of.dailyActiveUsersByTeam)} or 0 * ${day}`, title: 'Teams shown' },
        { of: promql`${countOf(by.userInfo)} or 0 * ${day}`, title: 'People identified' },
      ],
      sort: { by: 'Organization', desc: false },
      noValue: NOTHING,
      height: 6,
    }),
  ],
};

/** How people work, without identifying them. */
const groups: Row = {
  title: 'How people work',
  panels: [
    lines({
      title: 'Credits per person',
      text: 'Standard Credits per active person on each UTC day: median, 90th and 99th percentile and maximum, of the organization where each is highest. Shown with at least 5 active people, the last two with at least 10.',
      queries: [
        days(ofPlatform(promql`max by (stat) (${daily(of.dailyCreditsPerUser)})`), '{{stat}}', {
          colour: palette.quiet,
          colours: { p50: palette.main, p90: palette.second, p99: palette.fourth, max: palette.deep },
        }),
      ],
      noValue: OFF,
      width: 9,
    }),
    lines({
      title: 'Credits of the top 10%',
      text: 'Share of the credits of each UTC day used by the top 10% of active users; the mean of the organizations. Shown with at least 50 active people.',
      unit: 'percentunit',
      max: 1,
      queries: [days(meanOverOrgs(daily(of.dailyCreditsTopUsersRatio)), 'top tenth')],
      noValue: 'None known: off, or fewer than 50 active people',
      width: 7,
    }),
    bars({
      title: 'People by autonomy mode',
      text: 'People active on each UTC day by the autonomy mode they used most.',
      stack: 'values',
      queries: [
        days(
          daily(of.dailyUsersByDelegationLevel, { orgs: 'summed' }),
          '{{level}}',
          coloursOf(['auto-high', 'auto-medium', 'auto-low', 'spec', 'manual']),
        ),
      ],
      noValue: OFF,
      width: 8,
    }),
    ranking({
      title: 'Models used most',
      text: 'People active on a UTC day by the model they used most and its tier: the mean of the days in the range.',
      decimals: 1,
      labels: MODEL_AND_TIER,
      value: 'People per day',
      mean: true,
      figure: days(daily(of.dailyUsersByPrimaryModel, { orgs: 'summed' })),
      noValue: OFF,
      width: 12,
      height: 9,
    }),
    ranking({
      title: 'Languages used',
      text: 'People active on a UTC day by programming language: the mean of the days in the range. A person who uses several languages counts in each.',
      decimals: 1,
      labels: [{ of: 'language', title: 'Language' }],
      value: 'People per day',
      mean: true,
      figure: days(named(daily(of.dailyUsersByLanguage, { orgs: 'summed' }), 'language', 'not known')),
      noValue: OFF,
      width: 12,
      height: 9,
    }),
  ],
};

/** The teams that are large enough to hide individuals. */
const teams: Row = {
  title: 'Teams',
  panels: [
    ranking({
      title: 'Credits by team',
      text: 'Standard Credits of each team over the days in the range; those of no shown team are unassigned.',
      labels: [{ of: 'team', title: 'Team', to: teamLink }],
      value: 'Credits',
      figure: days(daily(of.dailyCreditsByTeam, { orgs: 'summed', only: TEAM })),
      noValue: NO_TEAM,
      width: 9,
      height: 10,
    }),
    sharesByWeek(of.dailyCreditsByTeam, {
      label: 'team',
      only: TEAM,
      note: ' Where the platform counts no credits, all teams as shares of the cost, if it is in one currency.',
      others: [weeklyCost(of.dailyCostByTeam, 'team', TEAM.team)],
      noValue: NO_TEAM,
      width: 15,
    }),
    table({
      title: 'Teams on the newest day',
      text: 'Each team on the newest complete day: people, credits, credits per active person, tool calls, commits and pull requests.',
      columns: [
        ...ORG_AND_TEAM,
        { of: ofTeam(of.dailyActiveUsersByTeam), title: 'People', properties: ABSENT },
        { of: ofTeam(of.dailyCreditsByTeam), title: 'Credits' },
        {
          of: promql`${ofTeam(of.dailyCreditsByTeam)} / (${ofTeam(of.dailyActiveUsersByTeam)} > 0)`,
          title: 'Per person',
          properties: ABSENT,
        },
        { of: ofTeam(of.dailyToolCallsByTeam), title: 'Calls', total: true, properties: ABSENT },
        { of: ofTeam(of.dailyGitCommitsByTeam), title: 'Commits', total: true, properties: ABSENT },
        { of: ofTeam(of.dailyGitPullRequestsCreatedByTeam), title: 'PRs', total: true, properties: ABSENT },
      ],
      sort: { by: 'Credits', desc: true },
      noValue: NO_TEAM,
    }),
  ],
};

const ofMonths = {
  credits: monthFigures<'teamCreditsMonth', TeamLabel>(budgets, 'teamCreditsMonth'),
  money: monthFigures<'teamCostMonth', TeamLabel>(budgets, 'teamCostMonth'),
};
/** The active people of each team in the organizations on a platform. */
function peopleOn({ name, title }: Platform): TableColumn {
  const each = ofTeam(of.dailyActiveUsersByTeam);
  const on = `${orgInfo.name}{job=~"$job",org=~"$org",platform="${name}"}`;
  return {
    of: promql`sum by (team) (${each} and on (org) ${on})`,
    title: `People, ${title}`,
    width: 165,
    properties: ABSENT,
  };
}

/** What each team costs on all platforms, and who uses which. */
const overPlatforms: Row = {
  title: 'Teams over platforms',
  panels: [
    table({
      title: 'Teams on all platforms',
      text: 'Cost of the billing month to date of each team, added up over organizations by currency, and its active people on the newest day, by platform. People are never added up over platforms: the same person uses several. A team counts in an organization as far as that one shows it.',
      columns: [
        { of: 'team', title: 'Team', to: teamLink },
        { of: 'currency', title: 'Currency', width: 90 },
        {
          of: promql`sum by (team,currency) (${ofTeam(budgets.teamCostMonthToDate)})`,
          title: 'This month',
          ...AMOUNT,
        },
        ...platforms.filter(({ readers }) => readers.users !== undefined).map(peopleOn),
      ],
      sort: { by: 'This month', desc: true },
      noValue: '–',
      width: 14,
    }),
    ranking({
      title: 'Cost by team',
      text: 'Cost of each team over the days in the range; that of no shown team is unassigned, so that the teams add up to the cost.',
      ...AMOUNT,
      labels: [
        { of: 'team', title: 'Team', to: teamLink },
        { of: 'currency', title: 'Currency' },
      ],
      value: 'Cost',
      figure: days(daily(of.dailyCostByTeam, { by: ['team', 'currency'], orgs: 'summed', only: TEAM })),
      noValue: 'No price, or no teams known',
      width: 10,
    }),
  ],
};

/** A figure in money of the month of the team that is selected alone, on an axis of its own. */
function costOfTeam(name: string, figure: Expression, look: Look): Query {
  const shown = ofOne(figure, ofTeam(budgets.teamCostMonthToDate));
  return days(shown, `{{org}} {{team}} {{currency}}, ${name}`, { ...MONEY, ...look, onTheRight: true });
}

/** The months of the teams, and their budgets. */
const months: Row = {
  title: 'Months and budgets of teams',
  panels: [
    table({
      title: 'Teams against their budgets',
      text: `The month of each team: ${BUDGET_COLUMNS} The team that will use most of its budget is first. Of a team without a budget, only the days on which it is shown are counted. Blank while a day of the month is unknown.`,
      columns: [...ORG_AND_TEAM, ...budgetColumns('org,team', ofMonths, ofTeam)],
      sort: { by: 'Order', desc: true },
      noValue: '–',
    }),
    table({
      title: 'Cost of teams this month',
      text: 'Cost of the month to date of each team, each day at its own price, its forecast, and from what to what the cost of a team with a budget is in eight of ten cases. Needs a price of the organization where the platform reports no cost.',
      columns: [
        ...ORG_AND_TEAM,
        { of: 'currency', title: 'Currency', width: 90 },
        { of: ofTeam(budgets.teamCostMonthToDate), title: 'To date', ...AMOUNT },
        { of: ofTeam(budgets.teamCostMonthForecast), title: 'Forecast', ...AMOUNT, properties: ABSENT },
        { of: ofTeam(budgets.teamCostMonthForecastLower), title: 'From', ...AMOUNT, properties: ABSENT },
        { of: ofTeam(budgets.teamCostMonthForecastUpper), title: 'To', ...AMOUNT, properties: ABSENT },
      ],
      sort: { by: 'To date', desc: true },
      noValue: 'None known: no teams are published, or there is no price',
      width: 12,
    }),
    lines({
      title: 'Month to date of teams by day',
      text: 'Credits of the month up to each UTC day of each team; they restart on the first of a billing month. The dashed line is the budget on that day, where one team with a budget is selected. On the right, the cost of the month of a single team, and its budget in money.',
      queries: [
        ...eachByDay(budgets.teamCreditsMonthToDate, TEAM),
        days(
          ofOne(
            atEnd(budgets.teamCreditsMonthBudget, { only: TEAM }),
            ofTeam(budgets.teamCreditsMonthBudget),
          ),
          'budget',
          { draw: 'dashes', colour: palette.alarm },
        ),
        costOfTeam('to date', daily(budgets.teamCostMonthToDate, { only: TEAM }), { colour: palette.third }),
        costOfTeam('budget', atEnd(budgets.teamCostMonthBudget, { only: TEAM }), {
          draw: 'dashes',
          colour: palette.deep,
        }),
      ],
      noValue: 'No month of a team known in credits: choose one team for its cost',
    }),
  ],
};

/** A figure of people, whatever organizations they are in. */
const inAll = (family: Described<'user'>) => newest(family, { orgs: 'summed', only: USER });

/** People by a figure over the range. */
function ofPeople(title: string, text: string, value: string, family: Described<'user'>): Placed {
  return ranking({
    title,
    text: `${text} over the UTC days that overlap the range.`,
    labels: [{ of: 'user', title: 'Person' }],
    value,
    figure: now(overRange(family, { orgs: 'summed', only: USER })),
    noValue: NOBODY,
    height: 10,
  });
}

/** Individual people, if the operator enabled their identification. */
const people: Row = {
  title: 'Individual people',
  folded: true,
  panels: [
    table({
      title: 'People on the newest day',
      text: 'Each person on the newest complete day, identified as the privacy settings allow: by a hash, an identifier or an e-mail address.',
      labels: [newest(by.userInfo, { only: USER })],
      columns: [
        { of: 'org', title: 'Organization', to: orgLink(links.users), width: 115 },
        { of: 'user', title: 'Person', width: 150 },
        { of: 'team', title: 'Team', to: teamLink, properties: ABSENT },
        { of: 'primary_model', title: 'Model', to: modelLink, width: 165, properties: ABSENT },
        { of: 'delegation_level', title: 'Mode', width: 105, properties: ABSENT },
        { of: ofUser(by.dailyCreditsByUser), title: 'Credits' },
        { of: ofUser(by.dailySessionsByUser), title: 'Sessions', total: true },
        { of: ofUser(by.dailyMessagesByUser), title: 'Messages', width: 85 },
        { of: ofUser(by.dailyToolCallsByUser), title: 'Calls', total: true },
        {
          of: ofUser(by.dailyAutonomyRatioByUser),
          title: 'Autonomy',
          width: 90,
          properties: { decimals: 1, ...ABSENT },
        },
        { of: ofUser(by.dailyFilesByUser), title: 'Files', total: true },
        { of: ofUser(by.dailyGitCommitsByUser), title: 'Commits', total: true },
        { of: ofUser(by.dailyGitPullRequestsCreatedByUser), title: 'PRs', total: true },
      ],
      sort: { by: 'Credits', desc: true },
      noValue: NOBODY,
      height: 11,
    }),
    ofPeople('Credits in the range', 'Standard Credits of each person', 'Credits', by.dailyCreditsByUser),
    ofPeople(
      'Commits in the range',
      'Git commits of each person through the agent',
      'Commits',
      by.dailyGitCommitsByUser,
    ),
    table({
      title: 'Extensions on the newest day',
      text: 'Calls of MCP servers, and uses of skills, slash commands and hooks, of each person on the newest complete day.',
      columns: [
        { of: 'user', title: 'Person', width: 150 },
        { of: inAll(by.dailyMcpCallsByUser), title: 'MCP', total: true },
        { of: inAll(by.dailySkillInvocationsByUser), title: 'Skills', total: true },
        { of: inAll(by.dailySlashCommandInvocationsByUser), title: 'Slash', total: true },
        { of: inAll(by.dailyHookInvocationsByUser), title: 'Hooks', total: true },
      ],
      sort: { by: 'MCP', desc: true },
      noValue: NOBODY,
      width: 8,
      height: 10,
    }),
  ],
};

/** People and teams, as far as the privacy settings publish them. */
export const users: DashboardSpec = {
  ...links.users,
  description:
    'People and teams, as far as the privacy settings publish them. The first row shows what is published.',
  rows: [privacy, groups, teams, months, overPlatforms, people],
  from: 'now-30d',
  variables: peopleVariables(),
};
