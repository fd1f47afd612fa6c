import type { Day } from '../../catalog/day.ts';
import { isLabelValue } from '../../catalog/label.ts';
import { MAX_AMOUNT } from '../fields.ts';
import type { PersonDay } from './schema.ts';

/**
 * Reads an element that is as the interface describes it, which nearly all are: the same that the schema makes of
 * it, at a fraction of the cost. Undefined where anything at all is unusual; then the schema decides.
 */
export function plainPerson(element: unknown, day: Day): PersonDay | undefined {
  if (typeof element !== 'object' || element === null) return undefined;
  const row = element as Readonly<Record<string, unknown>>;
  const { user_id: id, user_email: email, languages } = row;
  const { primary_model: model, primary_model_tier: tier, delegation_level: level } = row;
  if (row['date'] !== day || !isText(id) || !isText(model) || !isText(tier) || !isText(level))
    return undefined;
  if (!(email === null || isText(email)) || !isTexts(languages)) return undefined;
  const { tool_calls, billable_tokens, sessions, messages, user_messages, assistant_messages } = row;
  const { files_created, files_edited, git_commits, git_prs_created, mcp_calls } = row;
  const { skill_calls, slash_commands, hooks, autonomy_ratio } = row;
  if (
    !(isAmount(tool_calls) && isAmount(billable_tokens) && isAmount(sessions) && isAmount(messages)) ||
    !(isAmount(user_messages) && isAmount(assistant_messages) && isAmount(files_created)) ||
    !(isAmount(files_edited) && isAmount(git_commits) && isAmount(git_prs_created)) ||
    !(isAmount(mcp_calls) && isAmount(skill_calls) && isAmount(slash_commands)) ||
    !(isAmount(hooks) && isAmount(autonomy_ratio))
  ) {
    return undefined;
  }
  return {
    date: day,
    person: { id, email: email === null ? undefined : addressOf(email) },
    credits: billable_tokens,
    toolCalls: tool_calls,
    sessions,
    messages,
    userMessages: user_messages,
    assistantMessages: assistant_messages,
    filesCreated: files_created,
    filesEdited: files_edited,
    commits: git_commits,
    pullRequests: git_prs_created,
    mcpCalls: mcp_calls,
    skillInvocations: skill_calls,
    slashCommands: slash_commands,
    hooks,
    autonomy: autonomy_ratio,
    model,
    tier,
    level,
    languages,
  };
}

/** An address as it is compared; undefined where it is blank. */
export function addressOf(email: string): string | undefined {
  return email.trim().toLowerCase() || undefined;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && isLabelValue(value);
}

/** Nobody has so many languages. */
const MANY = 100;

function isTexts(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length > MANY) return false;
  for (const item of value) if (!isText(item)) return false;
  return true;
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= MAX_AMOUNT;
}
