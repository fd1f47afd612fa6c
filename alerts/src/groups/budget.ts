import { newestOf } from '../../../dashboards/src/promql.ts';
import {
  creditsMonthBudget,
  creditsMonthForecast,
  creditsMonthToDate,
} from '../../../src/collectors/spend/collector.ts';
import { creditWeeks } from '../../../src/collectors/spend/comparisons.ts';
import { modelsOfPace, teamsOfPace } from '../explained.ts';
import {
  amountInWords,
  dayInWords,
  enclosed,
  monthLabel,
  newestDayOf,
  onNewestDay,
  percentageOf,
  valueInWords,
  withHysteresis,
} from '../queries.ts';
import { alertName, OVER_OUTAGES, type RuleGroup, type RuleSettings } from '../rule.ts';
import { teamBudgetProjectedOver } from './team-budget.ts';

/** Each month is an alert of its own: the next month notifies again. */
const LABELS = ['org', 'month'];

/** Alerts about the month against its budget. */
export function budgetGroup(settings: RuleSettings): RuleGroup {
  const { threshold } = settings;
  const budget = newestOf(creditsMonthBudget);
  const toDate = onNewestDay(creditsMonthToDate, 'tokens');
  const forecast = onNewestDay(creditsMonthForecast, 'tokens');
  const pace = `${onNewestDay(creditWeeks.present, 'tokens')} / 7`;
  const day = newestDayOf('tokens');
  const atThisPace = `(${toDate} + ${pace} * (days_in_month(${day}) - day_of_month(${day}))) / ${budget}`;
  const isExceeded = `${toDate} > ${threshold('budgetUsedRatio')} * ${budget}`;
  const isProjected = `${forecast} > ${threshold('budgetForecastRatio')} * ${budget}`;
  const from = (name: 'budgetForecastRatio' | 'budgetPaceRatio') => ({
    from: threshold(name),
    until: `(${threshold(name)} - ${threshold('budgetHysteresis')})`,
  });
  const ofMonth = `in {{ $labels.month }}`;
  const budgetInWords = amountInWords(`max(${creditsMonthBudget.name}{org=%q})`, 'the budgeted');
  const toDateInWords = `${valueInWords(creditsMonthToDate, 'tokens')} credits were used up to ${dayInWords('tokens')}`;

  /** The value of each organization with the label `month`, such as `2026-06`. */
  function monthly(value: string): string {
    return enclosed(`${enclosed(value)} * on (org) group_right () ${monthLabel(day)}`);
  }

  return {
    name: 'agent-platform-budget',
    alerts: [
      {
        name: 'BudgetProjectedOver',
        expr: `(
${withHysteresis(monthly(`${forecast} / ${budget}`), from('budgetForecastRatio'), { alert: alertName({ name: 'BudgetProjectedOver' }), labels: LABELS.join(',') })}
)
unless on (org) ${isExceeded}`,
        severity: 'warning',
        for: '1h',
        keepFiringFor: OVER_OUTAGES,
        labels: LABELS,
        dashboard: 'credits',
        panel: 'Month to date against the budget',
        summary: 'The month is forecast to exceed its budget',
        description: `Organization {{ $labels.org }} is forecast to use {{ ${percentageOf()} }} of its budget of ${budgetInWords} credits ${ofMonth}; ${toDateInWords}.`,
      },
      {
        name: 'BudgetBurningFast',
        // The forecast averages four weeks, and is slower than a pace that has just risen.
        expr: `(
${withHysteresis(monthly(atThisPace), from('budgetPaceRatio'), { alert: alertName({ name: 'BudgetBurningFast' }), labels: LABELS.join(',') })}
)
unless on (org) ${isProjected}
unless on (org) ${isExceeded}`,
        severity: 'warning',
        for: '1h',
        keepFiringFor: OVER_OUTAGES,
        labels: LABELS,
        dashboard: 'credits',
        panel: 'Month to date against the budget',
        summary: 'The budget is being used up fast',
        description: `At the pace of the seven days up to ${dayInWords('tokens')}, organization {{ $labels.org }} uses {{ ${percentageOf()} }} of its budget of ${budgetInWords} credits ${ofMonth}; ${valueInWords(creditsMonthToDate, 'tokens')} are used. The forecast, which averages four weeks, is still within the budget.${modelsOfPace()}${teamsOfPace()}`,
      },
      {
        name: 'BudgetExceeded',
        expr: `${monthly(`${toDate} / ${budget}`)} > ${threshold('budgetUsedRatio')}`,
        severity: 'warning',
        for: '15m',
        keepFiringFor: OVER_OUTAGES,
        labels: LABELS,
        dashboard: 'credits',
        panel: 'Month to date against the budget',
        summary: 'The budget of the month is used up',
        description: `Organization {{ $labels.org }} has used {{ ${percentageOf()} }} of its budget of ${budgetInWords} credits ${ofMonth}: ${toDateInWords}.`,
      },
      teamBudgetProjectedOver(settings),
    ],
  };
}
