import {
  addDays,
  type Day,
  dayOf,
  daysFrom,
  earlier,
  endOf,
  firstOfMonth,
  lastOfMonth,
  weekdayOf,
} from '../catalog/day.ts';
import type { Family } from '../catalog/family.ts';
import type { View } from '../catalog/view.ts';
import { activityFamilies as activity } from '../collectors/activity/collector.ts';
import { type Explanation, explain } from '../collectors/explain/explain.ts';
import { productivityFamilies as output } from '../collectors/productivity/collector.ts';
import { readinessFamilies as reports } from '../collectors/readiness/collector.ts';
import { spendFamilies as spend } from '../collectors/spend/collector.ts';
import { tokenFamilies as tokens } from '../collectors/tokens/collector.ts';
import { toolFamilies as tools } from '../collectors/tools/collector.ts';

/** A week from Monday to Sunday or a month of the bill, inclusive. */
interface Period {
  readonly kind: 'week' | 'month';
  readonly first: Day;
  readonly last: Day;
}

/** A figure of a period and of the one before. */
export interface Figure {
  readonly title: string;
  /** Undefined if any of its days is unknown. */
  readonly value: number | undefined;
  readonly before: number | undefined;
  /** The number of days whose figure is unknown, of those that are over. */
  readonly unknown: number;
  /** The currency, of an amount of money. */
  readonly currency: string | undefined;
}

/** A repository whose readiness is another one than at the start of the period. */
export interface ReadinessMove {
  readonly repo: string;
  /** Undefined if it had no report then. */
  readonly before: number | undefined;
  readonly after: number;
}

/** What happened in a period. */
export interface Report {
  readonly org: string;
  readonly period: Period;
  /** The days of the period that are over. */
  readonly days: readonly Day[];
  readonly figures: readonly Figure[];
  /** Why credits a day changed from the period before; undefined if unknown. */
  readonly explanation: Explanation | undefined;
  /** The month of the last day, in credits and in money where priced. */
  readonly month: readonly Figure[];
  readonly readiness: readonly ReadinessMove[];
}

interface Counted {
  readonly title: string;
  readonly family: Family;
  readonly over: 'sum' | 'mean';
}

const COUNTED: readonly Counted[] = [
  { title: 'Credits', family: tokens.dailyCredits, over: 'sum' },
  { title: 'Cost', family: spend.dailyCost, over: 'sum' },
  { title: 'Active people a day', family: activity.dailyActiveUsers, over: 'mean' },
  { title: 'Sessions', family: activity.dailySessions, over: 'sum' },
  { title: 'Tool calls', family: tools.dailyToolCalls, over: 'sum' },
  { title: 'Commits', family: output.dailyGitCommits, over: 'sum' },
  { title: 'Pull requests', family: output.dailyGitPullRequestsCreated, over: 'sum' },
];

const OF_MONTH: readonly (readonly [title: string, family: Family])[] = [
  ['Credits, month to date', spend.creditsMonthToDate],
  ['Credits, forecast of the month', spend.creditsMonthForecast],
  ['Credits, budget of the month', spend.creditsMonthBudget],
  ['Cost, month to date', spend.costMonthToDate],
  ['Cost, forecast of the month', spend.costMonthForecast],
  ['Cost, budget of the month', spend.costMonthBudget],
];

/** The week or month of a day; a month is a billing month that begins on the day `starts` of a calendar month. */
export function periodOf(kind: Period['kind'], day: Day, starts?: number): Period {
  if (kind === 'month') return { kind, first: firstOfMonth(day, starts), last: lastOfMonth(day, starts) };
  const first = addDays(day, -weekdayOf(day));
  return { kind, first, last: addDays(first, 6) };
}

/** The period before another one. */
export function periodBefore({ kind, first }: Period, starts?: number): Period {
  return periodOf(kind, addDays(first, -1), starts);
}

/**
 * Reports a period. `viewAt` gives the view at an instant; the days of the period that were not over then are left out.
 * Figures are those of the metrics of their days.
 */
export function reportOf(org: string, period: Period, newest: Day, viewAt: (asOf: number) => View): Report {
  const last = earlier(newest, period.last);
  const days = last < period.first ? [] : daysFrom(period.first, last);
  const view = viewAt(endOf(last));
  const former = periodBefore(period, view.settings.contract?.periodStarts);
  // A period that is not over is compared with as many days of the one before.
  const formerDays = daysFrom(former.first, former.last);
  const before = last === period.last ? formerDays : formerDays.slice(0, days.length);
  return {
    org,
    period,
    days,
    figures: COUNTED.flatMap((counted) => figuresOf(view, counted, days, before)),
    explanation: days.length === 0 ? undefined : explain(view, before, days),
    month: days.length === 0 ? [] : OF_MONTH.flatMap(([title, family]) => stateOf(view, title, family, last)),
    readiness: movesOf(viewAt(endOf(addDays(period.first, -1))), view),
  };
}

/** A figure for each currency, or one without; none of what the organization does not have at all. */
function figuresOf(
  view: View,
  { title, family, over }: Counted,
  days: readonly Day[],
  before: readonly Day[],
): readonly Figure[] {
  const currencies = new Set(
    [...days, ...before].flatMap((day) => valuesOn(view, family, day)).map(([of]) => of),
  );
  return [...currencies].map((currency) => {
    const valueOn = (day: Day) => {
      const values = new Map(valuesOn(view, family, day));
      // A day that is priced in another currency has nothing in this one.
      return values.get(currency) ?? (values.size > 0 ? 0 : undefined);
    };
    const known = days.map(valueOn);
    return {
      title,
      currency,
      value: totalOf(known, over),
      before: totalOf(before.map(valueOn), over),
      unknown: known.filter((value) => value === undefined).length,
    };
  });
}

function valuesOn(
  view: View,
  family: Family,
  day: Day,
): readonly (readonly [currency: string | undefined, value: number])[] {
  const samples = family.scope === 'day' ? family.samplesOf(view, day) : family.samplesOf(view);
  return Array.from(samples ?? [], ({ labels, value }) => [labels['currency'], value] as const);
}

function totalOf(values: readonly (number | undefined)[], over: Counted['over']): number | undefined {
  const known = values.filter((value) => value !== undefined);
  if (known.length === 0 || known.length < values.length) return undefined;
  const sum = known.reduce((total, value) => total + value, 0);
  return over === 'sum' ? sum : sum / values.length;
}

function stateOf(view: View, title: string, family: Family, day: Day): readonly Figure[] {
  return valuesOn(view, family, day).map(([currency, value]) => ({
    title,
    value,
    currency,
    before: undefined,
    unknown: 0,
  }));
}

function movesOf(start: View, end: View): readonly ReadinessMove[] {
  const ratios = (view: View) =>
    new Map(
      Array.from(reports.readinessRatio.samplesOf(view) ?? [], ({ labels, value }) => [labels.repo, value]),
    );
  const before = ratios(start);
  const moves = [...ratios(end)].map(([repo, after]) => ({ repo, before: before.get(repo), after }));
  return moves
    .filter((move) => move.before !== move.after)
    .sort((one, other) => changeOf(one) - changeOf(other));
}

function changeOf({ before, after }: ReadinessMove): number {
  return before === undefined ? Number.POSITIVE_INFINITY : after - before;
}

/** The last week or month that is over at an instant. */
export function lastPeriod(kind: Period['kind'], now: number, starts?: number): Period {
  return periodBefore(periodOf(kind, dayOf(now), starts), starts);
}
