import type { Queried } from '../../../dashboards/src/promql.ts';
import { dayOfMonth, enclosed, percentageOf } from '../queries.ts';
import type { RuleSettings } from '../rule.ts';

/** Months against their budgets, as PromQL by the labels of their owners. */
export interface BudgetedMonths {
  /** The labels of an owner; `org` is one of them. */
  readonly by: string;
  /** The start of the newest day by `org`, in Unix seconds. */
  readonly day: string;
  /** The forecast as a share of the budget. */
  readonly projected: string;
  /** How likely the budget is exceeded, where that is known. */
  readonly probability: string;
  /** The newest day of each owner that an expression has. */
  daysOf(owners: string): string;
}

/** In it, the day before the newest one was published. */
const TWO_DAYS = '2d:30m';

/**
 * PromQL for the value of the months that are forecast to exceed their budget. Once the alert fires, it goes on: it tells a
 * month once, and no crossing of a limit.
 */
export function projectedOver(
  settings: RuleSettings,
  value: string,
  months: BudgetedMonths,
  { alert, labels }: { readonly alert: string; readonly labels: readonly string[] },
): string {
  const { by } = months;
  return `${value}
and on (${by}) ${enclosed(begins(settings, months))}
or
${value}
and on (${by}) ${enclosed(stays(settings, months))}
and on (${labels.join(',')}) last_over_time(ALERTS{alertname="${alert}",alertstate="firing"}[1h])`;
}

/** A template of the probability of the alert's owner; empty without one. `where` and `args` select it. */
export function probabilityInWords(credits: Queried, money: Queried, where: string, args: string): string {
  const query = `max(${credits.name}{${where}} or ${money.name}{${where}})`;
  return `{{ with query (printf \`${query}\` ${args}) }}, and exceeds it with a probability of {{ ${percentageOf('. | first | value')} }}{{ end }}`;
}

/** The owners that a range makes likely to exceed their budget, or the forecast alone without one. */
function begins({ threshold }: RuleSettings, months: BudgetedMonths): string {
  return `${onTwoDays(months, threshold('budgetSureProbability'), '1')}
or
${onTwoDays(months, threshold('budgetLikelyProbability'), threshold('budgetLikelyFromDay'))}
or
${withoutRange(months, threshold('budgetForecastRatio'))}`;
}

function stays({ threshold }: RuleSettings, months: BudgetedMonths): string {
  const ratio = `(${threshold('budgetForecastRatio')} - ${threshold('budgetHysteresis')})`;
  return `${months.probability} > ${threshold('budgetUnlikelyProbability')}
or
${withoutRange(months, ratio)}`;
}

/** The newest day and the day before it are above a probability, and both in the month, from a day of it on. */
function onTwoDays({ by, day, probability, daysOf }: BudgetedMonths, limit: string, fromDay: string): string {
  return `${probability} > ${limit}
and on (org) ${dayOfMonth(day)} > ${fromDay}
and on (${by}) (
  max_over_time((
    count_values by (${by}) ("day", ${daysOf(`${probability} > ${limit}`)})
  )[${TWO_DAYS}])
  and on (org,day) count_values by (org) ("day", ${day} - 86400)
)`;
}

function withoutRange({ by, projected, probability }: BudgetedMonths, ratio: string): string {
  return `${projected} > ${ratio} unless on (${by}) ${probability}`;
}
