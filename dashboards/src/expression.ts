import { datasetOf } from './catalogue.ts';
import {
  atDaysEnd,
  type Choice,
  daysBeforeNewest,
  newestOf,
  onItsDay,
  type Queried,
  risenOf,
} from './promql.ts';

/** What a panel says of a metric that it shows. */
export interface Described<Label extends string = string> extends Queried<Label> {
  readonly help: string;
  readonly source: string;
}

/** PromQL together with the metrics that it is made of. */
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
  return { text: newestOf(metric, { ...choice, where: targetOf(metric) }), about: [metric] };
}

/** A daily family's value on the day that it describes. */
export function daily<const Label extends string>(
  family: Described<Label>,
  choice: Narrowed<Label> = {},
): Expression {
  const text = onItsDay(family, datasetOf(family), { ...choice, where: targetOf(family) });
  return { text, about: [family] };
}

/** What a daily family was so many days before its newest day. */
export function before<const Label extends string>(
  family: Described<Label>,
  daysBefore: number,
  choice: Narrowed<Label> = {},
): Expression {
  const where = targetOf(family);
  return {
    text: daysBeforeNewest(family, datasetOf(family), daysBefore, { ...choice, where }),
    about: [family],
  };
}

/** What a present state was at the end of each day. */
export function atEnd<const Label extends string>(
  metric: Described<Label>,
  choice: Narrowed<Label> = {},
): Expression {
  return { text: atDaysEnd(metric, { ...choice, where: targetOf(metric) }), about: [metric] };
}

/** How fast a counter rises, per second. */
export function rate<const Label extends string>(
  metric: Described<Label>,
  choice: Parameters<typeof risenOf<Label>>[3] = {},
): Expression {
  const text = risenOf(metric, 'rate', '$__rate_interval', { ...choice, where: targetOf(metric) });
  return { text, about: [metric] };
}

/** How fast a counter rises, per minute. */
export function perMinute<const Label extends string>(
  metric: Described<Label>,
  choice: Parameters<typeof risenOf<Label>>[3] = {},
): Expression {
  return promql`60 * ${rate(metric, choice)}`;
}

/** By how much a counter rose, each point over the time since the one before or, for one number, over the range. */
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

/** PromQL of other expressions, each in brackets where it is not a call by itself. */
export function promql(texts: TemplateStringsArray, ...parts: readonly Expression[]): Expression {
  const text = texts.reduce((before, after, index) => `${before}${parts[index - 1]?.text ?? ''}${after}`);
  return { text, about: [...new Set(parts.flatMap(({ about }) => about))] };
}

/** One expression over another, for the series that both have; nothing where the lower one is 0. */
export function quotient(upper: Expression, lower: Expression): Expression {
  return promql`${upper} / (${lower} > 0)`;
}

/** Gives series whose label is empty a name, so that a legend can show them. */
export function named(expression: Expression, label: string, name: string): Expression {
  const { text, about } = expression;
  return { text: `label_replace(${text}, "${label}", "${name}", "${label}", "")`, about };
}

/** The labels by which the variables of every dashboard choose a target. */
function targetOf({ aggregation, labels }: Described): string {
  const ofOrg = aggregation !== undefined || (labels as readonly string[]).includes('org');
  return ofOrg ? 'job=~"$job",org=~"$org"' : 'job=~"$job"';
}
