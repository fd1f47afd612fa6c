import { creditsMonthBudget } from '../../../src/collectors/spend/collector.ts';
import { type Described, type Expression, newest, promql } from '../expression.ts';

/** A figure of the month divided by the budget, over the organizations with a budget. */
export function ofBudget(figure: Described): Expression {
  const budget = newest(creditsMonthBudget);
  return promql`sum(${newest(figure)} and on (org) ${budget}) / sum(${budget} and on (org) ${newest(figure)})`;
}

/** The same for each organization. */
export function ofBudgetByOrg(figure: Described): Expression {
  return promql`${newest(figure)} / ${newest(creditsMonthBudget)}`;
}
