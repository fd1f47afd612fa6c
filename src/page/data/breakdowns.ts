import type { DayDataset } from '../../catalog/dataset.ts';
import { addDays, type Day, daysFrom } from '../../catalog/day.ts';
import type { DayFamily, Family } from '../../catalog/family.ts';
import type { View } from '../../catalog/view.ts';
import { activityFamilies as activity } from '../../collectors/activity/collector.ts';
import { activityDataset } from '../../collectors/activity/dataset.ts';
import { explain, type Part } from '../../collectors/explain/explain.ts';
import { fourWeeksBefore } from '../../collectors/explain/usage.ts';
import { spendFamilies as spend } from '../../collectors/spend/collector.ts';
import { measuredIn } from '../../collectors/spend/measure.ts';
import { tokenFamilies as tokens } from '../../collectors/tokens/collector.ts';
import { tokensDataset } from '../../collectors/tokens/dataset.ts';
import { toolFamilies as tools } from '../../collectors/tools/collector.ts';
import { toolsDataset } from '../../collectors/tools/dataset.ts';
import { userFamilies as people } from '../../collectors/users/collector.ts';
import { usersDataset } from '../../collectors/users/dataset.ts';
import { isCollective } from '../../collectors/users/team-budgets.ts';
import { samplesOn, valueOutsideOf, WEEK_DAYS } from '../../collectors/weeks.ts';
import { keepLargest, labelled } from '../../pipeline/folding.ts';
import type { LabelLimit } from '../../pipeline/label-weights.ts';
import { causeWords } from '../explanation.ts';
import type { Breakdown, BreakdownName, Figure, Reason } from '../org-figures.ts';

/** Maximum number of listed parts of a breakdown. */
export const LISTED = 5;

/** With more than this share of a change, a model or a team is named. */
const MOST = 0.5;

interface Declared {
  readonly name: BreakdownName;
  readonly dataset: DayDataset<unknown>;
  readonly family: DayFamily;
  /** The families in their place where the platform counts no credits. */
  readonly inMoney?: Pick<Declared, 'family' | 'before'>;
  readonly label: string;
  /** How the values of 7 days become one; families of weeks have done it. */
  readonly over: 'sum' | 'mean' | 'week';
  /** Of weeks, the family of the 7 days before. */
  readonly before?: DayFamily;
}

const declared: readonly Declared[] = [
  {
    name: 'models',
    dataset: tokensDataset,
    family: tokens.dailyCreditsByModel,
    inMoney: { family: spend.dailyCostByModel },
    label: 'model',
    over: 'sum',
  },
  {
    name: 'clients',
    dataset: activityDataset,
    family: activity.dailyActiveUsersByClient,
    label: 'client',
    over: 'mean',
  },
  { name: 'tools', dataset: toolsDataset, family: tools.dailyToolCallsByTool, label: 'tool', over: 'sum' },
  {
    name: 'servers',
    dataset: toolsDataset,
    family: tools.dailyMcpCallsByServer,
    label: 'server',
    over: 'sum',
  },
  {
    name: 'teams',
    dataset: usersDataset,
    family: people.teamWeeks.present,
    before: people.teamWeeks.before,
    inMoney: { family: people.teamCostWeeks.present, before: people.teamCostWeeks.before },
    label: 'team',
    over: 'week',
  },
];

/** What parts of figures are made from. */
export interface BreakdownParts {
  readonly view: View;
  readonly labelLimit: LabelLimit;
  /** Whether `/metrics` has the family. */
  isServed(family: Family): boolean;
}

/** A computation in steps. */
export type Work<Result> = Generator<unknown, Result>;

/** The largest parts of each published breakdown, with those of the week before; one of which a day is unknown is missing. */
export function* breakdownsOf({ view, labelLimit, isServed }: BreakdownParts): Work<readonly Breakdown[]> {
  const breakdowns: Breakdown[] = [];
  for (const { inMoney, ...own } of declared) {
    const currency = inMoney && measuredIn(view);
    const one = inMoney && currency !== undefined ? { ...own, ...inMoney } : own;
    const day = isServed(one.family) ? view.newestDay(one.dataset) : undefined;
    const sums = day === undefined ? undefined : yield* sumsOf(view, one, day);
    if (day === undefined || sums === undefined) continue;
    const before = one.before
      ? yield* sumsOf(view, { ...one, family: one.before }, day)
      : yield* sumsOf(view, one, addDays(day, -WEEK_DAYS));
    const known = [...sums.listed]
      .filter(([, value]) => value > 0)
      .sort(([label, size], [other, otherSize]) => otherSize - size || (label < other ? -1 : 1));
    const rows = known.slice(0, Math.min(LISTED, labelLimit(one.label))).map(([label, value]) => ({
      label,
      value,
      before: before && finite(before.listed.get(label) ?? before.others),
    }));
    if (rows.length === 0) continue;
    breakdowns.push({
      name: one.name,
      family: one.family.name,
      currency,
      day,
      rows,
      rest: known.length - rows.length,
    });
  }
  return breakdowns;
}

/** Why the credits of a day differ from those of its weekday before; undefined where that is not known. */
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
    ...(isServed(byModel) && {
      model: cause?.model,
      largest: mostOf(found.byModel, change),
    }),
    team: team && published.has(team.name) && !isCollective(team.name) ? team : undefined,
  };
}

/** The largest part of a change, if it has most of it. */
function mostOf([first]: readonly Part[] = [], change: number): Reason['team'] {
  const share = first === undefined ? 0 : first.credits / change;
  return first !== undefined && share > MOST ? { name: first.name, share } : undefined;
}

/** The sums of the values of a label; one that is unknown, or of which a part is, is NaN. */
interface Sums {
  readonly listed: ReadonlyMap<string, number>;
  /** That of a value that is not listed: 0 if none can be among what is unknown. */
  readonly others: number;
}

/** The values of each label, summed over the days that end with `last`; undefined if one of them is unknown. */
function* sumsOf(view: View, { family, dataset, label, over }: Declared, last: Day): Work<Sums | undefined> {
  const listed = new Map<string, number>();
  let others = 0;
  for (const day of daysFrom(over === 'week' ? last : addDays(last, 1 - WEEK_DAYS), last)) {
    const samples = samplesOn(view, dataset, family, day);
    if (samples === undefined) return undefined;
    const ofDay = new Map<string, number>();
    for (const sample of samples) {
      const { labels, value } = labelled(family, sample);
      const name = labels[label] ?? '';
      ofDay.set(name, (ofDay.get(name) ?? 0) + value);
    }
    const rest = valueOutsideOf([...ofDay.values()]);
    for (const name of new Set([...listed.keys(), ...ofDay.keys()])) {
      listed.set(name, (listed.get(name) ?? others) + (ofDay.get(name) ?? rest));
    }
    others += rest;
    yield;
  }
  if (over !== 'mean') return { listed, others };
  return { listed: new Map([...listed].map(([name, value]) => [name, value / WEEK_DAYS])), others };
}

/** An unknown value is no number. */
function finite(value: number | undefined): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
