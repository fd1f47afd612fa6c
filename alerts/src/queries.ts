import { dataDayOf, type Queried } from '../../dashboards/src/promql.ts';
import { steady } from '../../dashboards/src/recent.ts';
import type { DatasetName } from '../../src/catalog/dataset.ts';
import { activityFamilies as activity } from '../../src/collectors/activity/collector.ts';
import { dataDayTimestamp, orgInfo } from '../../src/collectors/org-families.ts';
import { spendFamilies as spend } from '../../src/collectors/spend/collector.ts';

const TARGET = 'job,instance';

/** PromQL for the start of a dataset's newest day by `org`. */
export function newestDayOf(dataset: DatasetName): string {
  return `max by (org) (${dataDayOf(dataset)})`;
}

/**
 * PromQL for a daily family by `org` and its labels, from the replicas with the newest data day: if one replica is a
 * day behind, days are never mixed, nor are those before and after a scrape. `where` has label matchers without braces.
 */
export function onNewestDay(family: Queried, dataset: DatasetName, where = ''): string {
  return fromNewest(family, dataDayOf(dataset), ['org'], where);
}

/** PromQL for a family of the current reports, from the replicas that have a repository's newest report. */
export function onNewestReport(family: Queried, timestamp: Queried, where = ''): string {
  return fromNewest(family, timestamp.name, ['org', 'repo'], where);
}

function fromNewest({ name, labels }: Queried, stamp: string, per: readonly string[], where = ''): string {
  const keys = per.join(',');
  const selector = where === '' ? name : `${name}{${where}}`;
  return `max by (${['org', ...labels].join(',')}) (
  ${selector}
  and on (${TARGET},${keys}) (${steady(stamp)} == on (${keys}) group_left () max by (${keys}) (${stamp}))
)`;
}

/** PromQL for the newest day of the activity by `org`, where that is a day from Monday to Friday, and no day off. */
export function newestWeekday(): string {
  const day = newestDayOf('activity');
  return `(${day} and on (org) day_of_week(${day}) % 6 > 0 unless on (org) ${onNewestDay(activity.dayOff, 'activity')} == 1)`;
}

/** A figure in credits, and the same in money for a platform that counts none. */
export interface Amounts {
  readonly credits: Queried;
  readonly money: Queried;
}

/** PromQL for an amount of the newest day by `org` and its labels: in credits, or in money where there are none. */
export function inEither({ credits, money }: Amounts, dataset: DatasetName, where = ''): string {
  return `(${onNewestDay(credits, dataset, where)} or on (org) ${onNewestDay(money, dataset, where)})`;
}

/** PromQL for the organizations of some platforms. */
export function onPlatforms(...names: readonly string[]): string {
  return `max by (org) (${orgInfo.name}{platform=~"${names.join('|')}"})`;
}

/** PromQL for the series of an alert that fires. */
export function firing(alert: string): string {
  return `last_over_time(ALERTS{alertname="${alert}",alertstate="firing"}[1h])`;
}

/** An expression in parentheses, indented. */
export function enclosed(expression: string): string {
  return `(\n${expression.replace(/^/gm, '  ')}\n)`;
}

/** What an alert is about: the matchers that select it, and the values that their verbs stand for. */
export interface Owner {
  readonly where: string;
  readonly args: string;
}

/** The alert's organization. */
export const ORG: Owner = { where: 'org=%[1]q', args: '$labels.org' };
/** The alert's repository. */
export const REPO: Owner = { where: 'org=%[1]q,repo=%[2]q', args: '$labels.org $labels.repo' };

/** A template of what a query says, where it has a result; `args` are the values that its verbs stand for. */
export function inWords(query: string, args: string, said: string, otherwise = ''): string {
  const oneLine = query.replaceAll(/\s+/g, ' ');
  return `{{ with query (printf \`${oneLine}\` ${args}) }}${said}${otherwise === '' ? '' : `{{ else }}${otherwise}`}{{ end }}`;
}

/** A template of the day of a family of timestamps, as `2026-06-30`. */
export function dateInWords(family: Queried, { where, args }: Owner, otherwise: string): string {
  const date = '{{ (. | first | value | toTime).UTC.Format "2006-01-02" }}';
  return inWords(`max(${family.name}{${where}})`, args, date, otherwise);
}

/** A template of the newest day of the dataset for the alert's organization, as `2026-06-30`. */
export function dayInWords(dataset: DatasetName): string {
  const where = `dataset="${dataset}",${ORG.where}`;
  return dateInWords(dataDayTimestamp, { ...ORG, where }, 'the newest day');
}

/** A template of another family's value on the newest day of the alert's owner, such as `34.2 Mil`. */
export function valueInWords(family: Queried, dataset: DatasetName, { where, args } = ORG): string {
  const number = `{{ ${numberOf('. | first | value')} }}`;
  return inWords(onNewestDay(family, dataset, where), args, number, 'an unknown number of');
}

/**
 * A template of an amount of the newest day of the alert's owner, such as `34.2 Mil credits` or `428 USD`: in credits or else in money,
 * under a condition for each.
 */
export function amountInWords(
  amounts: Amounts,
  dataset: DatasetName,
  { where, args } = ORG,
  unit = ' credits',
  condition: (of: keyof Amounts) => string = () => '',
): string {
  const number = `{{ ${numberOf('. | first | value')} }}`;
  const inMoney = `${number} {{ . | first | label "currency" }}`;
  const of = (one: keyof Amounts) => `${onNewestDay(amounts[one], dataset, where)}${condition(one)}`;
  const otherwise = inWords(of('money'), args, inMoney, `an unknown number of${unit}`);
  return inWords(of('credits'), args, `${number}${unit}`, otherwise);
}

/** PromQL for the start of the billing month of the newest day, by the organizations that have one. */
const periodStart = onNewestDay(spend.billingPeriodStart, 'tokens');

/** PromQL for the number of a day given as a timestamp in seconds within its month, by organization: 1 on the first day. */
export function dayOfMonth(day: string): string {
  return `((${day} - ${periodStart}) / 86400 + 1 or on (org) day_of_month(${day}))`;
}

/**
 * The month of a day given as a timestamp in seconds, by organization, in the label `month`, such as `2026-06`: the calendar
 * month in which the billing month starts. It has none while the day is behind that month.
 */
export function monthLabel(day: string): string {
  const start = `(${periodStart} <= on (org) ${day} or on (org) (${day} unless on (org) ${periodStart}))`;
  const digits = `count_values by (org) ("month", 100 * year(${start}) + month(${start}))`;
  return `label_replace(${digits}, "month", "$1-$2", "month", "(.{4})(.{2})")`;
}

/** The suffixes of large numbers in Grafana's unit `short`, by those of Prometheus. */
const SUFFIXES = { k: 'K', M: 'Mil', G: 'Bil', T: 'Tri' };

/**
 * A template pipeline that writes a number as panels do: three significant digits and Grafana's suffix, such as
 * `34.2 Mil`.
 */
export function numberOf(value = '$value'): string {
  const suffixes = Object.entries(SUFFIXES).map(([from, to]) => `reReplaceAll "${from}$" " ${to}"`);
  return `${value} | printf "%.3g" | humanize | ${suffixes.join(' | ')}`;
}

/** A template pipeline that writes a ratio as panels do: in percent, with three significant digits. */
export function percentageOf(value = '$value'): string {
  return `${value} | printf "%.3g" | humanizePercentage`;
}
