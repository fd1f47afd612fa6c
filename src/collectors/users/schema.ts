import * as z from 'zod';
import type { Day } from '../../catalog/day.ts';
import type { Person } from '../../catalog/settings.ts';
import { apiContractOf, MODES, TIERS } from '../api-contract.ts';
import { amount, day, list, requiredText, text } from '../fields.ts';
import type { FigureName } from './columns.ts';

/** One person's day. */
export interface PersonDay extends Readonly<Record<FigureName, number | undefined>> {
  readonly date: Day;
  readonly person: Person;
  readonly messages: number | undefined;
  readonly model: string | undefined;
  readonly tier: string | undefined;
  readonly level: string | undefined;
  readonly languages: readonly string[] | undefined;
}

/** An element of the response. */
export const personRow = z.compile(
  z
    .object({
      user_id: requiredText,
      user_email: text,
      date: day,
      tool_calls: amount,
      billable_tokens: amount,
      primary_model: text,
      primary_model_tier: text,
      files_created: amount,
      files_edited: amount,
      git_commits: amount,
      git_prs_created: amount,
      mcp_calls: amount,
      skill_calls: amount,
      slash_commands: amount,
      hooks: amount,
      sessions: amount,
      messages: amount,
      user_messages: amount,
      assistant_messages: amount,
      autonomy_ratio: amount,
      delegation_level: text,
      languages: list(requiredText),
    })
    .transform(
      (raw): PersonDay => ({
        date: raw.date,
        person: { id: raw.user_id, email: raw.user_email && addressOf(raw.user_email) },
        credits: raw.billable_tokens,
        toolCalls: raw.tool_calls,
        sessions: raw.sessions,
        messages: raw.messages ?? sum(raw.user_messages, raw.assistant_messages),
        userMessages: raw.user_messages,
        assistantMessages: raw.assistant_messages ?? difference(raw.messages, raw.user_messages),
        filesCreated: raw.files_created,
        filesEdited: raw.files_edited,
        commits: raw.git_commits,
        pullRequests: raw.git_prs_created,
        mcpCalls: raw.mcp_calls,
        skillInvocations: raw.skill_calls,
        slashCommands: raw.slash_commands,
        hooks: raw.hooks,
        autonomy: raw.autonomy_ratio,
        model: raw.primary_model,
        tier: raw.primary_model_tier,
        level: raw.delegation_level,
        languages: raw.languages,
      }),
    ),
);

export const usersContract = apiContractOf({
  schema: personRow,
  values: { primary_model_tier: TIERS, delegation_level: MODES },
});

function sum(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined ? other : one + (other ?? 0);
}

/** The difference; undefined if it would be negative. */
function difference(whole: number | undefined, part: number | undefined): number | undefined {
  return whole === undefined || part === undefined || part > whole ? undefined : whole - part;
}

/** An e-mail address in lower case; undefined if blank. */
function addressOf(email: string): string | undefined {
  return email.trim().toLowerCase() || undefined;
}
