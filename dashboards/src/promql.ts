import type { DatasetName } from '../../src/catalog/dataset.ts';
import type { Aggregation } from '../../src/catalog/family.ts';

const DAY_S = 86_400;
/** The metric that says which day a dataset's daily figures describe; the gate of every day panel. */
const DATA_DAY = 'agent_platform_data_day_timestamp_seconds';

/** How late a dataset may be so that what it was some days before is still found, in days. */
const LATE_DAYS = 7;

/** A metric to ask for: a family of the catalogue, which has `org` beside its labels, or one of the exporter's own. */
export interface Queried<Label extends string = string> {
  readonly name: string;
  readonly labels: readonly Label[];
  readonly aggregation?: Aggregation;
}

export interface Choice<Label extends string> {
  /** The labels to keep beside `org`, all unless given; over the others the values are summed. */
  readonly by?: readonly NoInfer<Label>[];
  /** Whether the organizations stay apart or are summed too; apart unless given. */
  readonly orgs?: 'apart' | 'summed';
  /** Matchers of the labels that every metric of the target has, without their braces, such as `org=~"$org"`. */
  readonly where?: string;
  /** What the metric's own labels must be; a value that begins with `$` is a dashboard's variable of one or more values. */
  readonly only?: Partial<Readonly<Record<NoInfer<Label>, string>>>;
}

/**
 * PromQL for a metric's newest value: one series per `org` and chosen labels, whatever the number of replicas and
 * restarts, since job, instance and pod are removed first.
 */
export function newestOf<const Label extends string>(
  metric: Queried<Label>,
  choice: Choice<Label> = {},
): string {
  return merged(metric, choice, chosen(metric, choice));
}

/**
 * PromQL for a daily family's value on the day that it describes and on no other: to be evaluated at each day's first
 * instant (UTC) with a step of one day. A day is blank unless its figures were the newest at some point of the hourly
 * grid within the day after it, or were backfilled.
 */
export function onItsDay<const Label extends string>(
  family: Queried<Label>,
  dataset: DatasetName,
  choice: Choice<Label> = {},
): string {
  const dataDay = selected(DATA_DAY, [`dataset="${dataset}"`, choice.where]);
  const gate = `${dataDay} > time() - ${2 * DAY_S} < time() - ${DAY_S}`;
  const gated = `${chosen(family, choice)} and on (job,instance,org) (${gate})`;
  return merged(family, choice, `last_over_time((${gated})[1d:1h] offset -2d)`);
}

/**
 * PromQL for a daily family's value on the day that lies some days before the newest one of its dataset, for each
 * organization by its own newest day: for a present value's change since then. Looks back as many days more as the
 * dataset may be late.
 */
export function daysBeforeNewest<const Label extends string>(
  family: Queried<Label>,
  dataset: DatasetName,
  days: number,
  choice: Choice<Label> = {},
): string {
  const dataDay = (at: string) => `${selected(DATA_DAY, [`dataset="${dataset}"`, choice.where])}${at}`;
  const wanted = `max by (org) (${dataDay(' @ end()')}) - ${days * DAY_S}`;
  const gated = `${chosen(family, choice)} and on (job,instance,org) (${dataDay('')} == on (org) group_left () (${wanted}))`;
  return merged(family, choice, `last_over_time((${gated})[${days + LATE_DAYS}d:1h])`);
}

/**
 * PromQL for a present state's last value on each UTC day: to be evaluated at the day's first instant with a step of
 * one day. On a day without a sample on the hourly grid, live or backfilled, it is blank.
 */
export function atDaysEnd<const Label extends string>(
  metric: Queried<Label>,
  choice: Choice<Label> = {},
): string {
  return merged(metric, choice, `last_over_time(${chosen(metric, choice)}[1d:1h] offset -1d)`);
}

/**
 * PromQL for how much a counter rose, summed over replicas: each of them counts what it did itself. `kind` is a
 * PromQL function such as `rate` or `increase`, `window` a duration; `suffix` names a part of a histogram.
 */
export function risenOf<const Label extends string>(
  metric: Queried<Label>,
  kind: 'rate' | 'increase',
  window: string,
  choice: Pick<Choice<Label>, 'by' | 'where' | 'only'> & {
    readonly suffix?: '_bucket' | '_sum' | '_count';
  } = {},
): string {
  const { by = metric.labels, suffix = '' } = choice;
  const labels = suffix === '_bucket' ? ['le', ...by] : by;
  return `sum by (${labels.join(',')}) (${kind}(${chosen(metric, choice, suffix)}[${window}]))`;
}

/** Removes what differs between replicas by `max`, and then, where labels are left out, sums over them. */
function merged<Label extends string>(
  metric: Queried<Label>,
  { by = metric.labels, orgs = 'apart' }: Choice<Label>,
  expression: string,
): string {
  const all = labelsOf(metric, metric.labels);
  const kept = orgs === 'summed' ? by : labelsOf(metric, by);
  const one = `max by (${all.join(',')}) (${expression})`;
  return kept.length === all.length ? one : `sum by (${kept.join(',')}) (${one})`;
}

function labelsOf(metric: Queried, labels: readonly string[]): readonly string[] {
  return metric.aggregation === undefined ? labels : ['org', ...labels];
}

function chosen<Label extends string>(
  { name }: Queried<Label>,
  { where, only = {} }: Choice<Label>,
  suffix = '',
): string {
  const matchers = Object.entries<string | undefined>(only).flatMap(([label, value]) =>
    value === undefined ? [] : [`${label}${value.startsWith('$') ? '=~' : '='}${JSON.stringify(value)}`],
  );
  return selected(`${name}${suffix}`, [...matchers, where]);
}

function selected(name: string, matchers: readonly (string | undefined)[]): string {
  const given = matchers.filter(Boolean);
  return given.length === 0 ? name : `${name}{${given.join(',')}}`;
}
