import type { DayDataset, Reduced } from '../../catalog/dataset.ts';
import { ANONYMOUS, type OrgSettings, type PeopleSettings } from '../../catalog/settings.ts';
import type { Count } from '../counts.ts';
import { RANGE_DAYS } from '../month-range.ts';
import type { PeopleColumns } from './columns.ts';

/** Number of people whose most used model this is. */
export interface ModelPeople {
  readonly model: string;
  readonly tier: string;
  readonly people: number;
}

/** Distribution of credits over the active people of a day. */
export interface CreditStatistics {
  readonly p50?: number | undefined;
  readonly p90?: number | undefined;
  readonly p99?: number | undefined;
  readonly max?: number | undefined;
  /** The share of the top 10 %. */
  readonly topRatio?: number | undefined;
}

/** The figures of a person that are summed by team. */
export const TEAM_FIGURES = ['credits', 'toolCalls', 'commits', 'pullRequests', 'cost'] as const;

/** The sums of a team, or of several teams folded together. */
export interface TeamFigures
  extends Readonly<Partial<Record<(typeof TEAM_FIGURES)[number], number | undefined>>> {
  readonly team: string;
  readonly active: number;
}

/** The credits, and the cost that the platform reports, of a team with a budget, whatever its size; undefined if unknown. */
export interface TeamCredits {
  readonly team: string;
  readonly credits?: number | undefined;
  readonly cost?: number | undefined;
}

/**
 * The stored people of a day: counts and sums of groups large enough to publish, and individual people only if the
 * operator enables it.
 */
export interface UsersRow extends Reduced {
  /** Fingerprints of the identity mode and the team rules under which the row was made. */
  readonly identity: string;
  readonly teamRules: string;
  readonly credits?: number | undefined;
  readonly byPrimaryModel?: readonly ModelPeople[] | undefined;
  readonly byDelegationLevel?: readonly Count[] | undefined;
  readonly byLanguage?: readonly Count[] | undefined;
  readonly perUser?: CreditStatistics | undefined;
  /** Small teams are already folded. */
  readonly byTeam?: readonly TeamFigures[] | undefined;
  /** The teams that had a budget when the row was made. */
  readonly budgetedTeams?: readonly TeamCredits[] | undefined;
  readonly people?: PeopleColumns | undefined;
  /** 1 if there was activity that no other figure of the row shows, such as edited files in a small team. */
  readonly unshownActivity?: 1 | undefined;
}

/** Days for which individual people are stored: the 28 days in which a missing person counts as 0, and a margin. */
const PEOPLE_DAYS = 35;

export const usersDataset: DayDataset<UsersRow> = {
  kind: 'days',
  name: 'users',
  idle: { identity: ANONYMOUS.identity, teamRules: ANONYMOUS.teamRules },
  total: ({ credits }) => credits,
  // Rows of this age have no individual people, and are short.
  usedDays: RANGE_DAYS,
  parts: {
    // Sums over partly unknown people are meaningless, so a listing is kept or replaced as a whole.
    people: {
      members: [
        'credits',
        'byPrimaryModel',
        'byDelegationLevel',
        'byLanguage',
        'perUser',
        'byTeam',
        'budgetedTeams',
        'people',
        'unshownActivity',
      ],
      // A response without credits has them for no person, one without counts has no figures: neither replaces a known day.
      mayLack: ['perUser', 'byTeam', 'budgetedTeams', 'people', 'unshownActivity'],
    },
  },
  isCurrent: ({ identity, teamRules }, { people = ANONYMOUS }: OrgSettings) =>
    identity === people.identity && teamRules === people.teamRules,
  isSufficient: ({ budgetedTeams = [] }, { people = ANONYMOUS }) =>
    [...people.teamBudgets.keys()].every((team) => budgetedTeams.some((known) => known.team === team)),
  stripOldIdentities(row, age, { people = ANONYMOUS }) {
    const isShown = row.identity === people.identity && age <= PEOPLE_DAYS;
    const stripped = withoutUnbudgeted(row, people.teamBudgets);
    if (row.people === undefined || isShown) return stripped;
    return { ...stripped, people: undefined, identity: ANONYMOUS.identity };
  },
};

/** Removes the own credits of teams without a budget, which may be small. */
function withoutUnbudgeted(row: UsersRow, budgets: PeopleSettings['teamBudgets']): UsersRow {
  const { budgetedTeams = [] } = row;
  const kept = budgetedTeams.filter(({ team }) => budgets.has(team));
  if (kept.length === budgetedTeams.length) return row;
  return { ...row, budgetedTeams: kept.length === 0 ? undefined : kept };
}
