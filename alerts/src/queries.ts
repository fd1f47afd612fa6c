import type { Queried } from '../../dashboards/src/promql.ts';
import type { DatasetName } from '../../src/catalog/dataset.ts';
import { dataDayTimestamp } from '../../src/collectors/org-families.ts';

const TARGET = 'job,instance';

/** PromQL for the start of a dataset's newest day, in Unix seconds, for each replica. */
export function dataDayOf(dataset: DatasetName): string {
  return `${dataDayTimestamp.name}{dataset="${dataset}"}`;
}

/** PromQL for the start of a dataset's newest day by `org`. */
export function newestDayOf(dataset: DatasetName, modifier = ''): string {
  return `max by (org) (${dataDayOf(dataset)}${modifier})`;
}

/**
 * PromQL for a daily family by `org` and its labels, from the replicas with the newest data day: if one replica is a
 * day behind, days are never mixed. `where` has label matchers without braces.
 */
export function onNewestDay(family: Queried, dataset: DatasetName, where = ''): string {
  return fromNewest(family, dataDayOf(dataset), ['org'], where);
}

/** PromQL for a family of the current reports, from the replicas that have a repository's newest report. */
export function onNewestReport(family: Queried, timestamp: Queried): string {
  return fromNewest(family, timestamp.name, ['org', 'repo']);
}

function fromNewest({ name, labels }: Queried, stamp: string, per: readonly string[], where = ''): string {
  const keys = per.join(',');
  const selector = where === '' ? name : `${name}{${where}}`;
  return `max by (${['org', ...labels].join(',')}) (
  ${selector}
  and on (${TARGET},${keys}) (${stamp} == on (${keys}) group_left () max by (${keys}) (${stamp}))
)`;
}

/** A day in the past, relative to the current newest day. */
export interface PastDay {
  readonly dataset: DatasetName;
  readonly is: '==' | '<=';
  /** The number of days before the newest one, as a number or a marker. */
  readonly daysBefore: string;
}

/**
 * PromQL for the maximum of a metric within `range`, in hourly steps, while its data day was a certain one: the day is
 * identified by its date, not by the clock, so that late and missing days shift nothing.
 */
export function shownOn({ name, labels }: Queried, day: PastDay, range: string, condition = ''): string {
  return `max by (${['org', ...labels].join(',')}) (max_over_time((
  ${name}${condition} and on (${TARGET},org) (${dayThatIs(day)})
)[${range}:1h]))`;
}

/** PromQL for the number of such days within `range`, according to the values shown at 23:00 UTC. */
export function daysShown(day: PastDay, range: string): string {
  // A backfill writes samples at 23:00; a subquery of this step is evaluated at midnight.
  return `count_over_time((max by (org) (${dayThatIs(day, ' offset 1h')}))[${range}:1d])`;
}

function dayThatIs({ dataset, is, daysBefore }: PastDay, modifier = ''): string {
  // Within a subquery, `@ end()` is the evaluation time of the rule.
  const newest = newestDayOf(dataset, ' @ end()');
  return `${dataDayOf(dataset)}${modifier} ${is} on (org) group_left () (${newest} - ${daysBefore} * 86400)`;
}

/** An expression in parentheses, indented. */
export function enclosed(expression: string): string {
  return `(\n${expression.replace(/^/gm, '  ')}\n)`;
}

/** A template of the newest day of the dataset for the alert's organization, as `2026-06-30`. */
export function dayInWords(dataset: DatasetName): string {
  const query = `max(${dataDayTimestamp.name}{dataset="${dataset}",org=%q})`;
  return `{{ with query (printf \`${query}\` $labels.org) }}{{ (. | first | value | toTime).UTC.Format "2006-01-02" }}{{ else }}the newest day{{ end }}`;
}
