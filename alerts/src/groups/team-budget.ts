import {
  teamCostMonthBudget,
  teamCostMonthForecast,
  teamCostMonthToDate,
  teamCreditsMonthBudget,
  teamCreditsMonthForecast,
  teamCreditsMonthToDate,
} from '../../../src/collectors/users/team-budgets.ts';
import {
  amountInWords,
  creditsOrMoneyInWords,
  dayInWords,
  enclosed,
  monthLabel,
  newestDayOf,
  ofBudget,
  onNewestDay,
  percentageOf,
  withHysteresis,
} from '../queries.ts';
import { type AlertDeclaration, alertName, OVER_OUTAGES, type RuleSettings, TEAM_LABEL } from '../rule.ts';

/** Each month of a team is an alert of its own. */
const LABELS = ['org', TEAM_LABEL, 'month'];

/** The alert about a team's month against its budget; it stays once the budget is exceeded, since no other alert says so. */
export function teamBudgetProjectedOver({ threshold }: RuleSettings): AlertDeclaration {
  const name = 'TeamBudgetProjectedOver';
  const share = ofBudget(
    {
      // Early in the life of a budget there is no forecast yet.
      credits: `(${onNewestDay(teamCreditsMonthForecast, 'users')} or ${onNewestDay(teamCreditsMonthToDate, 'users')})`,
      money: `(${onNewestDay(teamCostMonthForecast, 'users')} or ${onNewestDay(teamCostMonthToDate, 'users')})`,
    },
    { credits: teamCreditsMonthBudget, money: teamCostMonthBudget },
    'org,team',
  );
  const day = newestDayOf('users');
  const ofTeam = `label_replace(${share}, "${TEAM_LABEL}", "$1", "team", "(.*)")`;
  const monthly = `max by (${LABELS.join(',')}) ${enclosed(`${ofTeam} * on (org) group_left (month) ${monthLabel(day)}`)}`;
  const budgetInWords = creditsOrMoneyInWords(
    {
      credits: `max(${teamCreditsMonthBudget.name}{org=%[1]q,team=%[2]q})`,
      money: `max by (currency) (${teamCostMonthBudget.name}{org=%[1]q,team=%[2]q})`,
    },
    'the budgeted',
    `$labels.org $labels.${TEAM_LABEL}`,
  );
  const ratio = threshold('budgetForecastRatio');
  return {
    name,
    expr: withHysteresis(
      monthly,
      { from: ratio, until: `(${ratio} - ${threshold('budgetHysteresis')})` },
      { alert: alertName({ name }), labels: LABELS.join(',') },
    ),
    severity: 'warning',
    for: '1h',
    keepFiringFor: OVER_OUTAGES,
    labels: LABELS,
    dashboard: 'users',
    panel: 'Teams against their budgets',
    summary: 'The month of a team is forecast to exceed its budget',
    description: `Team {{ $labels.${TEAM_LABEL} }} of organization {{ $labels.org }} is forecast to use {{ ${percentageOf()} }} of its budget of ${budgetInWords} in {{ $labels.month }}; ${inWords(onNewestDay(teamCreditsMonthToDate, 'users', 'org=%[1]q,team=%[2]q').replaceAll(/\s+/g, ' '), 'an unknown number of')} were used up to ${dayInWords('users')}.`,
  };
}

/** A template of the value of a query about the alert's organization and team. */
function inWords(query: string, otherwise: string): string {
  return amountInWords(query, otherwise, `$labels.org $labels.${TEAM_LABEL}`);
}
