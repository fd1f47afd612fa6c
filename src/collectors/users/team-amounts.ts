import { idleRowOf, isDamaged } from '../../catalog/dataset.ts';
import type { Day } from '../../catalog/day.ts';
import { type Sample, UNKNOWN } from '../../catalog/family.ts';
import type { Measure } from '../../catalog/money.ts';
import { ANONYMOUS, OTHER_TEAMS, UNASSIGNED } from '../../catalog/settings.ts';
import type { View } from '../../catalog/view.ts';
import { preciseSum } from '../counts.ts';
import { monthToDate } from '../month.ts';
import { measureOf } from '../spend/measure.ts';
import { tokensDataset } from '../tokens/dataset.ts';
import { amountsOf } from '../weekdays.ts';
import { type UsersRow, usersDataset } from './dataset.ts';

/** A difference below this share of the total is a rounding error. */
const RESIDUE = 1e-9;

/** The credits, or the cost that the platform reports, of each team on a day; undefined if they are unknown. */
interface AmountsOfDay {
  readonly teams: ReadonlyMap<string, number | undefined>;
  /** The amount of a team that is not listed: 0 if all teams with an amount are listed; undefined if one may be missing. */
  readonly others: 0 | undefined;
}

/** Reads the amounts of a day. */
export type AmountsOn = (day: Day) => AmountsOfDay;

const UNKNOWN_DAY: AmountsOfDay = { teams: new Map(), others: undefined };

/**
 * The credits or the reported cost of each shown team, and the rest of the day's total, which is unknown if either is; none where no
 * team is shown and the total is 0, undefined if the teams are unknown.
 */
export function amountsByTeam(view: View, day: Day, measure: Measure): readonly Sample<'team'>[] | undefined {
  const row = rowWithTeams(view, day, measure);
  return row && Array.from(shownIn(row, view, day, measure), sampleOf);
}

/**
 * As `amountsByTeam`, for files that add days up: teams whose month to date is published by their budget count whole, and what is
 * left is unassigned. Each figure is a difference of published ones.
 */
export function accountedByTeam(
  view: View,
  day: Day,
  measure: Measure,
): readonly Sample<'team'>[] | undefined {
  const row = rowWithTeams(view, day, measure);
  if (row === undefined) return undefined;
  const budgeted = view.once(BUDGETED_AMOUNTS[measure]);
  const amountsOn = (team: string) => amountsOf(view.settings, (of) => amountOfTeam(budgeted(of), team));
  const whole = [...(view.settings.people ?? ANONYMOUS).teamBudgets.keys()].filter(
    (team) => (monthToDate(amountsOn(team), day) ?? 0) > 0,
  );
  if (whole.length === 0) return amountsByTeam(view, day, measure);
  const shown = (row.byTeam ?? []).filter(({ team }) => team !== OTHER_TEAMS && !whole.includes(team));
  const byTeam = whole.flatMap((team) => {
    const amount = amountOfTeam(budgeted(day), team);
    return amount === 0 ? [] : [{ team, active: 0, [measure]: amount }];
  });
  return Array.from(shownIn({ ...row, byTeam: [...shown, ...byTeam] }, view, day, measure), sampleOf);
}

function sampleOf([team, value]: readonly [string, number | undefined]): Sample<'team'> {
  return { labels: { team }, value: value ?? UNKNOWN };
}

/** The row of a day; undefined if an unusable field of a person leaves open which teams may be shown. */
function rowWithTeams(view: View, day: Day, measure: Measure): UsersRow | undefined {
  const row = rowIn(measure, view, day);
  return row?.byTeam === undefined && isDamaged(row) ? undefined : row;
}

/** The row of a day; undefined for credits where the platform counts none: a team that rests has none there, not 0. */
function rowIn(measure: Measure, view: View, day: Day): UsersRow | undefined {
  return measure === 'credits' && measureOf(view) === 'cost' ? undefined : view.row(usersDataset, day);
}

function shownIn({ byTeam = [] }: UsersRow, view: View, day: Day, measure: Measure): AmountsOfDay['teams'] {
  const teams = byTeam.map(({ team, [measure]: amount }) => [team, amount] as const);
  const rest = restOf(
    view.row(tokensDataset, day)?.[measure],
    teams.map(([, amount]) => amount),
  );
  return new Map([...teams, ...(rest === 0 ? [] : [[UNASSIGNED, rest] as const])]);
}

function restOf(total: number | undefined, shown: readonly (number | undefined)[]): number | undefined {
  const known = shown.filter((amount) => amount !== undefined);
  if (total === undefined || known.length < shown.length) return undefined;
  const rest = preciseSum([total, ...known.map((amount) => -amount)]);
  return Math.abs(rest) <= RESIDUE * total ? 0 : rest;
}

/**
 * The amounts of the teams that are shown on each day. Amounts of other teams are in the rest, so that sums over days reveal no
 * more than the published days.
 */
function shownAmounts(view: View, measure: Measure): AmountsOn {
  return remembered((day) => {
    const row = rowWithTeams(view, day, measure);
    return row === undefined ? UNKNOWN_DAY : { teams: shownIn(row, view, day, measure), others: 0 };
  });
}

/** The amounts of the teams with a budget on each day. */
function budgetedAmounts(view: View, measure: Measure): AmountsOn {
  return remembered((day) => {
    const row = rowIn(measure, view, day);
    const teams = row?.budgetedTeams?.map(({ team, [measure]: amount }) => [team, amount] as const);
    // Nobody listed: no team has used anything.
    return { teams: new Map(teams), others: row === idleRowOf(usersDataset, view.settings) ? 0 : undefined };
  });
}

/** One function per measure, because a view caches results by function. */
type ByMeasure = Readonly<Record<Measure, (view: View) => AmountsOn>>;

export const SHOWN_AMOUNTS: ByMeasure = {
  credits: (view) => shownAmounts(view, 'credits'),
  cost: (view) => shownAmounts(view, 'cost'),
};

export const BUDGETED_AMOUNTS: ByMeasure = {
  credits: (view) => budgetedAmounts(view, 'credits'),
  cost: (view) => budgetedAmounts(view, 'cost'),
};

/** Reads each day once, because every family of every team needs it. */
function remembered(read: AmountsOn): AmountsOn {
  const days = new Map<Day, AmountsOfDay>();
  return (day) => {
    const known = days.get(day) ?? read(day);
    days.set(day, known);
    return known;
  };
}

/** The amount of a team on a day; undefined if it is unknown. */
export function amountOfTeam({ teams, others }: AmountsOfDay, team: string): number | undefined {
  return teams.has(team) ? teams.get(team) : others;
}
