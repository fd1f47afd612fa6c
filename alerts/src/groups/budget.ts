import type { Queried } from '../../../dashboards/src/promql.ts';
import {
  costMonthBudget,
  costMonthBudgetExceededProbability,
  costMonthForecast,
  costMonthToDate,
  creditsMonthBudget,
  creditsMonthBudgetExceededProbability,
  creditsMonthForecast,
  creditsMonthToDate,
} from '../../../src/collectors/spend/collector.ts';
import { modelsOfPace, teamsOfPace } from '../explained.ts';
import {
  creditsOrMoneyInWords,
  dayInWords,
  enclosed,
  monthLabel,
  newestDayOf,
  ofBudget,
  onNewestDay,
  percentageOf,
  valueInWords,
} from '../queries.ts';
import { alertName, OVER_OUTAGES, type RuleGroup, type RuleSettings } from '../rule.ts';
import { type BudgetedMonths, probabilityInWords, projectedOver } from './over-budget.ts';
import { teamBudgetProjectedOver } from './team-budget.ts';

/** Each month is an alert of its own: the next month notifies again. */
const LABELS = ['org', 'month'];

/** Alerts about the month against its budget. */
export function budgetGroup(settings: RuleSettings): RuleGroup {
  const { threshold } = settings;
  const isExceeded = `${used} > ${threshold('budgetUsedRatio')}`;
  const ofMonth = `in {{ $labels.month }}`;
  const budgetInWords = creditsOrMoneyInWords(
    {
      credits: `max(${creditsMonthBudget.name}{org=%q})`,
      money: `max by (currency) (${costMonthBudget.name}{org=%q})`,
    },
    'the budgeted',
  );
  const toDateInWords = `${valueInWords(creditsMonthToDate, 'tokens')} credits were used up to ${dayInWords('tokens')}`;

  return {
    name: 'agent-platform-budget',
    alerts: [
      {
        name: 'BudgetProjectedOver',
        expr: `${enclosed(projectedOver(settings, monthly(projected), months, { alert: alertName({ name: 'BudgetProjectedOver' }), labels: LABELS }))}
unless on (org) ${isExceeded}`,
        severity: 'warning',
        for: '1h',
        keepFiringFor: OVER_OUTAGES,
        labels: LABELS,
        dashboard: 'credits',
        panel: 'Month to date against the budget',
        summary: 'The month is forecast to exceed its budget',
        description: `Organization {{ $labels.org }} is forecast to use {{ ${percentageOf()} }} of its budget of ${budgetInWords} ${ofMonth}${probabilityInWords(creditsMonthBudgetExceededProbability, costMonthBudgetExceededProbability, 'org=%[1]q', '$labels.org')}; ${toDateInWords}.${modelsOfPace()}${teamsOfPace()}`,
      },
      {
        name: 'BudgetExceeded',
        expr: `${monthly(used)} > ${threshold('budgetUsedRatio')}`,
        severity: 'warning',
        for: '15m',
        keepFiringFor: OVER_OUTAGES,
        labels: LABELS,
        dashboard: 'credits',
        panel: 'Month to date against the budget',
        summary: 'The budget of the month is used up',
        description: `Organization {{ $labels.org }} has used {{ ${percentageOf()} }} of its budget of ${budgetInWords} ${ofMonth}: ${toDateInWords}.`,
      },
      teamBudgetProjectedOver(settings),
    ],
  };
}

const day = newestDayOf('tokens');
const budgets = { credits: creditsMonthBudget, money: costMonthBudget };
const used = ofBudget(onDay(creditsMonthToDate, costMonthToDate), budgets);
const projected = ofBudget(onDay(creditsMonthForecast, costMonthForecast), budgets);
const likely = onDay(creditsMonthBudgetExceededProbability, costMonthBudgetExceededProbability);
const months: BudgetedMonths = {
  by: 'org',
  day,
  projected,
  probability: `(${likely.credits} or max by (org) ${enclosed(likely.money)})`,
  daysOf: (orgs) => `${day} and on (org) ${orgs}`,
};

function onDay(credits: Queried, money: Queried) {
  return { credits: onNewestDay(credits, 'tokens'), money: onNewestDay(money, 'tokens') };
}

/** The value of each organization with the label `month`, such as `2026-06`. */
function monthly(value: string): string {
  return enclosed(`${enclosed(value)} * on (org) group_right () ${monthLabel(day)}`);
}
