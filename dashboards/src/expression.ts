import { orgInfo } from '../../src/collectors/org-families.ts';
import { addsUpOverAll, datasetOf, recordedOf } from './catalogue.ts';
import { atDaysEnd, type Choice, newestOf, onItsDay, type Queried, risenOf, sumOverRange } from './promql.ts';

/** The metadata of a metric that a panel shows. */
export interface Described<Label extends string = string> extends Queried<Label> {
  readonly help: string;
  readonly source: string;
}

/** PromQL together with the metrics that it uses. */
export interface Expression {
  readonly text: string;
  readonly about: readonly Described[];
}

type Narrowed<Label extends string> = Omit<Choice<Label>, 'where'>;

/** A metric's newest value. */
export function newest<const Label extends string>(
  metric: Described<Label>,
  choice: Narrowed<Label> = {},
): Expression {
  const text = newestOf(metric, { ...choice, where: targetOf(metric) });
  return ofItsPlatforms({ text, about: [metric] }, choice);
}

/** A daily family's value on the day it describes, or its sum or mean over the week before that day. */
export function daily<const Label extends string>(
  family: Described<Label>,
  choice: Narrowed<Label> & { readonly over?: 'day' | 'week' | 'weeklyMean' } = {},
): Expression {
  const text = onItsDay(family, datasetOf(family), { ...choice, ...twoForms(family) });
  return ofItsPlatforms({ text, about: [family] }, choice);
}

/** The sum of a daily family over the days that overlap the range, as one value. */
export function overRange<const Label extends string>(
  family: Described<Label>,
  choice: Narrowed<Label> = {},
): Expression {
  const text = sumOverRange(family, datasetOf(family), { ...choice, ...twoForms(family) });
  return ofItsPlatforms({ text, about: [family] }, choice);
}

/** A current value at the end of each day, of each series or across all. */
export function atEnd<const Label extends string>(
  metric: Described<Label>,
  choice: Narrowed<Label> & { readonly across?: 'avg' | 'min' } = {},
): Expression {
  return { text: atDaysEnd(metric, { ...choice, ...twoForms(metric) }), about: [metric] };
}

/** What of several platforms is not added up, unless the selected organizations are of one. */
const SEVERAL = `count(count by (platform) (${orgInfo.name}{job=~"$job",org=~"$org"})) > 1`;

/** Whether an expression is only of organizations of one platform. */
export function isOfOnePlatform({ text }: Expression): boolean {
  return text.includes('unless on () (count(count by (platform)');
}

/**
 * A figure of several organizations, if all that it is about may be added up over platforms or the organizations are of one. Of
 * days, by the end of the range: on the hourly grid of the last week and of the two days in which the last day may come.
 */
export function ofPlatform({ text, about }: Expression): Expression {
  const addsUp = ({ aggregation, unit = '', source }: Described) =>
    aggregation === undefined || addsUpOverAll({ aggregation, unit, source });
  if (about.every(addsUp)) return { text, about };
  const isOfDays = text.includes('[1d:1h]') && !text.includes('$__range');
  const several = isOfDays
    ? SEVERAL.replace(/agent\w+{.*?}/, 'last_over_time($&[9d:1h] @ end() offset -2d)')
    : SEVERAL;
  return { text: `(${text} unless on () (${several}))`, about };
}

function ofItsPlatforms(figure: Expression, { orgs }: Pick<Choice<string>, 'orgs'>): Expression {
  return orgs === 'summed' ? ofPlatform(figure) : figure;
}

/**
 * Current values as they last were by the end of a range of days, which ends at a midnight, at each of its steps: of the
 * last week, since days that are backfilled come late and an organization may rest for days.
 */
export function atLastDay({ text, about }: Expression): Expression {
  const window = '(last_over_time($1[7d] @ end()))';
  return { text: text.replaceAll(/\((\w+\{[^}]*\})\)/g, window), about };
}

/** The rate of a counter per second. */
export function rate<const Label extends string>(
  metric: Described<Label>,
  choice: Parameters<typeof risenOf<Label>>[3] = {},
): Expression {
  const text = risenOf(metric, 'rate', '$__rate_interval', { ...choice, where: targetOf(metric) });
  return { text, about: [metric] };
}

/** The rate of a counter per minute. */
export function perMinute<const Label extends string>(
  metric: Described<Label>,
  choice: Parameters<typeof risenOf<Label>>[3] = {},
): Expression {
  return promql`60 * ${rate(metric, choice)}`;
}

/** The increase of a counter: for each point since the previous one or, for a single number, over the range. */
export function increase<const Label extends string>(
  metric: Described<Label>,
  window: '$__rate_interval' | '$__range',
  choice: Parameters<typeof risenOf<Label>>[3] = {},
): Expression {
  return {
    text: risenOf(metric, 'increase', window, { ...choice, where: targetOf(metric) }),
    about: [metric],
  };
}

/** PromQL composed of texts and other expressions, which are parenthesized unless they are single calls. */
export function promql(texts: TemplateStringsArray, ...parts: readonly (Expression | string)[]): Expression {
  const expressions = parts.map((part) => (typeof part === 'string' ? { text: part, about: [] } : part));
  const text = String.raw({ raw: texts }, ...expressions.map((part) => part.text));
  return { text, about: [...new Set(expressions.flatMap(({ about }) => about))] };
}

/** A quantile of a histogram, by what its `buckets` are by. */
export function quantile(of: number, buckets: Expression): Expression {
  return promql`histogram_quantile(${String(of)}, ${buckets})`;
}

/** Gives series in which a label is empty a value of it that a legend can show. */
export function named(expression: Expression, label: string, name: string): Expression {
  return promql`label_replace(${expression}, "${label}", "${name}", "${label}", "")`;
}

/** The matchers of a family's own series, and those of its recorded series, which have no `job`. */
function twoForms(family: Described) {
  return { where: targetOf(family), recorded: { name: recordedOf(family), where: 'org=~"$org"' } };
}

/** The labels by which the variables of every dashboard select a target. */
function targetOf({ aggregation, labels }: Described): string {
  const ofOrg = aggregation !== undefined || (labels as readonly string[]).includes('org');
  return ofOrg ? 'job=~"$job",org=~"$org"' : 'job=~"$job"';
}
