import {
  teamCostMonthBudget,
  teamCostMonthBudgetExceededProbability,
  teamCostMonthForecast,
  teamCostMonthToDate,
  teamCreditsMonthBudget,
  teamCreditsMonthBudgetExceededProbability,
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
} from '../queries.ts';
import { type AlertDeclaration, alertName, OVER_OUTAGES, type RuleSettings, TEAM_LABEL } from '../rule.ts';
import { type BudgetedMonths, probabilityInWords, projectedOver } from './over-budget.ts';

/** Each month of a team is an alert of its own. */
const LABELS = ['org', TEAM_LABEL, 'month'];

/** The alert about a team's month against its budget; it stays once the budget is exceeded, since no other alert says so. */
export function teamBudgetProjectedOver(settings: RuleSettings): AlertDeclaration {
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
  const projected = ofTeams(share);
  const likely = {
    credits: onNewestDay(teamCreditsMonthBudgetExceededProbability, 'users'),
    money: onNewestDay(teamCostMonthBudgetExceededProbability, 'users'),
  };
  const months: BudgetedMonths = {
    by: `org,${TEAM_LABEL}`,
    day,
    projected,
    probability: ofTeams(`(${likely.credits} or max by (org,team) ${enclosed(likely.money)})`),
    daysOf: (teams) => `0 * (${teams}) + on (org) group_left () ${day}`,
  };
  const monthly = `max by (${LABELS.join(',')}) ${enclosed(`${projected} * on (org) group_left (month) ${monthLabel(day)}`)}`;
  const budgetInWords = creditsOrMoneyInWords(
    {
      credits: `max(${teamCreditsMonthBudget.name}{org=%[1]q,team=%[2]q})`,
      money: `max by (currency) (${teamCostMonthBudget.name}{org=%[1]q,team=%[2]q})`,
    },
    'the budgeted',
    `$labels.org $labels.${TEAM_LABEL}`,
  );
  return {
    name,
    expr: projectedOver(settings, monthly, months, { alert: alertName({ name }), labels: LABELS }),
    severity: 'warning',
    for: '1h',
    keepFiringFor: OVER_OUTAGES,
    labels: LABELS,
    dashboard: 'users',
    panel: 'Teams against their budgets',
    summary: 'The month of a team is forecast to exceed its budget',
    description: `Team {{ $labels.${TEAM_LABEL} }} of organization {{ $labels.org }} is forecast to use {{ ${percentageOf()} }} of its budget of ${budgetInWords} in {{ $labels.month }}${probabilityInWords(teamCreditsMonthBudgetExceededProbability, teamCostMonthBudgetExceededProbability, 'org=%[1]q,team=%[2]q', `$labels.org $labels.${TEAM_LABEL}`)}; ${inWords(onNewestDay(teamCreditsMonthToDate, 'users', 'org=%[1]q,team=%[2]q').replaceAll(/\s+/g, ' '), 'an unknown number of')} were used up to ${dayInWords('users')}.`,
  };
}

/** PromQL with the label of the alert: `team` may be one of the receiver's own. */
function ofTeams(expression: string): string {
  return `label_replace(${expression}, "${TEAM_LABEL}", "$1", "team", "(.*)")`;
}

/** A template of the value of a query about the alert's organization and team. */
function inWords(query: string, otherwise: string): string {
  return amountInWords(query, otherwise, `$labels.org $labels.${TEAM_LABEL}`);
}
