import type { DayDataset, Reduced } from '../../catalog/dataset.ts';
import { ANONYMOUS, type OrgSettings } from '../../catalog/settings.ts';
import type { Count } from '../counts.ts';
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

/** The sums of a team, or of several teams folded together. */
export interface TeamFigures {
  readonly team: string;
  readonly active: number;
  readonly credits?: number | undefined;
  readonly toolCalls?: number | undefined;
  readonly commits?: number | undefined;
  readonly pullRequests?: number | undefined;
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
  readonly people?: PeopleColumns | undefined;
}

/** Days for which individual people are stored: the 28 days in which a missing person counts as 0, and a margin. */
const PEOPLE_DAYS = 35;

export const usersDataset: DayDataset<UsersRow> = {
  kind: 'days',
  name: 'users',
  idle: { identity: ANONYMOUS.identity, teamRules: ANONYMOUS.teamRules },
  total: ({ credits }) => credits,
  parts: {
    // Sums over partly unknown people are meaningless, so a listing is kept or replaced as a whole.
    people: {
      fields: [
        ...['user_id', 'user_email', 'tool_calls', 'billable_tokens', 'primary_model', 'primary_model_tier'],
        ...['files_created', 'files_edited', 'git_commits', 'git_prs_created', 'mcp_calls', 'skill_calls'],
        ...['slash_commands', 'hooks', 'sessions', 'messages', 'user_messages', 'assistant_messages'],
        ...['autonomy_ratio', 'delegation_level', 'languages'],
      ],
      members: [
        ...['credits', 'byPrimaryModel', 'byDelegationLevel', 'byLanguage', 'perUser', 'byTeam', 'people'],
      ],
      mayLack: true,
    },
  },
  isCurrent: ({ identity, teamRules }, { people = ANONYMOUS }: OrgSettings) =>
    identity === people.identity && teamRules === people.teamRules,
  stripOldIdentities(row, age, { people = ANONYMOUS }) {
    const isShown = row.identity === people.identity && age <= PEOPLE_DAYS;
    if (row.people === undefined || isShown) return row;
    return { ...row, people: undefined, identity: ANONYMOUS.identity };
  },
};

export const USERS_PATH = '/api/v1/analytics/users';
