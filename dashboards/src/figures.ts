import { dataDayTimestamp } from '../../src/collectors/about.ts';
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

/**
 * The newest value over all chosen organizations, or nothing where one of them that has the `reference` lacks it: for
 * figures that can be absent by themselves, so that a sum is never short.
 */
export function wholeTotal(metric: Described, reference: Described): Expression {
  return whole(newest(metric, { by: [] }), newest(reference, { by: [] }));
}

/** The same for each day. */
export function wholeDailyTotal(family: Described, reference: Described): Expression {
  return whole(daily(family, { by: [] }), daily(reference, { by: [] }));
}

function whole(figure: Expression, reference: Expression): Expression {
  return promql`sum(${figure}) and on () (count(${figure}) == count(${reference}))`;
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

/** The mean over the organizations, for what cannot be summed; by the labels given. */
export function meanOverOrgs(figure: Expression, by: readonly string[] = []): Expression {
  const { text, about } = figure;
  return { text: `avg by (${by.join(',')}) (${text})`, about };
}

/** How long ago the newest day of a dataset ended, in seconds, by organization and dataset. */
export function dataAge(): Expression {
  return promql`time() - 86400 - ${newest(dataDayTimestamp)}`;
}

/** A tile's texts for a number and its change within a week. */
export const NEWEST = 'newest day';
export const CHANGE = 'change in a week';

/** The largest parts of each day, so that what shows them stays readable. */
export function largestShares(parts: Expression): Expression {
  return promql`topk(10, ${shareOfDay(parts)})`;
}

/** Each series' part of the sum of all of them on its day. */
function shareOfDay(parts: Expression): Expression {
  return promql`${parts} / on () group_left () (sum(${parts}) > 0)`;
}
