import { newestOf } from '../../../dashboards/src/promql.ts';
import {
  teamCreditsMonthBudget,
  teamCreditsMonthForecast,
  teamCreditsMonthToDate,
} from '../../../src/collectors/users/team-budgets.ts';
import {
  amountInWords,
  dayInWords,
  enclosed,
  monthLabel,
  newestDayOf,
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
  const forecast = onNewestDay(teamCreditsMonthForecast, 'users');
  const toDate = onNewestDay(teamCreditsMonthToDate, 'users');
  const budget = newestOf(teamCreditsMonthBudget);
  const day = newestDayOf('users');
  // Early in the life of a budget there is no forecast yet.
  const share = `label_replace((${forecast} or ${toDate}) / ${budget}, "${TEAM_LABEL}", "$1", "team", "(.*)")`;
  const monthly = `max by (${LABELS.join(',')}) ${enclosed(`${share} * on (org) group_left (month) ${monthLabel(day)}`)}`;
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
    description: `Team {{ $labels.${TEAM_LABEL} }} of organization {{ $labels.org }} is forecast to use {{ ${percentageOf()} }} of its budget of ${inWords(`max(${teamCreditsMonthBudget.name}{org=%[1]q,team=%[2]q})`, 'the budgeted')} credits in {{ $labels.month }}; ${inWords(onNewestDay(teamCreditsMonthToDate, 'users', 'org=%[1]q,team=%[2]q').replaceAll(/\s+/g, ' '), 'an unknown number of')} were used up to ${dayInWords('users')}.`,
  };
}

/** A template of the value of a query about the alert's organization and team. */
function inWords(query: string, otherwise: string): string {
  return amountInWords(query, otherwise, `$labels.org $labels.${TEAM_LABEL}`);
}
