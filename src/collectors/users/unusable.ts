import { withRejected } from '../../catalog/parts.ts';
import type { TeamFigures, UsersRow } from './dataset.ts';
import { usersDataset } from './dataset.ts';

/** By which fields somebody counts as active: where one is not usable, nobody knows how many were. */
const ACTIVITY = new Set([
  ...['sessions', 'messages', 'user_messages', 'assistant_messages', 'tool_calls', 'billable_tokens'],
]);

/**
 * The row without the sums and counts that somebody's unusable fields belong to, since they would be short;
 * `faults` names the field of each fault. Each person's own figures stay.
 */
export function withoutShortSums(row: UsersRow, faults: readonly string[]): UsersRow {
  if (faults.length === 0) return row;
  const has = (...fields: readonly string[]) => fields.some((field) => faults.includes(field));
  const isActivityKnown = !faults.some((field) => ACTIVITY.has(field));
  const ofActive = <Figure>(figure: Figure, ...fields: readonly string[]) =>
    isActivityKnown && !has(...fields) ? figure : undefined;
  return withRejected(
    {
      ...row,
      credits: has('billable_tokens') ? undefined : row.credits,
      byPrimaryModel: ofActive(row.byPrimaryModel, 'primary_model', 'primary_model_tier'),
      byDelegationLevel: ofActive(row.byDelegationLevel, 'delegation_level'),
      byLanguage: ofActive(row.byLanguage, 'languages'),
      perUser: ofActive(row.perUser),
      byTeam: ofActive(row.byTeam, 'user_email')?.map(
        (team): TeamFigures => ({
          ...team,
          commits: has('git_commits') ? undefined : team.commits,
          pullRequests: has('git_prs_created') ? undefined : team.pullRequests,
        }),
      ),
    },
    faults,
    usersDataset.parts,
  );
}
