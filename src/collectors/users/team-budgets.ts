import { addDays, type Day, daysFrom, firstOfMonth, monthSoFar } from '../../catalog/day.ts';
import { currentFamily, dayFamily, type Sample } from '../../catalog/family.ts';
import { ANONYMOUS, type Cost, NO_TEAM, OTHER_TEAMS, UNASSIGNED } from '../../catalog/settings.ts';
import type { View } from '../../catalog/view.ts';
import { type MonthRange, monthRange } from '../month-range.ts';
import { figure, inItsCurrency } from '../samples.ts';
import type { Computed } from '../spend/families.ts';
import { asCredits, asMoney, costOfMonth, creditsOfMonth, type Month } from '../spend/months.ts';
import { creditsOf } from '../weekdays.ts';
import { USERS_PATH, usersDataset } from './dataset.ts';
import { budgetedCredits, type CreditsOn, creditsOfTeam, shownCredits } from './team-credits.ts';

const DAYS = `stored days of ${USERS_PATH}: data[].billable_tokens`;
const BUDGET = 'in the file of setting teams.file';
const ONLY = 'Only teams with a budget.';
const SHOWN =
  'A team without a budget counts on the days on which it is shown. Without any budget, none, other and unassigned complete the organization.';
/** Of the days of teams without a budget. */
const OF_SHOWN = `Without a budget, a day counts as it is in \`agent_platform_daily_credits_by_team\`, and as 0 if the team is not shown on it: what it used then is
in \`other\` or \`unassigned\`. If no team of the organization has a budget, these and \`none\` have series, too, so that the teams add up to the organization's
month. Beside budgets they have none, because a budgeted team counts on every day.`;

/** A figure of each team, in credits or in money. */
const ofTeam = { labels: ['team'], unit: 'credits', source: DAYS, aggregation: 'additive' } as const;
const ofTeamInMoney = {
  labels: ['team', 'currency'],
  fixedLabels: ['currency'],
  unit: 'currency',
  source: `${DAYS}; setting orgs[].prices`,
  aggregation: 'additive',
} as const;
/** How far a month may be off, and what that means for its budget. */
const ofRange = { source: `${DAYS}; credits_per_month or budgets ${BUDGET}`, aggregation: 'ratio' } as const;
const ofCostRange = {
  source: `${DAYS}; budgets ${BUDGET}; setting orgs[].prices`,
  aggregation: 'ratio',
} as const;

/** The months of teams. */
export const teamBudgetFamilies = {
  teamCreditsMonthToDate: ofTeamsInCredits(monthsOf, creditsOfMonth.toDate, {
    name: 'agent_platform_team_credits_month_to_date',
    help: `Standard Credits of a team from the first day of the billing month (UTC) to the newest complete day. ${SHOWN}`,
    definition: `The sum of the credits of the team's people on every day from the first of the data day's billing month (UTC) to the data
day, however few of them were active. Each day counts those who were in the team when that day was fetched. A day without activity counts
as 0. Absent if one of these days is unknown, has an unusable field that the sum needs, or was fetched before the team had a budget.
A team with a budget that has used no credits in the organization, neither in the month nor in the 28 days before it, has no series of any
metric of its month there.

${OF_SHOWN}

Example: the team used 400 000 credits on 1 June, 0 on 2 June, when nobody worked, and 100 000 on 3 June, when only two people did. On 3
June it is 500 000. While 2 June is unknown, it is absent.`,
  }),

  teamCreditsMonthForecast: ofTeamsInCredits(forecastOf, creditsOfMonth.forecast, {
    name: 'agent_platform_team_credits_month_forecast',
    help: `Expected Standard Credits of a team in the whole billing month (UTC): the month to date plus, for each remaining day, the mean of the last four days of the same weekday, quiet days left out. ${SHOWN}`,
    definition: `As \`agent_platform_credits_month_forecast\`, from the days of the team: its month to date plus, for each remaining day of the month,
the mean of the last four known days of the same weekday, including the data day, without days that are quiet for the team. Absent if the month to date is absent, with
fewer than seven known days, and if no day of a remaining weekday is known. Without a budget, only for a team that was shown on seven of the 28
days before the month or in it, and not for \`none\`, \`other\` and \`unassigned\`.

Example: on Sunday, 28 June, the team's month to date is 6 000 000; a Monday and a Tuesday remain. Its last four Mondays used 0.2,
0.3, 0.3 and 0.4 million, on average 0.3 million; the last four Tuesdays 0.1, 0.1, 0.2 and 0.4 million, on average 0.2 million. The
forecast is 6 500 000.`,
  }),

  teamCreditsMonthForecastLower: ofTeamsInCredits(teamsOf, creditsOfMonth.lower, {
    ...ofRange,
    name: 'agent_platform_team_credits_month_forecast_lower',
    help: `Standard Credits of a team that the billing month (UTC) falls short of in one of ten cases. ${ONLY}`,
    definition: `As \`agent_platform_credits_month_forecast_lower\`, from the days of the team. Absent with the forecast of the team, and
if one of its twelve past forecasts or of the days after them is unknown. Days that were fetched before the team had a budget are unknown.

Example: the month to date is 6 000 000, 4 000 000 are expected, and s is 0.1: 6 000 000 + 4 000 000 · exp(−0.14) = 9 477 433.`,
  }),

  teamCreditsMonthForecastUpper: ofTeamsInCredits(teamsOf, creditsOfMonth.upper, {
    ...ofRange,
    name: 'agent_platform_team_credits_month_forecast_upper',
    help: `Standard Credits of a team that the billing month (UTC) exceeds in one of ten cases. ${ONLY}`,
    definition: `As \`agent_platform_credits_month_forecast_upper\`, from the days of the team. Absent with
\`agent_platform_team_credits_month_forecast_lower\`.

Example: with the figures there it is 6 000 000 + 4 000 000 · exp(0.14) = 10 601 095.`,
  }),

  teamCreditsMonthBudgetExceededProbability: ofTeamsInCredits(teamsOf, creditsOfMonth.exceeded, {
    ...ofRange,
    name: 'agent_platform_team_credits_month_budget_exceeded_probability',
    help: `Probability that the billing month (UTC) of a team uses more than its budget of Standard Credits. ${ONLY}`,
    unit: 'ratio',
    definition: `As \`agent_platform_credits_month_budget_exceeded_probability\`, from the days of the team and its budget. Absent with
\`agent_platform_team_credits_month_forecast_lower\`, and with a budget in money.

Example: the month to date is 6 000 000, 4 000 000 are expected, s is 0.1 and the budget 10 500 000: log(4.5/4) / 0.1 = 1.178, which T exceeds with a
probability of 0.132.`,
  }),

  teamCreditsMonthBudget: currentFamily({
    ...ofTeam,
    name: 'agent_platform_team_credits_month_budget',
    help: `Monthly budget of Standard Credits of a team, as configured. ${ONLY}`,
    source: `credits_per_month or budgets ${BUDGET}`,
    definition: `The team's entry under \`credits_per_month\` in the teams file, in each organization in which the team has used credits in the
month of the data day or in the 28 days before it; absent otherwise, without a budget, and with one in money.

Example: \`credits_per_month: {platform: 40000000}\` gives 40 000 000 with \`team="platform"\`.`,
    samplesOf(view) {
      const day = view.newestDay(usersDataset);
      return day && samplesOf(teamsOf(view, day), ({ budget }) => figure(asCredits(budget)));
    },
  }),

  teamCostMonthToDate: ofTeamsInMoney(monthsOf, costOfMonth.toDate, {
    name: 'agent_platform_team_cost_month_to_date',
    help: `Cost of a team from the first day of the billing month (UTC) to the newest complete day, each day at its own price. ${SHOWN} Do not sum over currencies.`,
    definition: `The sum of the cost of every day of the team's month to date, each at its own price. Absent if the month to date is absent, if one
of its days has no price, or if their currencies differ.

Example: the team used 500 000 credits on each of 1, 2 and 3 June; 2.70 USD per million, and 3.00 USD from 3 June on. On 3 June it is
1.35 + 1.35 + 1.50 = 4.20 USD.`,
  }),

  teamCostMonthForecast: ofTeamsInMoney(forecastOf, costOfMonth.forecast, {
    name: 'agent_platform_team_cost_month_forecast',
    help: `Expected cost of a team in the whole billing month (UTC), each day at its own price. ${SHOWN} Do not sum over currencies.`,
    definition: `The cost of the team's month to date plus, for each remaining day, the credits that \`agent_platform_team_credits_month_forecast\` expects, at
the price of that day. Absent if either of the two is absent, or if a remaining day has no price or another currency.

Example: 6 000 000 credits to date and 500 000 expected ones at 2.70 USD per million: 16.20 + 1.35 = 17.55 USD.`,
  }),

  teamCostMonthForecastLower: ofTeamsInMoney(teamsOf, costOfMonth.lower, {
    ...ofCostRange,
    name: 'agent_platform_team_cost_month_forecast_lower',
    help: `Cost of a team that the billing month (UTC) falls short of in one of ten cases, each day at its own price. ${ONLY}`,
    definition: `As \`agent_platform_cost_month_forecast_lower\`, from the days of the team. Absent with \`agent_platform_team_cost_month_forecast\` or with
\`agent_platform_team_credits_month_forecast_lower\`.

Example: the month to date costs 16.20 USD, the rest is expected to cost 10.80 USD, and s is 0.1: 16.20 + 10.80 · exp(−0.14) = 25.59 USD.`,
  }),

  teamCostMonthForecastUpper: ofTeamsInMoney(teamsOf, costOfMonth.upper, {
    ...ofCostRange,
    name: 'agent_platform_team_cost_month_forecast_upper',
    help: `Cost of a team that the billing month (UTC) exceeds in one of ten cases, each day at its own price. ${ONLY}`,
    definition: `As \`agent_platform_cost_month_forecast_upper\`, from the days of the team. Absent with
\`agent_platform_team_cost_month_forecast_lower\`.

Example: with the figures there it is 16.20 + 10.80 · exp(0.14) = 28.62 USD.`,
  }),

  teamCostMonthBudgetExceededProbability: ofTeamsInMoney(teamsOf, costOfMonth.exceeded, {
    ...ofCostRange,
    name: 'agent_platform_team_cost_month_budget_exceeded_probability',
    help: `Probability that the billing month (UTC) of a team costs more than its budget in money. ${ONLY}`,
    unit: 'ratio',
    definition: `As \`agent_platform_cost_month_budget_exceeded_probability\`, from the days of the team and its budget. Absent with
\`agent_platform_team_cost_month_forecast_lower\`, with a budget in credits, and if the month has another currency than the budget.

Example: 600 USD are used, 400 are expected, s is 0.1 and the budget 1 050 USD: log(450/400) / 0.1 = 1.178, which T exceeds with a probability of
0.132.`,
  }),

  teamCostMonthBudget: currentFamily({
    ...ofTeamInMoney,
    name: 'agent_platform_team_cost_month_budget',
    help: `Monthly budget of a team in money, as configured. ${ONLY} Do not sum over currencies.`,
    source: `budgets ${BUDGET}`,
    definition: `The team's budget in the teams file, if it is in money, in each organization in which the team has used credits in the month of
the data day or in the 28 days before it; absent otherwise, without a budget, and with one in credits.

Example: \`budgets: {platform: {amount: 1500, currency: USD, per: month}}\` gives 1 500 with \`team="platform"\` and \`currency="USD"\`.`,
    samplesOf(view) {
      const day = view.newestDay(usersDataset);
      return day && samplesOf(teamsOf(view, day), ({ budget }) => inItsCurrency(asMoney(budget)));
    },
  }),
};

/** The month of a team. */
interface TeamMonth extends Month {
  readonly team: string;
}

/** Selects the months of the teams of an organization. */
type Teams = (view: View, day: Day) => readonly TeamMonth[];

/** A family of a figure of the months of teams, in credits unless it says otherwise. */
function ofTeamsInCredits(teams: Teams, figureOf: (month: Month) => number | undefined, family: Computed) {
  return dayFamily({
    ...ofTeam,
    ...family,
    samplesOf: (view, day) => samplesOf(teams(view, day), (month) => figure(figureOf(month))),
  });
}

/** A family of a figure of the months of teams, in money unless it says otherwise. */
function ofTeamsInMoney(teams: Teams, figureOf: (month: Month) => Cost | undefined, family: Computed) {
  return dayFamily({
    ...ofTeamInMoney,
    ...family,
    samplesOf: (view, day) => samplesOf(teams(view, day), (month) => inItsCurrency(figureOf(month))),
  });
}

/** The samples of each team, whose label comes first; undefined without any. */
function samplesOf<Label extends string>(
  months: readonly TeamMonth[],
  samplesOfMonth: (month: Month) => readonly Sample<Label>[] | undefined,
): readonly Sample<'team' | Label>[] | undefined {
  const samples = months.flatMap((month) =>
    (samplesOfMonth(month) ?? []).map(({ labels, value }) => ({
      labels: { team: month.team, ...labels },
      value,
    })),
  );
  return samples.length === 0 ? undefined : samples;
}

/** Days before the month in which a team's credits show that it takes part. */
const SEEN_DAYS = 28;
/** With fewer days on which a team without a budget was shown, nothing is expected of it. */
const MIN_SHOWN_DAYS = 7;

/** The teams with a budget that have used credits lately: one file serves organizations in which they have nobody. */
function teamsOf(view: View, day: Day): readonly TeamMonth[] {
  const { teamBudgets } = view.settings.people ?? ANONYMOUS;
  const creditsOn = view.once(budgetedCredits);
  const lately = seenDays(view, day);
  return [...teamBudgets]
    .filter(([team]) => lately.some((of) => (creditsOfTeam(creditsOn(of), team) ?? 0) > 0))
    .map(([team, budget]) => monthOfTeam(view, day, { team, budget, creditsOn }));
}

/** Also the teams that are shown in the month, as far as they complete each other. */
function monthsOf(view: View, day: Day): readonly TeamMonth[] {
  const { teamBudgets } = view.settings.people ?? ANONYMOUS;
  const creditsOn = view.once(shownCredits);
  const days = monthSoFar(day, view.settings.contract?.periodStarts);
  const teams = [...new Set(days.flatMap((of) => [...creditsOn(of).teams.keys()]))].filter(
    (team) => !teamBudgets.has(team) && (teamBudgets.size === 0 || !isCollective(team)),
  );
  return [...teamsOf(view, day), ...teams.map((team) => monthOfTeam(view, day, { team, creditsOn }))];
}

/** Those of which enough days are shown for a forecast. */
function forecastOf(view: View, day: Day): readonly TeamMonth[] {
  const creditsOn = view.once(shownCredits);
  const lately = seenDays(view, day);
  const isShown = (team: string) =>
    lately.filter((of) => creditsOn(of).teams.has(team)).length >= MIN_SHOWN_DAYS;
  return monthsOf(view, day).filter(
    ({ team, budget }) => budget !== undefined || (!isCollective(team) && isShown(team)),
  );
}

function monthOfTeam(
  view: View,
  day: Day,
  { team, budget, creditsOn }: Pick<TeamMonth, 'team' | 'budget'> & { readonly creditsOn: CreditsOn },
): TeamMonth {
  const credits = creditsOf(view.settings, (of) => creditsOfTeam(creditsOn(of), team));
  return { view, day, team, credits, budget, range: () => view.ofDay(rangesOn, day).get(team) };
}

/** The ranges of the teams with a budget. */
function rangesOn(view: View, day: Day): ReadonlyMap<string, MonthRange | undefined> {
  return new Map(teamsOf(view, day).map(({ team, credits }) => [team, monthRange(credits, day)]));
}

function seenDays(view: View, day: Day): readonly Day[] {
  return daysFrom(addDays(firstOfMonth(day, view.settings.contract?.periodStarts), -SEEN_DAYS), day);
}

/** Whether a name stands for several teams, or for nobody's. */
export function isCollective(team: string): boolean {
  return [NO_TEAM, OTHER_TEAMS, UNASSIGNED].includes(team);
}
