import { spendFamilies as spend } from '../../../src/collectors/spend/collector.ts';
import { teamBudgetFamilies as teams } from '../../../src/collectors/users/team-budgets.ts';
import { modelsOfPace, teamsOfPace } from '../explained.ts';
import { enclosed, percentageOf } from '../queries.ts';
import { OVER_OUTAGES, type RuleGroup, type RuleSettings, TEAM_LABEL } from '../rule.ts';
import {
  type BudgetedMonths,
  budgetInWords,
  budgetProjectedOver,
  byMonth,
  shareOfBudget,
  toDateInWords,
} from './over-budget.ts';

const ofOrgs: BudgetedMonths = {
  dataset: 'tokens',
  toDate: { credits: spend.creditsMonthToDate, money: spend.costMonthToDate },
  forecast: { credits: spend.creditsMonthForecast, money: spend.costMonthForecast },
  budget: { credits: spend.creditsMonthBudget, money: spend.costMonthBudget },
  probability: {
    credits: spend.creditsMonthBudgetExceededProbability,
    money: spend.costMonthBudgetExceededProbability,
  },
};

const ofTeams: BudgetedMonths = {
  dataset: 'users',
  toDate: { credits: teams.teamCreditsMonthToDate, money: teams.teamCostMonthToDate },
  forecast: { credits: teams.teamCreditsMonthForecast, money: teams.teamCostMonthForecast },
  budget: { credits: teams.teamCreditsMonthBudget, money: teams.teamCostMonthBudget },
  probability: {
    credits: teams.teamCreditsMonthBudgetExceededProbability,
    money: teams.teamCostMonthBudgetExceededProbability,
  },
  team: TEAM_LABEL,
};

/** Alerts about the month against its budget. */
export function budgetGroup(settings: RuleSettings): RuleGroup {
  const used = shareOfBudget(ofOrgs, 'toDate');
  const limit = settings.threshold('budgetUsedRatio');
  const projected = budgetProjectedOver(settings, ofOrgs, {
    name: 'BudgetProjectedOver',
    panel: 'credits/Month to date against the budget',
    summary: 'The month is forecast to exceed its budget',
    owner: 'Organization {{ $labels.org }}',
  });
  return {
    name: 'agent-platform-budget',
    alerts: [
      {
        ...projected,
        expr: `${enclosed(projected.expr)}
unless on (org) ${used} > ${limit}`,
        description: `${projected.description}${modelsOfPace()}${teamsOfPace()}`,
      },
      {
        name: 'BudgetExceeded',
        expr: `${byMonth(ofOrgs, used)} > ${limit}`,
        severity: 'warning',
        for: '15m',
        keepFiringFor: OVER_OUTAGES,
        labels: projected.labels,
        panel: 'credits/Month to date against the budget',
        summary: 'The budget of the month is used up',
        description: `Organization {{ $labels.org }} has used {{ ${percentageOf()} }} of its budget of ${budgetInWords(ofOrgs)} in {{ $labels.month }}: ${toDateInWords(ofOrgs)}.`,
      },
      // It stays once the budget is exceeded, since no other alert says so.
      budgetProjectedOver(settings, ofTeams, {
        name: 'TeamBudgetProjectedOver',
        panel: 'users/Teams against their budgets',
        summary: 'The month of a team is forecast to exceed its budget',
        owner: `Team {{ $labels.${TEAM_LABEL} }} of organization {{ $labels.org }}`,
      }),
    ],
  };
}
