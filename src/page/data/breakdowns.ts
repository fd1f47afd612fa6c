import type { Collector } from '../../catalog/collector.ts';
import type { DayDataset } from '../../catalog/dataset.ts';
import { addDays, type Day, daysFrom } from '../../catalog/day.ts';
import type { DayFamily, Family } from '../../catalog/family.ts';
import type { Measure } from '../../catalog/money.ts';
import { OTHER_TEAMS } from '../../catalog/settings.ts';
import type { View } from '../../catalog/view.ts';
import { activityFamilies as activity } from '../../collectors/activity/collector.ts';
import { activityDataset } from '../../collectors/activity/dataset.ts';
import { explain, type Part } from '../../collectors/explain/explain.ts';
import { fourWeeksBefore } from '../../collectors/explain/usage.ts';
import { spendFamilies as spend } from '../../collectors/spend/collector.ts';
import { measuredIn, measureOf } from '../../collectors/spend/measure.ts';
import { tokenFamilies as tokens } from '../../collectors/tokens/collector.ts';
import { tokensDataset } from '../../collectors/tokens/dataset.ts';
import { toolFamilies as tools } from '../../collectors/tools/collector.ts';
import { toolsDataset } from '../../collectors/tools/dataset.ts';
import { userFamilies as people } from '../../collectors/users/collector.ts';
import { usersDataset } from '../../collectors/users/dataset.ts';
import { isCollective, teamBudgetFamilies as months } from '../../collectors/users/team-budgets.ts';
import { samplesOn, valueOutsideOf, WEEK_DAYS } from '../../collectors/weeks.ts';
import { measureCardinality, projectFamily } from '../../pipeline/cardinality.ts';
import { keepLargest, labelled } from '../../pipeline/folding.ts';
import type { LabelLimit } from '../../pipeline/label-weights.ts';
import { causeWords } from '../explanation.ts';
import type { Breakdown, BreakdownName, Figure, Reason, TeamMonth, TeamMonths } from '../org-figures.ts';

/** Maximum number of listed parts of a breakdown. */
export const LISTED = 5;

/** The share of a change above which a model or a team is named as its reason. */
const MOST = 0.5;

interface Declared {
  readonly name: BreakdownName;
  readonly dataset: DayDataset<unknown>;
  /** The family to break down by its first label. A family of weeks has sums of 7 days, and `before` those of the week before. */
  readonly present: DayFamily;
  readonly before?: DayFamily;
  /** The families to use instead if the platform counts no credits. */
  readonly inMoney?: Pick<Declared, 'present' | 'before'>;
}

const declared: readonly Declared[] = [
  {
    name: 'models',
    dataset: tokensDataset,
    present: tokens.dailyCreditsByModel,
    inMoney: { present: spend.dailyCostByModel },
  },
  { name: 'clients', dataset: activityDataset, present: activity.dailyActiveUsersByClient },
  { name: 'tools', dataset: toolsDataset, present: tools.dailyToolCallsByTool },
  { name: 'servers', dataset: toolsDataset, present: tools.dailyMcpCallsByServer },
  { name: 'teams', dataset: usersDataset, ...people.teamWeeks, inMoney: people.teamCostWeeks },
];

/** The inputs of breakdowns. */
export interface BreakdownParts {
  readonly view: View;
  readonly labelLimit: LabelLimit;
  /** Whether `/metrics` has the family. */
  isServed(family: Family): boolean;
}

/** A computation in steps. */
export type Work<Result> = Generator<unknown, Result>;

/** The largest parts of each published breakdown, with the same parts of the week before. Omits a breakdown with an unknown day. */
export function* breakdownsOf({ view, labelLimit, isServed }: BreakdownParts): Work<readonly Breakdown[]> {
  const breakdowns: Breakdown[] = [];
  for (const { inMoney, ...own } of declared) {
    const currency = inMoney && measuredIn(view);
    const one = inMoney && currency !== undefined ? { ...own, ...inMoney } : own;
    const { dataset, present, before: week } = one;
    const day = isServed(present) ? view.newestDay(dataset) : undefined;
    const days = week === undefined ? WEEK_DAYS : 1;
    const sums = day === undefined ? undefined : yield* sumsOf(view, dataset, present, day, days);
    if (day === undefined || sums === undefined) continue;
    const before = week
      ? yield* sumsOf(view, dataset, week, day, days)
      : yield* sumsOf(view, dataset, present, addDays(day, -WEEK_DAYS), days);
    const known = [...sums.listed]
      .filter(([, value]) => value > 0)
      .sort(([label, size], [other, otherSize]) => otherSize - size || (label < other ? -1 : 1));
    const rows = known.slice(0, Math.min(LISTED, labelLimit(labelOf(present)))).map(([label, value]) => ({
      label,
      value,
      before: before && finite(before.listed.get(label) ?? before.others),
    }));
    if (rows.length === 0) continue;
    const rest = known.length - rows.length;
    breakdowns.push({ name: one.name, family: present.name, currency, day, rows, rest });
  }
  return breakdowns;
}

/** Why the credits of a day differ from those of the same weekday a week before; undefined if that is unknown. */
export function reasonOf(
  { view, isServed, labelLimit }: BreakdownParts,
  { day, value }: Figure,
): Reason | undefined {
  const found =
    day === undefined || value === undefined ? undefined : explain(view, fourWeeksBefore(day), [day]);
  if (found === undefined || found.from === 0) return undefined;
  const cause = causeWords(found);
  const change = found.to - found.from;
  const [byTeam, byModel] =
    found.currency === undefined
      ? [people.dailyCreditsByTeam, tokens.dailyCreditsByModel]
      : [people.dailyCostByTeam, spend.dailyCostByModel];
  const team = isServed(byTeam) ? mostOf(found.byTeam, change) : undefined;
  const published = keepLargest(found.after.teams ?? new Map(), labelLimit('team'));
  return {
    usual: found.from,
    weeks: found.before.days.length,
    cause: cause?.words,
    ...(isServed(byModel) && { model: cause?.model, largest: mostOf(found.byModel, change) }),
    team: team && published.has(team.name) && !isCollective(team.name) ? team : undefined,
  };
}

/** The largest part of a change, if it makes up more than half of it. */
function mostOf([first]: readonly Part[] = [], change: number): Reason['team'] {
  const share = first === undefined ? 0 : first.credits / change;
  return first !== undefined && share > MOST ? { name: first.name, share } : undefined;
}

/** The sum of each value of a label; NaN if it, or a part of it, is unknown. */
interface Sums {
  readonly listed: ReadonlyMap<string, number>;
  /** The sum of a value that is not listed: 0, or NaN if an unknown amount may belong to it. */
  readonly others: number;
}

/** The label whose values are the parts of a family. */
function labelOf({ labels: [label = ''] }: DayFamily): string {
  return label;
}

/** Per label value, the sum (of people: the mean) over the `days` that end with `last`; undefined if a day is unknown. */
function* sumsOf(
  view: View,
  dataset: DayDataset<unknown>,
  family: DayFamily,
  last: Day,
  days: number,
): Work<Sums | undefined> {
  const listed = new Map<string, number>();
  let others = 0;
  for (const day of daysFrom(addDays(last, 1 - days), last)) {
    const samples = samplesOn(view, dataset, family, day);
    if (samples === undefined) return undefined;
    const ofDay = new Map<string, number>();
    for (const sample of samples) {
      const { labels, value } = labelled(family, sample);
      const name = labels[labelOf(family)] ?? '';
      ofDay.set(name, (ofDay.get(name) ?? 0) + value);
    }
    const rest = valueOutsideOf([...ofDay.values()]);
    for (const name of new Set([...listed.keys(), ...ofDay.keys()])) {
      listed.set(name, (listed.get(name) ?? others) + (ofDay.get(name) ?? rest));
    }
    others += rest;
    yield;
  }
  if (family.aggregation !== 'distinct') return { listed, others };
  return { listed: new Map([...listed].map(([name, value]) => [name, value / days])), others };
}

/** An unknown value is no number. */
function finite(value: number | undefined): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

/** Maximum number of listed teams with their months. */
const LISTED_TEAMS = 20;

/** The figure of each family of team months. A budget is in credits or in money, and only that one has a probability. */
const FIGURES = new Map<Family, Exclude<keyof TeamMonth, 'team'>>([
  [months.teamCreditsMonthToDate, 'credits'],
  [months.teamCostMonthToDate, 'cost'],
  [months.teamCreditsMonthForecast, 'forecast'],
  [months.teamCostMonthForecast, 'costForecast'],
  [months.teamCreditsMonthBudget, 'budget'],
  [months.teamCostMonthBudget, 'budget'],
  [months.teamCreditsMonthBudgetExceededProbability, 'probability'],
  [months.teamCostMonthBudgetExceededProbability, 'probability'],
]);

/** The months of the published teams, the largest first, as `/metrics` has them; undefined without any. */
export function* teamMonthsOf(
  parts: BreakdownParts & { readonly collectors: readonly Collector[] },
): Work<TeamMonths | undefined> {
  const { view, collectors, labelLimit, isServed } = parts;
  const day = view.newestDay(usersDataset);
  if (day === undefined || !Object.values(months).some(isServed)) return undefined;
  const { families = [] } = collectors.find(({ dataset }) => dataset === usersDataset) ?? {};
  // Measures all families by team, because together they decide which teams are folded.
  const byTeam = families.filter(({ labels }) => labels[0] === 'team');
  const cardinality = yield* measureCardinality(byTeam, usersDataset, view, labelLimit);
  const teams = new Map<string, TeamMonth>();
  for (const measured of cardinality.families) {
    const figure = isServed(measured.family) ? FIGURES.get(measured.family) : undefined;
    if (figure === undefined) continue;
    for (const { labels, value } of projectFamily(measured, cardinality.kept, usersDataset, view)) {
      const { team = '', currency } = labels;
      // No budget for folded teams: only some have one, and not all in the same unit.
      if (team === OTHER_TEAMS && figure === 'budget') continue;
      teams.set(team, { ...teams.get(team), team, [figure]: { currency, amount: value } });
    }
  }
  const all = [...teams.values()].sort((one, other) => bySize(measureOf(view), one, other));
  return { day, teams: all.slice(0, LISTED_TEAMS), rest: Math.max(0, all.length - LISTED_TEAMS) };
}

function bySize(measure: Measure, one: TeamMonth, other: TeamMonth): number {
  const sizeOf = ({ [measure]: used }: TeamMonth) => used?.amount ?? Number.NEGATIVE_INFINITY;
  return sizeOf(other) - sizeOf(one) || (one.team < other.team ? -1 : 1);
}
