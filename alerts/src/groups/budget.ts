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
  dayOfMonth,
  enclosed,
  monthLabel,
  newestDayOf,
  ofBudget,
  onNewestDay,
  percentageOf,
  valueInWords,
} from '../queries.ts';
import { alertName, OVER_OUTAGES, type RuleGroup, type RuleSettings } from '../rule.ts';
import { teamBudgetProjectedOver } from './team-budget.ts';

/** Each month is an alert of its own: the next month notifies again. */
const LABELS = ['org', 'month'];

/** In it, the day before the newest one was published. */
const TWO_DAYS = '2d:30m';

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
  const forecast = monthly(projected);

  return {
    name: 'agent-platform-budget',
    alerts: [
      {
        name: 'BudgetProjectedOver',
        expr: `(
  ${forecast}
  and on (org) ${enclosed(beginsOverBudget(settings))}
or
  ${forecast}
  and on (org) ${enclosed(staysOverBudget(settings))}
  and on (${LABELS.join(',')}) last_over_time(ALERTS{alertname="${alertName({ name: 'BudgetProjectedOver' })}",alertstate="firing"}[1h])
)
unless on (org) ${isExceeded}`,
        severity: 'warning',
        for: '1h',
        keepFiringFor: OVER_OUTAGES,
        labels: LABELS,
        dashboard: 'credits',
        panel: 'Month to date against the budget',
        summary: 'The month is forecast to exceed its budget',
        description: `Organization {{ $labels.org }} is forecast to use {{ ${percentageOf()} }} of its budget of ${budgetInWords} ${ofMonth}${probabilityInWords()}; ${toDateInWords}.${modelsOfPace()}${teamsOfPace()}`,
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
const probability = `(${likely.credits} or max by (org) ${enclosed(likely.money)})`;

function onDay(credits: Queried, money: Queried) {
  return { credits: onNewestDay(credits, 'tokens'), money: onNewestDay(money, 'tokens') };
}

/** The value of each organization with the label `month`, such as `2026-06`. */
function monthly(value: string): string {
  return enclosed(`${enclosed(value)} * on (org) group_right () ${monthLabel(day)}`);
}

/** PromQL for the organizations that a range makes likely to exceed their budget, or the forecast alone without one. */
function beginsOverBudget({ threshold }: RuleSettings): string {
  return `${onTwoDays(threshold('budgetSureProbability'), '1')}
or
${onTwoDays(threshold('budgetLikelyProbability'), threshold('budgetLikelyFromDay'))}
or
${withoutRange(threshold('budgetForecastRatio'))}`;
}

/** PromQL for the organizations whose alert goes on once it fires: it tells a month once, and no crossing of a limit. */
function staysOverBudget({ threshold }: RuleSettings): string {
  const ratio = `(${threshold('budgetForecastRatio')} - ${threshold('budgetHysteresis')})`;
  return `${probability} > ${threshold('budgetUnlikelyProbability')}
or
${withoutRange(ratio)}`;
}

/** The newest day and the day before it are above a probability, and both in the month, from a day of it on. */
function onTwoDays(limit: string, fromDay: string): string {
  return `${probability} > ${limit}
and on (org) ${dayOfMonth(day)} > ${fromDay}
and on (org) (
  max_over_time((
    count_values by (org) ("day", ${day} and on (org) ${probability} > ${limit})
  )[${TWO_DAYS}])
  and on (org,day) count_values by (org) ("day", ${day} - 86400)
)`;
}

function withoutRange(ratio: string): string {
  return `${projected} > ${ratio} unless on (org) ${probability}`;
}

/** A template of the probability of the alert's organization; empty without one. */
function probabilityInWords(): string {
  const query = `max(${creditsMonthBudgetExceededProbability.name}{org=%[1]q} or ${costMonthBudgetExceededProbability.name}{org=%[1]q})`;
  return `{{ with query (printf \`${query}\` $labels.org) }}, and exceeds it with a probability of {{ ${percentageOf('. | first | value')} }}{{ end }}`;
}
