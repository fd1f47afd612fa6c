import { dataDayTimestamp, orgInfo } from '../../src/collectors/org-families.ts';
import type { Weeks } from '../../src/collectors/weeks.ts';
import {
  atLastDay,
  type Described,
  daily,
  type Expression,
  newest,
  ofPlatform,
  promql,
} from './expression.ts';
import { palette } from './palette.ts';
import { now, type Query } from './query.ts';

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
  const figure = newest(metric, { by: [] });
  return ofPlatform(
    promql`sum(${figure}) and on () (count(${figure}) == count(${newest(reference, { by: [] })}))`,
  );
}

/** The quotient of the sums of two figures, over the organizations that have both; of money, by currency. */
export function quotientOf(upper: Described, lower: Described): Expression {
  const by = upper.labels.filter((label) => label === 'currency');
  const [above, below] = [newest(upper, { by }), newest(lower, { by })];
  const both = `and on (${['org', ...by].join(',')})`;
  const sum = by.length === 0 ? 'sum' : 'sum by (currency) ';
  return ofPlatform(promql`${sum}(${above} ${both} ${below}) / (${sum}(${below} ${both} ${above}) > 0)`);
}

/** How much a figure changed, in percent and with its sign, beside the figure itself. */
export function changeQueries(present: Described, before: Described, from: string): readonly Query[] {
  const percent = promql`100 * (${quotientOf(present, before)} - 1)`;
  const look = { decimals: 0, colour: palette.quiet };
  return [
    now(promql`${percent} >= 0`, `% from ${from}`, { ...look, unit: 'prefix:+' }),
    now(promql`${percent} < 0`, `% from ${from}`, { ...look, unit: 'none' }),
  ];
}

/** The 7 days that end with the newest one, summed over the organizations, and their change from the 7 days before. */
export function weekWithChange(
  { present, before }: Weeks,
  family: Described,
  legend: string,
): readonly Query[] {
  return [now(wholeTotal(present, family), legend), ...changeQueries(present, before, 'the 7 days before')];
}

/** The selected organizations, with credits or without. */
export const selectedOrgs: Expression = {
  text: `max by (org) (${orgInfo.name}{job=~"$job",org=~"$org"})`,
  about: [orgInfo],
};

/** A figure where a single series of `all` is selected: lines of one look cannot be told apart. */
export function ofOne(figure: Expression, all: Expression): Expression {
  return promql`${figure} and on () (count(${atLastDay(all)}) == 1)`;
}

/** The mean over the organizations, for values that cannot be summed; by the given labels. */
export function meanOverOrgs(figure: Expression, by: readonly string[] = []): Expression {
  return ofPlatform(promql`avg by (${by.join(',')}) (${figure})`);
}

/** The seconds since a time. */
export function since(time: Expression): Expression {
  return promql`time() - ${time}`;
}

/** The time since the newest day of a dataset ended, as the page counts it, in seconds, by organization and dataset. */
export function dataAge(): Expression {
  return promql`${since(newest(dataDayTimestamp))} - 86400`;
}
