import type { Day } from '../../catalog/day.ts';
import type { Sample } from '../../catalog/family.ts';
import { UNASSIGNED } from '../../catalog/settings.ts';
import type { View } from '../../catalog/view.ts';
import { preciseSum } from '../counts.ts';
import { tokensDataset } from '../tokens/dataset.ts';
import { type TeamFigures, type UsersRow, usersDataset } from './dataset.ts';

/** A difference below this share of the total is a rounding error. */
const RESIDUE = 1e-9;

/** A figure of each team that is shown on a day. */
export function ofTeams(
  { byTeam }: UsersRow,
  figure: Exclude<keyof TeamFigures, 'team'>,
): readonly Sample<'team'>[] | undefined {
  return byTeam?.flatMap((team) => {
    const value = team[figure];
    return value === undefined ? [] : [{ labels: { team: team.team }, value }];
  });
}

/** The credits of each shown team, and the rest of the day's total, which is unknown if either is. */
export function creditsByTeam(view: View, day: Day): readonly Sample<'team'>[] | undefined {
  const row = view.row(usersDataset, day);
  const shown = row && ofTeams(row, 'credits');
  const rest = restOf(view, day, shown);
  return rest === undefined || rest === 0
    ? shown
    : [...(shown ?? []), { labels: { team: UNASSIGNED }, value: rest }];
}

function restOf(view: View, day: Day, shown: readonly Sample[] = []): number | undefined {
  const row = view.row(usersDataset, day);
  const total = view.row(tokensDataset, day)?.credits;
  if (row === undefined || total === undefined || shown.length !== (row.byTeam ?? []).length)
    return undefined;
  const rest = preciseSum([total, ...shown.map(({ value }) => -value)]);
  return Math.abs(rest) <= RESIDUE * total ? 0 : rest;
}

/** The credits of what is shown on a day: those of a team that is not shown then are in the rest. */
interface ShownCredits {
  /** The names that have credits on a day. */
  names(day: Day): readonly string[];
  /** The credits of a name on a day, 0 where it is not shown; undefined if they are unknown. */
  on(day: Day, team: string): number | undefined;
}

/** Reads each day once. What is added up from it tells no more than what was published of the days. */
export function createShownCredits(view: View): ShownCredits {
  const byDay = new Map<Day, ReadonlyMap<string, number | undefined> | undefined>();

  function shownOn(day: Day): ReadonlyMap<string, number | undefined> | undefined {
    if (!byDay.has(day)) byDay.set(day, read(day));
    return byDay.get(day);
  }

  function read(day: Day): ReadonlyMap<string, number | undefined> | undefined {
    const row = view.row(usersDataset, day);
    if (row === undefined) return undefined;
    const rest = restOf(view, day, ofTeams(row, 'credits'));
    const teams = (row.byTeam ?? []).map(({ team, credits }) => [team, credits] as const);
    return new Map([...teams, ...(rest === 0 ? [] : [[UNASSIGNED, rest] as const])]);
  }

  return {
    names: (day) => [...(shownOn(day)?.keys() ?? [])],
    on(day, team) {
      const shown = shownOn(day);
      return shown === undefined || shown.has(team) ? shown?.get(team) : 0;
    },
  };
}
