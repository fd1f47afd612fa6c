import { dailyActiveUsers } from '../../src/collectors/activity/collector.ts';
import { dataDayTimestamp } from '../../src/collectors/org-families.ts';
import { before, type Described, daily, type Expression, newest, promql, quotient } from './expression.ts';

const WEEK_S = 7 * 86_400;

/** The newest value, summed over the selected organizations. */
export function total(metric: Described): Expression {
  return newest(metric, { by: [], orgs: 'summed' });
}

/** Each day's value, summed over the selected organizations. */
export function dailyTotal(family: Described): Expression {
  return daily(family, { by: [], orgs: 'summed' });
}

/**
 * The newest value, summed over the selected organizations, or absent if one that has the `reference` lacks it: for
 * figures that can be absent by themselves, so that a sum is never partial.
 */
export function wholeTotal(metric: Described, reference: Described): Expression {
  return whole(newest(metric, { by: [] }), newest(reference, { by: [] }));
}

/** The same for each day. */
export function wholeDailyTotal(family: Described, reference: Described): Expression {
  return whole(daily(family, { by: [] }), daily(reference, { by: [] }));
}

/** The sum of a figure over the organizations, or absent if one that has the `reference` lacks it. */
export function whole(figure: Expression, reference: Expression): Expression {
  return promql`(sum(${figure}) and on () (count(${figure}) == count(${reference})))`;
}

/**
 * The relative change of the newest value from the same weekday a week before; over the organizations that have both.
 */
export function weekOnWeek(family: Described): Expression {
  const [present, past] = [newest(family, { by: [] }), before(family, 7, { by: [] })];
  return promql`sum(${present} and on (org) ${past}) / (sum(${past} and on (org) ${present}) > 0) - 1`;
}

/** Each day's value per person active on it, over the 7 days that end with the day. */
export function perActiveUser(figure: Expression): Expression {
  return ratioOfWeek(figure, dailyTotal(dailyActiveUsers));
}

/**
 * The quotient of the sums of two figures over the 7 days that end with each day, of those days that have both: the
 * quotients of single days rise and fall with the weekends, on which few people decide them.
 */
export function ratioOfWeek(figure: Expression, divisor: Expression): Expression {
  const [upper, lower] = [promql`(${figure} and ${divisor})`, promql`(${divisor} and ${figure})`];
  return promql`${quotient(overWeek('sum', upper), overWeek('sum', lower))} and ${figure}`;
}

/** The mean of a figure over the known ones of the 7 days that end with each day that is known. */
export function meanOfWeek(figure: Expression): Expression {
  return promql`${overWeek('avg', figure)} and ${figure}`;
}

/** A second less than a week has seven midnights, the last of which is the one nearest to the evaluation time. */
function overWeek(operator: 'sum' | 'avg', { text, about }: Expression): Expression {
  return { text: `${operator}_over_time((${text})[${WEEK_S - 1}s:1d] offset -12h)`, about };
}

/** The mean over the organizations, for values that cannot be summed; by the given labels. */
export function meanOverOrgs(figure: Expression, by: readonly string[] = []): Expression {
  const { text, about } = figure;
  return { text: `avg by (${by.join(',')}) (${text})`, about };
}

/** The time since the newest day of a dataset ended, as the page counts it, in seconds, by organization and dataset. */
export function dataAge(): Expression {
  return promql`time() - ${newest(dataDayTimestamp)} - 86400`;
}
