import { dataDayTimestamp } from '../../src/collectors/org-families.ts';
import { datasetOf } from './catalogue.ts';
import { type Described, dailyPublished, type Expression, promql } from './expression.ts';
import { whole } from './figures.ts';
import { palette } from './palette.ts';
import { now, type Query } from './query.ts';

const DAY_S = 86_400;
const WEEK_S = 7 * DAY_S;

/** The text of a tile whose days are not complete, or whose exporter does not answer. */
export const INCOMPLETE = 'Not known';

/** The labels of a tile with the sum of a week and its change. */
const IN_A_WEEK = '7 days';
const CHANGE = 'change';

/**
 * The start of the newest day of a family's dataset, by organization, as the day expressions know it: they look at full
 * hours, of which the next one counts from five minutes before.
 */
function newestDay(family: Described): Expression {
  const selector = `${dataDayTimestamp.name}{dataset="${datasetOf(family)}",job=~"$job",org=~"$org"}`;
  return {
    text: `max by (org) (last_over_time(${selector}[7d:1h] @ end() offset -1h))`,
    about: [dataDayTimestamp],
  };
}

/**
 * The sum of the 7 days that end with the newest one, or with a day some weeks before it, by organization and label;
 * absent if one of the days is.
 */
export function weekOf<const Label extends string>(
  family: Described<Label>,
  {
    weeksBefore = 0,
    by = [],
  }: { readonly weeksBefore?: number; readonly by?: readonly NoInfer<Label>[] } = {},
): Expression {
  const [from, to] = [weeksBefore * WEEK_S, (weeksBefore + 1) * WEEK_S];
  const chosen = promql`(${dailyPublished(family, { by })} and on (org) (${newestDay(family)} - time() >= ${number(from)} < ${number(to)}))[${number(7 * (weeksBefore + 2) + 1)}d:1d]`;
  return promql`(sum_over_time(${chosen}) and count_over_time(${chosen}) == 7)`;
}

/** The 7 days that end with the newest one, summed over the organizations, and their change from the 7 days before. */
export function weekWithChange(family: Described): readonly Query[] {
  const [present, past] = [weekOf(family), weekOf(family, { weeksBefore: 1 })];
  return [
    now(whole(present, newestDay(family)), IN_A_WEEK),
    changeQuery(
      promql`sum(${present} and on (org) ${past}) / (sum(${past} and on (org) ${present}) > 0) - 1`,
      CHANGE,
    ),
  ];
}

/** A relative change beside the figure that changed. */
export function changeQuery(expression: Expression, legend: string): Query {
  return now(expression, legend, { unit: 'percentunit', decimals: 0, colour: palette.quiet });
}

/** A family's value on the newest day, by organization and label. */
export function onNewestDay<const Label extends string>(
  family: Described<Label>,
  by: readonly NoInfer<Label>[] = [],
): Expression {
  const day = newestDay(family);
  return promql`last_over_time((${dailyPublished(family, { by })} and on (org) (${day} - time() == 0))[9d:1d])`;
}

/** A family's value on the same day of the month before the newest day's, or on the last day of a shorter month. */
export function aMonthBefore<const Label extends string>(
  family: Described<Label>,
  by: readonly NoInfer<Label>[] = [],
): Expression {
  const day = newestDay(family);
  const ofMonth = promql`day_of_month(${day})`;
  const lastMonth = promql`days_in_month(${day} - ${number(DAY_S)} * ${ofMonth})`;
  const back = promql`${number(DAY_S)} * (${lastMonth} > ${ofMonth} or ${ofMonth})`;
  return promql`last_over_time((${dailyPublished(family, { by })} and on (org) (${day} - time() == ${back}))[41d:1d])`;
}

function number(value: number): Expression {
  return { text: String(value), about: [] };
}
