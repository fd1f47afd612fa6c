import type { DatasetName } from '../../src/catalog/dataset.ts';
import type { Aggregation } from '../../src/catalog/family.ts';
import { orgInfo } from '../../src/collectors/org-families.ts';
import { ownMetrics } from '../../src/exposition/own-metrics.ts';
import { recordedSuffix, windowsOf } from './windows.ts';

const DAY_S = 86_400;
const WEEK_S = 7 * DAY_S;
/** The metric of the day that a dataset's daily figures describe; every day panel depends on it. */
const DATA_DAY = 'agent_platform_data_day_timestamp_seconds';

/**
 * Variables of the dashboards, with which the two forms of the day queries begin: `max by` and `last_over_time`, or `#`,
 * so that the form is a comment.
 */
export const RAW = '$raw';
export const RECORDED = '$recorded';

/**
 * A metric to query: a family of the catalogue, which has `org` in addition to its labels, or one of the exporter's
 * own.
 */
export interface Queried<Label extends string = string> {
  readonly name: string;
  readonly labels: readonly Label[];
  readonly aggregation?: Aggregation;
  readonly unit?: string;
  /** Whether targets that share a store have the same value, and those of several stores are added up. */
  readonly sharedBy?: 'store';
}

export interface Choice<Label extends string> {
  /** The labels to keep in addition to `org`, all by default; values are summed over the others. */
  readonly by?: readonly NoInfer<Label>[];
  /** Whether the organizations are kept apart (the default) or summed too. */
  readonly orgs?: 'apart' | 'summed';
  /** Matchers of the labels that every metric of the target has, without braces, such as `org=~"$org"`. */
  readonly where?: string;
  /**
   * Matchers of the metric's own labels; a value that begins with `$` is a dashboard variable of one or more values.
   */
  readonly only?: Partial<Readonly<Record<NoInfer<Label>, string>>>;
}

/** A choice of days, which may have been recorded. */
interface DayChoice<Label extends string> extends Choice<Label> {
  /** The day, or the sum or mean of the known ones of the seven days before it. */
  readonly over?: keyof typeof OVER;
  /** The recorded series, and the matchers that select them. */
  readonly recorded?: { readonly name: string; readonly where?: string };
}

/** A choice of states, which may have been recorded. */
interface StateChoice<Label extends string> extends DayChoice<Label> {
  /** What to make of all series of a day: a single one, with this operator. */
  readonly across?: 'avg' | 'min';
}

/**
 * PromQL for a metric's newest value: one series per `org` and selected labels, regardless of replicas and restarts,
 * because job, instance and pod are removed first.
 */
export function newestOf<const Label extends string>(
  metric: Queried<Label>,
  choice: Choice<Label> = {},
): string {
  return merged(metric, choice, chosen(metric, choice));
}

/**
 * PromQL for a daily family's value on the day it describes and on no other, for steps of one day from a viewer's
 * midnight. A day is blank unless its figures were the newest at some point of the hourly grid within the following
 * day, or were backfilled.
 */
export function onItsDay<const Label extends string>(
  family: Queried<Label>,
  dataset: DatasetName,
  choice: DayChoice<Label> = {},
): string {
  return OVER[choice.over ?? 'day'](atMidnight(family, dataset, choice));
}

/** PromQL for the sum of a daily family over the UTC days that overlap a range, which ends at the evaluation time: a minute less than a day before it begins, because some engines include both ends. */
export function sumOverRange<const Label extends string>(
  family: Queried<Label>,
  dataset: DatasetName,
  choice: DayChoice<Label> = {},
): string {
  return `sum_over_time((${atMidnight(family, dataset, choice)})[23h59m\${__range_s}s:1d])`;
}

/** PromQL for a daily family's value on the day that begins at the evaluation time, a UTC midnight. */
function atMidnight<Label extends string>(
  family: Queried<Label>,
  dataset: DatasetName,
  choice: DayChoice<Label>,
): string {
  const forms = windowsOf(dataset).map((one) => {
    const gate = `(${yesterday(dataset, dataDayOf(dataset), one)})${ofPlatforms(one)}`;
    const gated = `${chosen(family, choice)} and on (job,instance,org) ${gate}`;
    return { ...window(`(${gated})`, `-${one.age + 1}d`), suffix: recordedSuffix(one) };
  });
  // The latest one has all revisions.
  return eitherForm(family, choice, forms.reverse());
}

/** PromQL for the time since the start of a dataset's newest day, of the targets for which it was yesterday, or was so many days ago. */
export function yesterday(dataset: DatasetName, day = dataDayOf(dataset), { age } = { age: 1 }): string {
  return `time() - ${day} > ${age * DAY_S} < ${(age + 1) * DAY_S}`;
}

/** A condition for the targets of some platforms; empty for those of all. */
export function ofPlatforms({ platforms }: { readonly platforms?: readonly string[] }): string {
  if (platforms === undefined) return '';
  return ` and on (job,instance,org) ${selected(orgInfo.name, [`platform=~"${platforms.join('|')}"`])}`;
}

/** PromQL for the start of a dataset's newest day, of each target. */
export function dataDayOf(dataset: DatasetName, where?: string): string {
  return selected(DATA_DAY, [`dataset="${dataset}"`, where]);
}

/** The two forms of a value: PromQL of the metric's own series, and the window of recorded ones. */
interface Forms {
  readonly raw: string;
  readonly recorded: string;
  /** What the name of the recorded series ends with. */
  readonly suffix?: string;
}

/** The last value on the hourly grid of a day. */
function window(expression: string, offset: string): Forms {
  return { raw: `last_over_time(${expression}[1d:1h] offset ${offset})`, recorded: `[1d] offset ${offset}` };
}

/**
 * PromQL for the form `raw`, merged, or for the last value of a family's recorded series, which need no merging: two
 * lines, one of which is a comment, because an engine evaluates both sides of an `or`. Of several windows, the first that an
 * organization has a value in.
 */
function eitherForm<Label extends string>(
  metric: Queried<Label>,
  choice: DayChoice<Label>,
  windows: readonly Forms[],
): string {
  const { recorded, only = {} } = choice;
  const all = labelsOf(metric, metric.labels);
  const formOf = ({ raw, recorded: samples, suffix = '' }: Forms) => {
    if (recorded === undefined) return `max by (${all.join(',')}) (${raw})`;
    const { name, where } = recorded;
    const series = chosen({ name: `${name}${suffix}` }, { only, ...(where === undefined ? {} : { where }) });
    return `\n${RAW}(${all.join(',')}) (${raw})\n${RECORDED}(${series}${samples})\n`;
  };
  const forms = windows.map(formOf).join(') or on (org) (');
  const either = windows.length === 1 ? forms : `(${forms})`;
  const kept = keptLabels(metric, choice);
  // The series of a window have its name.
  const isWhole = windows.length === 1 && kept.length === all.length;
  return isWhole ? either : `sum by (${kept.join(',')}) (${either})`;
}

/**
 * PromQL for the value that an expression has at the UTC midnight nearest to the evaluation time: between UTC-11 and
 * UTC+12, a viewer's midnight gets the value of the UTC day with its date. The steps of a subquery are multiples of
 * their length since the Unix epoch, and a second less than a day has one midnight even in an engine that includes both
 * ends: the sum is that one value, without the name of a recorded series. Steps of a week are Thursdays, as the first day of
 * the epoch: a week is the seven days before one.
 */
const OVER = {
  day: (expression: string) => `sum_over_time((${expression})[${DAY_S - 1}s:1d] offset -12h)`,
  week: (expression: string) => `sum_over_time((${expression})[${WEEK_S - 1}s:1d] offset 12h)`,
  weeklyMean: (expression: string) => `avg_over_time((${expression})[${WEEK_S - 1}s:1d] offset 12h)`,
} as const;

/**
 * PromQL for a current state's last value on each UTC day, for steps of one day from a viewer's midnight. A day without
 * a live or backfilled sample on the hourly grid is blank.
 */
export function atDaysEnd<const Label extends string>(
  metric: Queried<Label>,
  choice: StateChoice<Label> = {},
): string {
  const each = eitherForm(metric, choice, [window(chosen(metric, choice), '-1d')]);
  return OVER.day(choice.across === undefined ? each : `${choice.across} (${each})`);
}

/** The resolution at which a counter of stores is read over a range. */
const STORE_STEP = '1m';

/**
 * PromQL for the rise of a counter, summed over replicas, because each counts its own events; what replicas count in a
 * store that they share is taken once. Over the whole range, replicas come and go: there the store's counter is put
 * together first. `kind` is a PromQL
 * function such as `rate` or `increase`, `window` a duration; `suffix` is a part of a histogram.
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
  if (metric.sharedBy === 'store') {
    const series = chosen(metric, choice, suffix);
    const more = suffix === '_bucket' ? ['le'] : [];
    const rise =
      window === '$__range'
        ? `${kind}((${ofStores(metric, choice.where, series, more)})[${window}:${STORE_STEP}])`
        : ofStores(metric, choice.where, `${kind}(${series}[${window}])`, more);
    return `sum by (${labels.join(',')}) (${rise})`;
  }
  return `sum by (${labels.join(',')}) (${kind}(${chosen(metric, choice, suffix)}[${window}]))`;
}

/** Removes differences between replicas with `max`, and then sums over omitted labels. */
function merged<Label extends string>(
  metric: Queried<Label>,
  choice: Choice<Label>,
  expression: string,
): string {
  const all = labelsOf(metric, metric.labels);
  const kept = keptLabels(metric, choice);
  if (metric.sharedBy === 'store')
    return `sum by (${kept.join(',')}) (${ofStores(metric, choice.where, expression)})`;
  const one = `max by (${all.join(',')}) (${expression})`;
  return kept.length === all.length ? one : `sum by (${kept.join(',')}) (${one})`;
}

/** PromQL for one series per store: its replicas have the same value, except for one that was just started or stopped. */
function ofStores(
  metric: Queried,
  where: string | undefined,
  expression: string,
  more: readonly string[] = [],
): string {
  const matchers = (where ?? '').split(',').filter((matcher) => matcher.startsWith('job'));
  const info = selected(ownMetrics.storeInfo.name, matchers);
  const all = [...labelsOf(metric, metric.labels), ...more, 'store'];
  return `max by (${all.join(',')}) (${expression} * on (job,instance) group_left (store) ${info})`;
}

function keptLabels<Label extends string>(
  metric: Queried<Label>,
  { by = metric.labels, orgs = 'apart' }: Choice<Label>,
): readonly string[] {
  return orgs === 'summed' ? by : labelsOf(metric, by);
}

function labelsOf(metric: Queried, labels: readonly string[]): readonly string[] {
  return metric.aggregation === undefined ? labels : ['org', ...labels];
}

function chosen<Label extends string>(
  { name }: Pick<Queried<Label>, 'name'>,
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
