import { dataDayTimestamp } from '../../src/collectors/about/about.ts';
import { dailyActiveUsers } from '../../src/collectors/activity/collector.ts';
import { before, type Described, daily, type Expression, newest, promql, quotient } from './expression.ts';

/** The newest value over all chosen organizations. */
export function total(metric: Described): Expression {
  return newest(metric, { by: [], orgs: 'summed' });
}

/** Each day's value over all chosen organizations. */
export function dailyTotal(family: Described): Expression {
  return daily(family, { by: [], orgs: 'summed' });
}

/** The newest value against the same weekday a week before, as a ratio of the difference; over the organizations that have both. */
export function weekOnWeek(family: Described): Expression {
  const [present, past] = [newest(family, { by: [] }), before(family, 7, { by: [] })];
  return promql`sum(${present} and on (org) ${past}) / (sum(${past} and on (org) ${present}) > 0) - 1`;
}

/** Each day's value for each person active on it. */
export function perActiveUser(figure: Expression): Expression {
  return quotient(figure, dailyTotal(dailyActiveUsers));
}

/** How long ago the newest day of a dataset ended, in seconds, by organization and dataset. */
export function dataAge(): Expression {
  return promql`time() - 86400 - ${newest(dataDayTimestamp)}`;
}

/** A tile's texts for a number and its change within a week. */
export const NEWEST = 'newest day';
export const CHANGE = 'change in a week';

/** Each series' part of the sum of all of them on its day. */
export function shareOfDay(parts: Expression): Expression {
  return promql`${parts} / on () group_left () (sum(${parts}) > 0)`;
}
