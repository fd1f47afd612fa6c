import * as z from 'zod';
import type { FetchedDays, Window } from '../../catalog/collector.ts';
import { labelValue } from '../../catalog/label.ts';
import type { Source } from '../../catalog/source.ts';
import { askAnalytics, byDay, type Dated } from '../analytics.ts';
import { apiContractOf, MODES } from '../api-contract.ts';
import { breakdown, type Count, namedCount, OTHER, plusUsable, summedCounts } from '../counts.ts';
import {
  amount,
  anyElementName,
  day,
  element,
  elementName,
  list,
  members,
  rejected,
  requiredElementAmount,
} from '../fields.ts';
import { type HookCount, type ToolsRow, toolsDataset } from './dataset.ts';

/** The label value of invalid tool names, of which one that is no text is one. */
const INVALID_TOOL = 'invalid';

const toolElement = element({
  tool: z.union([z.string(), rejected]),
  invocations: requiredElementAmount,
}).transform(
  ({ tool, invocations }): Count =>
    tool === null ? { name: INVALID_TOOL, count: null } : { name: toolName(tool), count: invocations },
);

// Lower-cased before shortening, so that names that differ only in case share a digest.
const serverElement = element({ server: elementName, invocations: requiredElementAmount }).transform(
  ({ server, invocations }) => namedCount(server?.toLowerCase() ?? null, invocations),
);

const namedElement = element({ name: elementName, count: requiredElementAmount }).transform(
  ({ name, count }) => namedCount(name, count),
);

const hookElement = element({ event: elementName, matcher: anyElementName, count: requiredElementAmount });

/** An element of the ungrouped response. */
export const dayRow = z.compile(
  z
    .object({
      date: day,
      tool_calls: amount,
      by_tool: list(toolElement),
      mcp_users_with_mcp: amount,
      mcp_by_server: list(serverElement),
      skills_invocations: amount,
      skills_by_name: list(namedElement),
      slash_commands_invocations: amount,
      slash_commands_by_name: list(namedElement),
      hooks_invocations: amount,
      hooks_by_event: list(hookElement),
      web_users: amount,
      autonomy_ratio_avg: amount,
      autonomy_ratio_p50: amount,
      autonomy_ratio_p90: amount,
      tool_calls_per_session_avg: amount,
      user_turns_per_session_avg: amount,
      tool_autonomy_level_ratio: members(amount),
    })
    .transform(
      (raw): Dated<ToolsRow> => ({
        date: raw.date,
        row: {
          toolCalls: raw.tool_calls,
          byTool: raw.by_tool && summedCounts(raw.by_tool),
          mcpUsers: raw.mcp_users_with_mcp,
          mcpByServer: raw.mcp_by_server && summedCounts(raw.mcp_by_server),
          skillInvocations: raw.skills_invocations,
          bySkill: raw.skills_by_name && summedCounts(raw.skills_by_name),
          slashCommandInvocations: raw.slash_commands_invocations,
          bySlashCommand: raw.slash_commands_by_name && summedCounts(raw.slash_commands_by_name),
          hookInvocations: raw.hooks_invocations,
          byHook: raw.hooks_by_event && summedHooks(raw.hooks_by_event),
          webUsers: raw.web_users,
          autonomy: {
            avg: raw.autonomy_ratio_avg,
            p50: raw.autonomy_ratio_p50,
            p90: raw.autonomy_ratio_p90,
          },
          toolCallsPerSession: raw.tool_calls_per_session_avg,
          userTurnsPerSession: raw.user_turns_per_session_avg,
          autonomyLevels: raw.tool_autonomy_level_ratio && levelsOf(raw.tool_autonomy_level_ratio),
        },
      }),
    ),
);

export const toolsContract = apiContractOf({
  schema: dayRow,
  unread: ['hooks_by_event.command'],
  values: { tool_autonomy_level_ratio: MODES },
});

/** Sums by event and matcher. An unusable matcher of an event can be any of its matchers. */
function summedHooks(elements: readonly z.infer<typeof hookElement>[]): readonly HookCount[] {
  const unclear = new Set(elements.filter(({ matcher }) => matcher === null).map(({ event }) => event));
  const hooks = elements.map(({ event, matcher, count }): HookCount => {
    if (event === null || matcher === null) return { event: OTHER, matcher: OTHER, count: null };
    const known = unclear.has(event) ? null : count;
    return { event: labelValue(event), matcher: labelValue(matcher), count: known };
  });
  return breakdown(hooks, {
    keyOf: ({ event, matcher }) => JSON.stringify([event, matcher]),
    merge: (one, other) => ({ ...one, count: plusUsable(one.count, other.count) }),
    weightOf: ({ count }) => count ?? 0,
    restOf: ({ count }) => ({ event: OTHER, matcher: OTHER, count }),
  });
}

function levelsOf(pairs: readonly (readonly [string, number | undefined])[]) {
  const levels: { level: string; ratio: number }[] = [];
  for (const [level, ratio] of pairs.toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    if (ratio !== undefined) levels.push({ level, ratio });
  }
  return levels;
}

/** Fetches the tool usage of a window. */
export async function fetchTools(source: Source, window: Window): Promise<FetchedDays<ToolsRow>> {
  const answer = await askAnalytics(source, { dataset: 'tools', window }, dayRow);
  return byDay(answer, toolsDataset.parts);
}

const MAX_TOOL_CHARACTERS = 128;
const CONTROL = /\p{Cc}/u;

/**
 * The tool as a label value. A name that is blank, contains control characters or has more than 128 characters is misparsed
 * output of a model, which could contain a prompt: it becomes `invalid`.
 */
export function toolName(tool: string): string {
  const isLong = tool.length > 2 * MAX_TOOL_CHARACTERS || Array.from(tool).length > MAX_TOOL_CHARACTERS;
  return isLong || tool.trim() === '' || CONTROL.test(tool) ? INVALID_TOOL : labelValue(tool);
}
