import type { DatasetName } from './dataset.ts';
import type { FamilyNature } from './family.ts';

const DAY_S = 86_400;
/** The metric that says which day a dataset's daily figures describe; the gate of every day panel. */
const DATA_DAY = 'agent_platform_data_day_timestamp_seconds';

/** A metric to ask for: a family of the catalogue, which has `org` beside its labels, or one of the exporter's own. */
export interface Queried<Label extends string = string> {
  readonly name: string;
  readonly labels: readonly Label[];
  readonly nature?: FamilyNature;
}

export interface Choice<Label extends string> {
  /** The labels to keep beside `org`, all unless given; over the others the values are summed. */
  readonly by?: readonly NoInfer<Label>[];
  /** Label matchers without their braces, such as `org=~"$org"`. */
  readonly where?: string;
}

/**
 * PromQL for a metric's newest value: one series per `org` and chosen labels, whatever the number of replicas and
 * restarts, since job, instance and pod are removed first.
 */
export function newestOf<const Label extends string>(
  metric: Queried<Label>,
  choice: Choice<Label> = {},
): string {
  return merged(metric, choice, selected(metric.name, choice.where));
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
  const dataDay = selected(DATA_DAY, [`dataset="${dataset}"`, choice.where].filter(Boolean).join(','));
  const gate = `${dataDay} > time() - ${2 * DAY_S} < time() - ${DAY_S}`;
  const gated = `${selected(family.name, choice.where)} and on (job,instance,org) (${gate})`;
  return merged(family, choice, `last_over_time((${gated})[1d:1h] offset -2d)`);
}

/** Removes what differs between replicas by `max`, and then, where labels are left out, sums over them. */
function merged<Label extends string>(
  metric: Queried<Label>,
  { by }: Choice<Label>,
  expression: string,
): string {
  const all = labelsOf(metric, metric.labels);
  const one = `max by (${all.join(',')}) (${expression})`;
  if (by === undefined || by.length === metric.labels.length) return one;
  return `sum by (${labelsOf(metric, by).join(',')}) (${one})`;
}

function labelsOf(metric: Queried, labels: readonly string[]): readonly string[] {
  return metric.nature === undefined ? labels : ['org', ...labels];
}

function selected(name: string, where = ''): string {
  return where === '' ? name : `${name}{${where}}`;
}
