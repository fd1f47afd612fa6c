import { isDamaged } from '../../catalog/dataset.ts';
import type { Day } from '../../catalog/day.ts';
import { type Sample, UNKNOWN } from '../../catalog/family.ts';
import { ANONYMOUS, OTHER_TEAMS, UNASSIGNED } from '../../catalog/settings.ts';
import type { View } from '../../catalog/view.ts';
import { preciseSum } from '../counts.ts';
import { creditsToDate } from '../month.ts';
import { tokensDataset } from '../tokens/dataset.ts';
import { creditsOf } from '../weekdays.ts';
import { type UsersRow, usersDataset } from './dataset.ts';

/** A difference below this share of the total is a rounding error. */
const RESIDUE = 1e-9;

/** The credits of each team on a day; undefined if they are unknown. */
interface CreditsOfDay {
  readonly teams: ReadonlyMap<string, number | undefined>;
  /** Those of any other team: 0 where all teams are listed that have any, undefined where a team may be missing. */
  readonly others: 0 | undefined;
}

/** Reads the credits of a day. */
export type CreditsOn = (day: Day) => CreditsOfDay;

const UNKNOWN_DAY: CreditsOfDay = { teams: new Map(), others: undefined };

/**
 * The credits of each shown team, and the rest of the day's total, which is unknown if either is; none where no team is shown and the
 * total is 0, undefined if the teams are unknown.
 */
export function creditsByTeam(view: View, day: Day): readonly Sample<'team'>[] | undefined {
  const row = rowWithTeams(view, day);
  return row && Array.from(shownIn(row, view, day), sampleOf);
}

/**
 * As `creditsByTeam`, for files that add days up: teams whose month to date is published by their budget count whole, and what is
 * left is unassigned. Each figure is a difference of published ones.
 */
export function accountedByTeam(view: View, day: Day): readonly Sample<'team'>[] | undefined {
  const row = rowWithTeams(view, day);
  if (row === undefined) return undefined;
  const budgeted = view.once(budgetedCredits);
  const creditsOn = (team: string) => creditsOf(view.settings, (of) => creditsOfTeam(budgeted(of), team));
  const whole = [...(view.settings.people ?? ANONYMOUS).teamBudgets.keys()].filter(
    (team) => (creditsToDate(creditsOn(team), day) ?? 0) > 0,
  );
  if (whole.length === 0) return creditsByTeam(view, day);
  const shown = (row.byTeam ?? []).filter(({ team }) => team !== OTHER_TEAMS && !whole.includes(team));
  const byTeam = whole.flatMap((team) => {
    const credits = creditsOfTeam(budgeted(day), team);
    return credits === 0 ? [] : [{ team, active: 0, credits }];
  });
  return Array.from(shownIn({ ...row, byTeam: [...shown, ...byTeam] }, view, day), sampleOf);
}

function sampleOf([team, value]: readonly [string, number | undefined]): Sample<'team'> {
  return { labels: { team }, value: value ?? UNKNOWN };
}

/** The row of a day of which it is known which teams are shown: an unusable field of a person can leave that open. */
function rowWithTeams(view: View, day: Day): UsersRow | undefined {
  const row = view.row(usersDataset, day);
  return row?.byTeam === undefined && isDamaged(row) ? undefined : row;
}

function shownIn({ byTeam = [] }: UsersRow, view: View, day: Day): CreditsOfDay['teams'] {
  const teams = byTeam.map(({ team, credits }) => [team, credits] as const);
  const rest = restOf(
    view.row(tokensDataset, day)?.credits,
    teams.map(([, credits]) => credits),
  );
  return new Map([...teams, ...(rest === 0 ? [] : [[UNASSIGNED, rest] as const])]);
}

function restOf(total: number | undefined, shown: readonly (number | undefined)[]): number | undefined {
  const known = shown.filter((credits) => credits !== undefined);
  if (total === undefined || known.length < shown.length) return undefined;
  const rest = preciseSum([total, ...known.map((credits) => -credits)]);
  return Math.abs(rest) <= RESIDUE * total ? 0 : rest;
}

/**
 * The credits of what is shown on each day: those of a team that is not shown are in the rest. What is added up from it tells no
 * more than what was published of the days.
 */
export function shownCredits(view: View): CreditsOn {
  return remembered((day) => {
    const row = rowWithTeams(view, day);
    return row === undefined ? UNKNOWN_DAY : { teams: shownIn(row, view, day), others: 0 };
  });
}

/** The credits of the teams with a budget on each day. */
export function budgetedCredits(view: View): CreditsOn {
  return remembered((day) => {
    const row = view.row(usersDataset, day);
    const teams = row?.budgetedTeams?.map(({ team, credits }) => [team, credits] as const);
    // Nobody listed: no team has credits.
    return { teams: new Map(teams), others: row === usersDataset.idle ? 0 : undefined };
  });
}

/** Reads each day once: every family of every team needs it. */
function remembered(read: CreditsOn): CreditsOn {
  const days = new Map<Day, CreditsOfDay>();
  return (day) => {
    const known = days.get(day) ?? read(day);
    days.set(day, known);
    return known;
  };
}

/** The credits of a team on a day; undefined if they are unknown. */
export function creditsOfTeam({ teams, others }: CreditsOfDay, team: string): number | undefined {
  return teams.has(team) ? teams.get(team) : others;
}
