import { newestOf } from '../../../dashboards/src/promql.ts';
import type { DatasetName } from '../../../src/catalog/dataset.ts';
import * as query from '../queries.ts';
import {
  type AlertDeclaration,
  alertName,
  OVER_OUTAGES,
  type RuleSettings,
  type TEAM_LABEL,
} from '../rule.ts';

/** The months of organizations, or of their teams, and their budgets. */
export interface BudgetedMonths {
  readonly dataset: DatasetName;
  readonly toDate: query.Amounts;
  readonly forecast: query.Amounts;
  readonly budget: query.Amounts;
  readonly probability: query.Amounts;
  /** The label of the alert that has the team: `team` may be one of the receiver's own. */
  readonly team?: typeof TEAM_LABEL;
}

/** In it, the day before the newest one was published. */
const TWO_DAYS = '2d:30m';

/**
 * The alert about months that are forecast to exceed their budget; each month is an alert of its own, so that the next one
 * notifies again. Once the alert fires, it goes on: it tells a month once, and no crossing of a limit.
 */
export function budgetProjectedOver<About extends Pick<AlertDeclaration, 'name' | 'panel'>>(
  { threshold }: RuleSettings,
  months: BudgetedMonths,
  about: About & { readonly owner: string },
) {
  const { dataset, probability, team } = months;
  const { by, where, args } = ownerOf(months);
  const day = query.newestDayOf(dataset);
  // Early in the life of a team's budget there is no forecast yet.
  const projected = shareOfBudget(months, 'forecast', ...(team === undefined ? [] : (['toDate'] as const)));
  const likely = inCreditsOrMoney(months, (unit) => query.onNewestDay(probability[unit], dataset));
  const withoutRange = (ratio: string) => `${projected} > ${ratio} unless on (${by}) ${likely}`;
  /** The newest day and the day before it are above a probability, and both in the month, from a day of it on. */
  const onTwoDays = (limit: string, fromDay: string) => `${likely} > ${limit}
and on (org) ${query.dayOfMonth(day)} > ${fromDay}
and on (${by}) (
  max_over_time((
    count_values by (${by}) ("day", 0 * (${likely} > ${limit}) + on (org) group_left () ${day})
  )[${TWO_DAYS}])
  and on (org,day) count_values by (org) ("day", ${day} - 86400)
)`;
  const begins = `${onTwoDays(threshold('budgetSureProbability'), '1')}
or
${onTwoDays(threshold('budgetLikelyProbability'), threshold('budgetLikelyFromDay'))}
or
${withoutRange(threshold('budgetForecastRatio'))}`;
  const stays = `${likely} > ${threshold('budgetUnlikelyProbability')}
or
${withoutRange(`(${threshold('budgetForecastRatio')} - ${threshold('budgetHysteresis')})`)}`;
  const value = byMonth(months, projected);
  const exceeds = `, and exceeds it with a probability of {{ ${query.percentageOf('. | first | value')} }}`;
  return {
    ...about,
    expr: `${value}
and on (${by}) ${query.enclosed(begins)}
or
${value}
and on (${by}) ${query.enclosed(stays)}
and on (${by},month) ${query.firing(alertName(about))}`,
    severity: 'warning',
    for: '1h',
    keepFiringFor: OVER_OUTAGES,
    labels: [...by.split(','), 'month'],
    description: `${about.owner} is forecast to use {{ ${query.percentageOf()} }} of its budget of ${budgetInWords(months)} in {{ $labels.month }}${query.inWords(`max(${probability.credits.name}{${where}} or ${probability.money.name}{${where}})`, args, exceeds)}; ${toDateInWords(months)}.`,
  } as const;
}

/** PromQL for one of the figures of a month, the first that is known, as a share of the budget. */
export function shareOfBudget(
  months: BudgetedMonths,
  ...figures: readonly ('toDate' | 'forecast')[]
): string {
  const of = (unit: keyof query.Amounts) =>
    figures.map((figure) => query.onNewestDay(months[figure][unit], months.dataset)).join(' or ');
  return inCreditsOrMoney(months, (unit) => `(${of(unit)}) / ${newestOf(months.budget[unit])}`);
}

/** PromQL for the values of months, with the label `month`, such as `2026-06`. */
export function byMonth(months: BudgetedMonths, value: string): string {
  const month = query.monthLabel(query.newestDayOf(months.dataset));
  return `max by (${ownerOf(months).by},month) ${query.enclosed(`${value} * on (org) group_left (month) ${month}`)}`;
}

/** PromQL for what is known in credits, otherwise in money, whatever its currency. */
function inCreditsOrMoney({ team }: BudgetedMonths, of: (unit: keyof query.Amounts) => string): string {
  const labels = team === undefined ? 'org' : 'org,team';
  const value = `(${of('credits')} or max by (${labels}) ${query.enclosed(of('money'))})`;
  return team === undefined ? value : `label_replace(${value}, "${team}", "$1", "team", "(.*)")`;
}

function ownerOf({ team }: BudgetedMonths): query.Owner & { readonly by: string } {
  const { where, args } = query.ORG;
  if (team === undefined) return { where, args, by: 'org' };
  return { where: `${where},team=%[2]q`, args: `${args} $labels.${team}`, by: `org,${team}` };
}

/** A template of the budget of the alert's owner, such as `34.2 Mil credits` or `1.5 K USD`. */
export function budgetInWords(months: BudgetedMonths): string {
  const { where, args } = ownerOf(months);
  const { credits, money } = months.budget;
  const amount = `{{ ${query.numberOf('. | first | value')} }}`;
  const inMoney = `${amount} {{ . | first | label "currency" }}`;
  return query.inWords(
    `max(${credits.name}{${where}})`,
    args,
    `${amount} credits`,
    query.inWords(`max by (currency) (${money.name}{${where}})`, args, inMoney, 'the budgeted credits'),
  );
}

/** A template of what the alert's owner has used of the month, in credits or in money as its budget is. */
export function toDateInWords(months: BudgetedMonths): string {
  const { dataset, toDate, budget } = months;
  const owner = ownerOf(months);
  const hasBudget = (unit: keyof query.Amounts) => ` and on (${owner.by},currency) ${newestOf(budget[unit])}`;
  const used = query.amountInWords(toDate, dataset, owner, ' credits', hasBudget);
  return `${used} were used up to ${query.dayInWords(dataset)}`;
}
