import { type Described, daily, promql } from './expression.ts';
import { palette } from './palette.ts';
import { bars } from './panels/chart.ts';
import type { PanelSpec, Placed } from './panels/panel.ts';
import { days, type Query, weeks } from './query.ts';

/** Maximum number of series that are shown separately: Grafana's fifth colour is a red like that of alarms. */
export const SHOWN = 4;
const REST = 'the rest';

interface Parts<Label extends string> {
  readonly family: Described<Label>;
  /** The label whose values are shown separately; values are summed over the others. */
  readonly label: NoInfer<Label>;
  readonly only?: Partial<Readonly<Record<NoInfer<Label>, string>>>;
  /** A point for each day, or for each week, the default. */
  readonly by?: 'day' | 'week';
}

/**
 * The weeks or days of the series that are largest over the range, and the sum of the others, those without a name among
 * them. They are chosen once for the range: chosen for each point, a series would appear in some of them only. For the
 * choice, a value at noon represents each day, which costs one sample a day; live days are published by then, and backfill
 * stamps its days with that time.
 */
export function largestAndRest<const Label extends string>(parts: Parts<Label>): readonly Query[] {
  const { family, label, only = {}, by = 'week' } = parts;
  const each = daily(family, { by: [label], orgs: 'summed', only, over: by });
  const top = largest(family, [label], only);
  const point = by === 'day' ? days : weeks;
  return [
    point(promql`${each} and ${top}`, `{{${label}}}`, { palette: 'series' }),
    point(promql`sum(${each} unless ${top})`, REST, { colour: palette.quiet }),
  ];
}

/**
 * The days of each organization, or of each of its values of a label: the largest have colours, the others are grey. With
 * `orgs: 'summed'`, of each value over all organizations.
 */
export function eachByDay<const Label extends string>(
  family: Described<Label>,
  only: Partial<Readonly<Record<NoInfer<Label>, string>>> = {},
  { orgs, named = '' }: { readonly orgs?: 'summed'; readonly named?: string } = {},
): readonly Query[] {
  const labels = orgs === undefined ? ['org', ...family.labels] : family.labels;
  const top = largest(family, labels, only);
  const each = daily(family, { only, ...(orgs && { orgs }) });
  const fixed = Object.entries(only).flatMap(([label, value]) =>
    String(value).startsWith('$') ? [] : [label],
  );
  const legend =
    labels
      .filter((label) => !fixed.includes(label))
      .map((label) => `{{${label}}}`)
      .join(' ') + named;
  return [
    days(promql`${each} and ${top}`, legend, { palette: 'series' }),
    days(promql`${each} unless ${top}`, legend, { colour: palette.quiet }),
  ];
}

/** PromQL for the choice of the largest series over the range, by the sum of the named values at the noons; replicas count twice, which changes no order. */
function largest(
  { name }: Described,
  by: readonly string[],
  only: Readonly<Record<string, string | undefined>>,
): string {
  const matchers = by.map((label) => `${label}=~"${only[label] ?? '.+'}"`);
  const merged = `sum by (${by.join(',')}) (${name}{${matchers.join(',')},job=~"$job",org=~"$org"} offset -12h)`;
  return `on (${by.join(',')}) topk(${SHOWN}, sum_over_time(${merged}[$__range:1d] @ end()))`;
}

/** The shares of the series that are largest over the range, and of the rest, by week. */
export function sharesByWeek<const Label extends string>(
  family: Described<Label>,
  {
    label,
    only = {},
    what = 'credits',
    note = '',
    others = [],
    ...panel
  }: Omit<Parts<Label>, 'family' | 'by'> &
    Pick<PanelSpec, 'noValue'> & {
      readonly what?: string;
      readonly note?: string;
      /** Queries that answer where these figures are not counted. */
      readonly others?: readonly Query[];
      readonly width?: number;
      readonly height?: number;
    },
): Placed {
  return bars({
    title: `Share of each ${label} by week`,
    text: `The four ${label}s with most ${what} in the range, and the rest, as shares of the ${what} of all ${label}s in each week up to a Wednesday.${note}`,
    stack: 'shares',
    queries: [...largestAndRest({ family, label, only }), ...others],
    width: 14,
    height: 10,
    ...panel,
  });
}
