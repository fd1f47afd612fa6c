import { addDays, type Day, daysFrom, firstOfMonth, monthSoFar } from '../../catalog/day.ts';
import { currentFamily, dayFamily, type Sample } from '../../catalog/family.ts';
import type { Measure } from '../../catalog/money.ts';
import { ANONYMOUS, type Cost, NO_TEAM, OTHER_TEAMS, UNASSIGNED } from '../../catalog/settings.ts';
import type { View } from '../../catalog/view.ts';
import { type MonthRange, monthRange } from '../month-range.ts';
import { figure, inItsCurrency } from '../samples.ts';
import type { Computed } from '../spend/families.ts';
import { measureOf } from '../spend/measure.ts';
import { asCredits, asMoney, costOfMonth, creditsOfMonth, type Month } from '../spend/months.ts';
import { amountsOf } from '../weekdays.ts';
import { usersDataset } from './dataset.ts';
import { amountOfTeam, BUDGETED_AMOUNTS, SHOWN_AMOUNTS } from './team-amounts.ts';

const DAYS = 'stored days of users: credits';
const BUDGET = 'in the file of setting teams.file';
const ONLY = 'Only teams with a budget.';
const SHOWN =
  'A team without a budget counts on the days on which it is shown. Without any budget, none, other and unassigned complete the organization.';

/** A figure of each team, in credits or in money. */
const ofTeam = { labels: ['team'], unit: 'credits', source: DAYS, aggregation: 'additive' } as const;
const ofTeamInMoney = {
  labels: ['team', 'currency'],
  fixedLabels: ['currency'],
  unit: 'currency',
  source: `${DAYS}; setting orgs[].prices`,
  aggregation: 'additive',
} as const;
/** The range of a month's forecast, and the probability that the month exceeds its budget. */
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
  }),

  teamCreditsMonthForecast: ofTeamsInCredits(forecastOf, creditsOfMonth.forecast, {
    name: 'agent_platform_team_credits_month_forecast',
    help: `Expected Standard Credits of a team in the whole billing month (UTC): the month to date plus, for each remaining day, the mean of the last four days of the same weekday, quiet days left out. ${SHOWN}`,
  }),

  teamCreditsMonthForecastLower: ofTeamsInCredits(teamsOf, creditsOfMonth.lower, {
    ...ofRange,
    name: 'agent_platform_team_credits_month_forecast_lower',
    help: `Standard Credits of a team that the billing month (UTC) falls short of in one of ten cases. ${ONLY}`,
  }),

  teamCreditsMonthForecastUpper: ofTeamsInCredits(teamsOf, creditsOfMonth.upper, {
    ...ofRange,
    name: 'agent_platform_team_credits_month_forecast_upper',
    help: `Standard Credits of a team that the billing month (UTC) exceeds in one of ten cases. ${ONLY}`,
  }),

  teamCreditsMonthBudgetExceededProbability: ofTeamsInCredits(teamsOf, creditsOfMonth.exceeded, {
    ...ofRange,
    name: 'agent_platform_team_credits_month_budget_exceeded_probability',
    help: `Probability that the billing month (UTC) of a team uses more than its budget of Standard Credits. ${ONLY}`,
    unit: 'ratio',
  }),

  teamCreditsMonthBudget: currentFamily({
    ...ofTeam,
    name: 'agent_platform_team_credits_month_budget',
    help: `Monthly budget of Standard Credits of a team, as configured. ${ONLY}`,
    source: `credits_per_month or budgets ${BUDGET}`,
    samplesOf(view) {
      const day = view.newestDay(usersDataset);
      return day && samplesOf(teamsOf(view, day), ({ budget }) => figure(asCredits(budget)));
    },
  }),

  teamCostMonthToDate: ofTeamsInMoney(monthsOf, costOfMonth.toDate, {
    name: 'agent_platform_team_cost_month_to_date',
    help: `Cost of a team from the first day of the billing month (UTC) to the newest complete day, each day at its own price or as the platform reports it. ${SHOWN} Do not sum over currencies.`,
  }),

  teamCostMonthForecast: ofTeamsInMoney(forecastOf, costOfMonth.forecast, {
    name: 'agent_platform_team_cost_month_forecast',
    help: `Expected cost of a team in the whole billing month (UTC), each day at its own price or as the platform reports it. ${SHOWN} Do not sum over currencies.`,
  }),

  teamCostMonthForecastLower: ofTeamsInMoney(teamsOf, costOfMonth.lower, {
    ...ofCostRange,
    name: 'agent_platform_team_cost_month_forecast_lower',
    help: `Cost of a team that the billing month (UTC) falls short of in one of ten cases, each day at its own price or as the platform reports it. ${ONLY}`,
  }),

  teamCostMonthForecastUpper: ofTeamsInMoney(teamsOf, costOfMonth.upper, {
    ...ofCostRange,
    name: 'agent_platform_team_cost_month_forecast_upper',
    help: `Cost of a team that the billing month (UTC) exceeds in one of ten cases, each day at its own price or as the platform reports it. ${ONLY}`,
  }),

  teamCostMonthBudgetExceededProbability: ofTeamsInMoney(teamsOf, costOfMonth.exceeded, {
    ...ofCostRange,
    name: 'agent_platform_team_cost_month_budget_exceeded_probability',
    help: `Probability that the billing month (UTC) of a team costs more than its budget in money. ${ONLY}`,
    unit: 'ratio',
  }),

  teamCostMonthBudget: currentFamily({
    ...ofTeamInMoney,
    name: 'agent_platform_team_cost_month_budget',
    help: `Monthly budget of a team in money, as configured. ${ONLY} Do not sum over currencies.`,
    source: `budgets ${BUDGET}`,
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
/** Minimum number of days on which a team without a budget was shown, for a forecast. */
const MIN_SHOWN_DAYS = 7;

/** The teams with a budget and recent activity: one teams file serves several organizations, where some teams have no people. */
function teamsOf(view: View, day: Day): readonly TeamMonth[] {
  const { teamBudgets } = view.settings.people ?? ANONYMOUS;
  const amountsOn = view.once(BUDGETED_AMOUNTS[measureOf(view)]);
  const lately = seenDays(view, day);
  return [...teamBudgets]
    .filter(([team]) => lately.some((of) => (amountOfTeam(amountsOn(of), team) ?? 0) > 0))
    .map(([team, budget]) => monthOfTeam(view, day, { team, budget }));
}

/** Also the teams that are shown in the month, as far as they complete each other. */
function monthsOf(view: View, day: Day): readonly TeamMonth[] {
  const { teamBudgets } = view.settings.people ?? ANONYMOUS;
  const amountsOn = view.once(SHOWN_AMOUNTS[measureOf(view)]);
  const days = monthSoFar(day, view.settings.contract?.periodStarts);
  const teams = [...new Set(days.flatMap((of) => [...amountsOn(of).teams.keys()]))].filter(
    (team) => !teamBudgets.has(team) && (teamBudgets.size === 0 || !isCollective(team)),
  );
  return [...teamsOf(view, day), ...teams.map((team) => monthOfTeam(view, day, { team }))];
}

/** The teams that were shown on enough days for a forecast. */
function forecastOf(view: View, day: Day): readonly TeamMonth[] {
  const amountsOn = view.once(SHOWN_AMOUNTS[measureOf(view)]);
  const lately = seenDays(view, day);
  const isShown = (team: string) =>
    lately.filter((of) => amountsOn(of).teams.has(team)).length >= MIN_SHOWN_DAYS;
  return monthsOf(view, day).filter(
    ({ team, budget }) => budget !== undefined || (!isCollective(team) && isShown(team)),
  );
}

/** The month of a team: all its days with a budget, otherwise only the days on which it was shown. */
function monthOfTeam(view: View, day: Day, { team, budget }: Pick<TeamMonth, 'team' | 'budget'>): TeamMonth {
  const amountsIn = (measure: Measure) => {
    const amountsOn = view.once((budget === undefined ? SHOWN_AMOUNTS : BUDGETED_AMOUNTS)[measure]);
    return amountsOf(view.settings, (of) => amountOfTeam(amountsOn(of), team));
  };
  const [credits, cost] = [amountsIn('credits'), amountsIn('cost')];
  const range = (measure: Measure) => view.ofDay(RANGES[measure], day).get(team);
  return { view, day, team, credits, cost, budget, range };
}

/** The ranges of the teams with a budget, by a function for each measure. */
const RANGES: Readonly<
  Record<Measure, (view: View, day: Day) => ReadonlyMap<string, MonthRange | undefined>>
> = {
  credits: (view, day) => rangesIn('credits', view, day),
  cost: (view, day) => rangesIn('cost', view, day),
};

function rangesIn(measure: Measure, view: View, day: Day) {
  return new Map(teamsOf(view, day).map((month) => [month.team, monthRange(month[measure], day)]));
}

function seenDays(view: View, day: Day): readonly Day[] {
  return daysFrom(addDays(firstOfMonth(day, view.settings.contract?.periodStarts), -SEEN_DAYS), day);
}

/** Whether a name stands for several teams (`other`) or for no team. */
export function isCollective(team: string): boolean {
  return [NO_TEAM, OTHER_TEAMS, UNASSIGNED].includes(team);
}
