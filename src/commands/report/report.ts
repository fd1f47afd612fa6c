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
} from '../../catalog/day.ts';
import { dayRulesOf, revisedUntil } from '../../catalog/day-rules.ts';
import type { DayFamily, Family, Sample } from '../../catalog/family.ts';
import type { View } from '../../catalog/view.ts';
import { activityFamilies as activity } from '../../collectors/activity/collector.ts';
import { type Explanation, explain } from '../../collectors/explain/explain.ts';
import { productivityFamilies as output } from '../../collectors/productivity/collector.ts';
import { readinessFamilies as reports } from '../../collectors/readiness/collector.ts';
import { spendFamilies as spend } from '../../collectors/spend/collector.ts';
import { type Spend, spendOf } from '../../collectors/spend/costs.ts';
import { measuredIn, measureOf } from '../../collectors/spend/measure.ts';
import { unitFamilies } from '../../collectors/spend/unit-economics.ts';
import { tokenFamilies as tokens } from '../../collectors/tokens/collector.ts';
import { tokensDataset } from '../../collectors/tokens/dataset.ts';
import { toolFamilies as tools } from '../../collectors/tools/collector.ts';
import { userFamilies as people } from '../../collectors/users/collector.ts';
import { teamBudgetFamilies as teamMonths } from '../../collectors/users/team-budgets.ts';
import { samplesOn } from '../../collectors/weeks.ts';

/** A week from Monday to Sunday or a month of the bill, inclusive. */
export interface Period {
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

/** A figure on the last day of a period. */
export interface State extends Pick<Figure, 'title' | 'currency'> {
  readonly value: number;
  /** One of ten cases ends below, and one above. */
  readonly range: { readonly lower: number; readonly upper: number } | undefined;
  readonly isRatio: boolean;
}

/** The credits, or the cost, of a model or a team in a period and in the one before. */
export interface Part {
  readonly name: string;
  readonly amount: number;
  /** Undefined if unknown. */
  readonly before: number | undefined;
}

/** A day that is above its expected upper bound. */
export interface UnusualDay {
  readonly day: Day;
  readonly amount: number;
  readonly upper: number;
  /** Undefined for credits. */
  readonly currency: string | undefined;
}

/** A team that exceeds its budget, or is expected to. */
export interface TeamOverBudget {
  readonly team: string;
  readonly reached: number;
  readonly budget: number;
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
  /** The title of its platform, if others have another one. */
  readonly platform?: string | undefined;
  readonly period: Period;
  /** That of models, teams and unusual days, where the platform counts no credits. */
  readonly currency: string | undefined;
  /** The days of the period that are over. */
  readonly days: readonly Day[];
  /** Until when the platform may revise the money of the last of them; undefined if that is over. */
  readonly revisedUntil: Day | undefined;
  readonly figures: readonly Figure[];
  /** The cost in each currency, where it is known. */
  readonly spends: readonly (Spend & { readonly period: string })[];
  /** Why credits a day changed from the period before; undefined if unknown. */
  readonly explanation: Explanation | undefined;
  /** The month of the last day, in credits and in money where priced. */
  readonly month: readonly State[];
  /** Those that were used most first; none if a day is unknown. */
  readonly models: readonly Part[];
  readonly teams: readonly Part[];
  readonly teamsOverBudget: readonly TeamOverBudget[];
  /** Credits and cost per person, commit and pull request, of the 28 days that end with the last one. */
  readonly unitCosts: readonly State[];
  readonly unusual: readonly UnusualDay[];
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
  { title: 'Billed cost', family: spend.dailyBilledCost, over: 'sum' },
  { title: 'List cost', family: spend.dailyListCost, over: 'sum' },
  { title: 'Active people a day', family: activity.dailyActiveUsers, over: 'mean' },
  { title: 'Sessions', family: activity.dailySessions, over: 'sum' },
  { title: 'Tool calls', family: tools.dailyToolCalls, over: 'sum' },
  { title: 'Commits', family: output.dailyGitCommits, over: 'sum' },
  { title: 'Pull requests', family: output.dailyGitPullRequestsCreated, over: 'sum' },
];

const FORECAST = 'Cost, forecast of the month';

type OfMonth = readonly [title: string, family: Family, lower?: Family, upper?: Family];

const OF_MONTH: readonly OfMonth[] = [
  ['Credits, month to date', spend.creditsMonthToDate],
  [
    'Credits, forecast of the month',
    spend.creditsMonthForecast,
    spend.creditsMonthForecastLower,
    spend.creditsMonthForecastUpper,
  ],
  ['Credits, budget of the month', spend.creditsMonthBudget],
  ['Credits, probability that the month exceeds its budget', spend.creditsMonthBudgetExceededProbability],
  ['Cost, month to date', spend.costMonthToDate],
  ['Billed cost, month to date', spend.billedCostMonthToDate],
  [FORECAST, spend.costMonthForecast, spend.costMonthForecastLower, spend.costMonthForecastUpper],
  ['Cost, budget of the month', spend.costMonthBudget],
  ['Cost, probability that the month exceeds its budget', spend.costMonthBudgetExceededProbability],
];

const UNITS: readonly OfMonth[] = unitFamilies.map((family) => [
  family.name.replace(/^agent_platform_(.*)_28d$/, '$1').replaceAll('_', ' '),
  family,
]);

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
  const figures = COUNTED.flatMap((counted) => figuresOf(view, counted, days, before));
  const month = days.length === 0 ? [] : OF_MONTH.flatMap((one) => statesOf(view, one, last));
  return {
    org,
    period,
    currency: measuredIn(view),
    days,
    revisedUntil: revisedUntil(last, addDays(newest, 1), dayRulesOf(view.settings, 'tokens')),
    figures,
    spends: figures.flatMap(({ title, currency, value: amount }) => {
      if (title !== 'Cost' || currency === undefined || amount === undefined) return [];
      const ahead = month.find((one) => one.title === FORECAST && one.currency === currency);
      const spent = spendOf(view, days, { currency, amount }, ahead && { amount: ahead.value, ...ahead });
      return { ...spent, period: `from ${period.first} to ${last}` };
    }),
    explanation: days.length === 0 ? undefined : explain(view, before, days),
    month,
    models: modelsOf(view, days, before),
    teams: days.length === 0 ? [] : teamsOf(view, period, last, before.at(-1) ?? former.last),
    teamsOverBudget: days.length === 0 ? [] : teamsOverBudget(view, last),
    unitCosts: days.length === 0 ? [] : UNITS.flatMap((one) => statesOf(view, one, last)),
    unusual: days.flatMap((day) => unusualOn(view, day)),
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

function statesOf(view: View, [title, family, ...bounds]: OfMonth, day: Day): readonly State[] {
  const [lowers, uppers] = bounds.map((bound) => new Map(bound && valuesOn(view, bound, day)));
  return valuesOn(view, family, day).map(([currency, value]) => {
    const [lower, upper] = [lowers?.get(currency), uppers?.get(currency)];
    const range = lower === undefined || upper === undefined ? undefined : { lower, upper };
    return { title, value, currency, range, isRatio: family.unit === 'ratio' };
  });
}

function modelsOf(view: View, days: readonly Day[], before: readonly Day[]): readonly Part[] {
  const sums = modelSums(view, days);
  return partsOf(sums, modelSums(view, before), 0);
}

/** The amount of each model over days; none if a day is unknown. */
function modelSums(view: View, days: readonly Day[]): ReadonlyMap<string, number> | undefined {
  const sums = new Map<string, number>();
  const family: DayFamily =
    measureOf(view) === 'credits' ? tokens.dailyCreditsByModel : spend.dailyCostByModel;
  for (const day of days) {
    const samples = samplesOn(view, tokensDataset, family, day);
    if (samples === undefined) return undefined;
    for (const { labels, value } of samples) {
      const { model = '' } = labels;
      sums.set(model, (sums.get(model) ?? 0) + value);
    }
  }
  return sums;
}

/** Teams of a week by the sums that are published, and of a month by its month to date on both last days; a part of a week has none. */
function teamsOf(view: View, { kind, last: end }: Period, last: Day, formerLast: Day): readonly Part[] {
  const isCredits = measureOf(view) === 'credits';
  if (kind === 'month') {
    const month = isCredits ? teamMonths.teamCreditsMonthToDate : teamMonths.teamCostMonthToDate;
    const monthOn = (day: Day) => byTeam(month.samplesOf(view, day));
    return partsOf(monthOn(last), monthOn(formerLast), undefined);
  }
  if (last < end) return [];
  const { present, before } = isCredits ? people.teamWeeks : people.teamCostWeeks;
  return partsOf(byTeam(present.samplesOf(view, last)), byTeam(before.samplesOf(view, last)), undefined);
}

function byTeam(samples: Iterable<Sample<'team'>> | undefined): ReadonlyMap<string, number> | undefined {
  return samples && new Map(Array.from(samples, ({ labels, value }) => [labels.team, value]));
}

/** Known parts, the largest first; `missing` is the value of one that the period before does not list. */
function partsOf(
  sums: ReadonlyMap<string, number> | undefined,
  former: ReadonlyMap<string, number> | undefined,
  missing: number | undefined,
): readonly Part[] {
  return [...(sums ?? [])]
    .filter(([, amount]) => Number.isFinite(amount))
    .map(([name, amount]) => {
      const before = former && (former.get(name) ?? missing);
      return { name, amount, before: Number.isFinite(before) ? before : undefined };
    })
    .sort((one, other) => other.amount - one.amount);
}

/** Teams with a budget that the forecast, or what is used without one, exceeds. */
function teamsOverBudget(view: View, day: Day): readonly TeamOverBudget[] {
  const { teamCreditsMonthToDate, teamCreditsMonthForecast, teamCreditsMonthBudget } = teamMonths;
  const { teamCostMonthToDate, teamCostMonthForecast, teamCostMonthBudget } = teamMonths;
  const over = (budgets: Family, ...reached: readonly Family[]) =>
    teamValues(view, budgets, day).flatMap(({ team, currency, value: budget }) => {
      const values = reached.flatMap((family) => teamValues(view, family, day));
      const most = values.find((one) => one.team === team && one.currency === currency)?.value ?? 0;
      return most > budget ? { team, currency, budget, reached: most } : [];
    });
  return [
    ...over(teamCreditsMonthBudget, teamCreditsMonthForecast, teamCreditsMonthToDate),
    ...over(teamCostMonthBudget, teamCostMonthForecast, teamCostMonthToDate),
  ].sort((one, other) => other.reached / other.budget - one.reached / one.budget);
}

function teamValues(view: View, family: Family, day: Day) {
  const samples = family.scope === 'day' ? family.samplesOf(view, day) : family.samplesOf(view);
  return Array.from(samples ?? [], ({ labels, value }) => ({
    team: labels['team'] ?? '',
    currency: labels['currency'],
    value,
  }));
}

function unusualOn(view: View, day: Day): readonly UnusualDay[] {
  const [unusual, bound] =
    measureOf(view) === 'credits'
      ? [spend.dailyCreditsUnusual, spend.dailyCreditsExpectedUpper]
      : [spend.dailyCostUnusual, spend.dailyCostExpectedUpper];
  const [[currency, amount = 0] = []] = valuesOn(view, unusual, day);
  const [[, upper] = []] = valuesOn(view, bound, day);
  return upper === undefined || amount === 0 ? [] : [{ day, amount, upper, currency }];
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

/** The last week or month that is over at an instant; the newest one that ends with a known day, if that is given. */
export function lastPeriod(kind: Period['kind'], now: number, starts?: number, known?: Day): Period {
  let period = periodBefore(periodOf(kind, dayOf(now), starts), starts);
  while (known !== undefined && known < period.last) period = periodBefore(period, starts);
  return period;
}
