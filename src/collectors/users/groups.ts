import { OTHER_TEAMS } from '../../catalog/settings.ts';
import { plus, plusKnown } from '../counts.ts';
import { type CreditStatistics, TEAM_FIGURES, type TeamFigures } from './dataset.ts';

/** The sums of a team while they are added up. */
export type TeamSums = { -readonly [Name in keyof TeamFigures]: TeamFigures[Name] };

/** Minimum number of active people for a statistic: with fewer it would reveal individual figures. */
const MIN_FOR_QUANTILES = 5;

const MIN_FOR_EXTREMES = 10;

const MIN_FOR_TOP_SHARE = 50;

/** Distribution of credits over active people with known credits; undefined for too few people. */
export function creditStatistics(credits: readonly number[]): CreditStatistics | undefined {
  const people = credits.length;
  if (people < MIN_FOR_QUANTILES) return undefined;
  const sorted = Float64Array.from(credits).sort();
  const hasExtremes = people >= MIN_FOR_EXTREMES;
  return {
    p50: quantile(0.5, sorted),
    p90: quantile(0.9, sorted),
    p99: hasExtremes ? quantile(0.99, sorted) : undefined,
    max: hasExtremes ? sorted[people - 1] : undefined,
    topRatio: people >= MIN_FOR_TOP_SHARE ? topShare(sorted) : undefined,
  };
}

/** Linear interpolation, as PromQL's `quantile`. */
function quantile(share: number, sorted: Float64Array): number {
  const rank = share * (sorted.length - 1);
  const below = sorted[Math.floor(rank)] ?? 0;
  const above = sorted[Math.ceil(rank)] ?? 0;
  return below + (above - below) * (rank - Math.floor(rank));
}

/** The share of the top 10 % (rounded up) of the people; undefined if there is no consumption. */
function topShare(sorted: Float64Array): number | undefined {
  const total = sorted.reduce(plus, 0);
  const top = sorted.subarray(-Math.ceil(sorted.length / 10)).reduce(plus, 0);
  return total === 0 ? undefined : Math.min(1, top / total);
}

/** Minimum number of active people in a published group. */
const MIN_ACTIVE = 5;

/**
 * The groups that may be shown. Folds teams into `other`, smallest first (ties by name), until every group, including `other`, has
 * five active people. Undefined if that is impossible. All figures use the same groups, so that the difference of two figures
 * reveals nothing more. A folded team is always combined with another team that has active people. The credits of the teams in
 * `known` are published with their budgets, so the other folded teams need five active people without them.
 */
export function protectedTeams(
  teams: readonly TeamFigures[],
  known: ReadonlySet<string> = new Set(),
): readonly TeamFigures[] | undefined {
  const shown = teams.filter((team) => team.team !== OTHER_TEAMS && isSomething(team)).sort(bySize);
  const folded = teams.filter((team) => team.team === OTHER_TEAMS && isSomething(team));
  const isUnknown = ({ team }: TeamFigures) => !known.has(team);
  for (;;) {
    const isTooSmall = isSmall(folded);
    const isTooSmallApart = isSmall(folded.filter(isUnknown));
    const [smallest] = shown;
    if (!isTooSmall && !isTooSmallApart && (smallest === undefined || smallest.active >= MIN_ACTIVE)) break;
    // A team with published credits hides nobody.
    const next = isTooSmallApart && (smallest?.active ?? 0) >= MIN_ACTIVE ? shown.findIndex(isUnknown) : 0;
    const [team] = next < 0 ? [] : shown.splice(next, 1);
    if (team === undefined) return undefined;
    folded.push(team);
  }
  if (shown.length + folded.length === 0) return undefined;
  const other = folded.length === 0 ? [] : [sumOfTeams(folded)];
  return [...shown, ...other].sort((one, another) => (one.team < another.team ? -1 : 1));
}

/** Whether teams have too few active people together; false without teams. */
function isSmall(teams: readonly TeamFigures[]): boolean {
  return teams.length > 0 && teams.reduce((sum, { active }) => sum + active, 0) < MIN_ACTIVE;
}

function bySize(one: TeamFigures, other: TeamFigures): number {
  return one.active - other.active || (one.team < other.team ? -1 : 1);
}

/** Reports whether a team contributes to any figure. */
function isSomething(team: TeamFigures): boolean {
  return team.active > 0 || TEAM_FIGURES.some((name) => (team[name] ?? 0) > 0);
}

function sumOfTeams(teams: readonly TeamFigures[]): TeamFigures {
  const sums: TeamSums = { team: OTHER_TEAMS, active: 0 };
  for (const team of teams) {
    sums.active += team.active;
    for (const name of TEAM_FIGURES) sums[name] = plusKnown(sums[name], team[name]);
  }
  return sums;
}
