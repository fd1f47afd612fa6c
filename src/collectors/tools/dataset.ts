import type { DayDataset, Reduced } from '../../catalog/dataset.ts';
import type { Count } from '../counts.ts';

export interface HookCount {
  readonly event: string;
  /** Empty for hooks without a matcher. */
  readonly matcher: string;
  /** Null if it or a part of it was unusable. */
  readonly count: number | null;
}

/** The stored tool usage of a day; never hook command lines, which can contain secrets and paths. */
export interface ToolsRow extends Reduced {
  readonly toolCalls?: number | undefined;
  readonly byTool?: readonly Count[] | undefined;
  readonly mcpUsers?: number | undefined;
  /** By server, in lower case. */
  readonly mcpByServer?: readonly Count[] | undefined;
  readonly skillInvocations?: number | undefined;
  readonly bySkill?: readonly Count[] | undefined;
  readonly slashCommandInvocations?: number | undefined;
  readonly bySlashCommand?: readonly Count[] | undefined;
  readonly hookInvocations?: number | undefined;
  readonly byHook?: readonly HookCount[] | undefined;
  readonly webUsers?: number | undefined;
  readonly autonomy?: {
    readonly avg?: number | undefined;
    readonly p50?: number | undefined;
    readonly p90?: number | undefined;
  };
  readonly toolCallsPerSession?: number | undefined;
  readonly userTurnsPerSession?: number | undefined;
  readonly autonomyLevels?: readonly { readonly level: string; readonly ratio: number }[] | undefined;
}

export const toolsDataset: DayDataset<ToolsRow> = {
  kind: 'days',
  name: 'tools',
  // Version 1 has tool names with a space among the invalid ones.
  schemaVersion: 2,
  idle: {
    toolCalls: 0,
    mcpUsers: 0,
    skillInvocations: 0,
    slashCommandInvocations: 0,
    hookInvocations: 0,
    webUsers: 0,
  },
  total: ({ toolCalls }) => toolCalls,
  parts: {
    toolCalls: { fields: ['tool_calls'], members: ['toolCalls'] },
    tools: { fields: ['by_tool'], members: ['byTool'], breaksDown: ['toolCalls'] },
    mcpUsers: { fields: ['mcp_users_with_mcp'], members: ['mcpUsers'] },
    mcpServers: { fields: ['mcp_by_server'], members: ['mcpByServer'] },
    skillCalls: { fields: ['skills_invocations'], members: ['skillInvocations'] },
    skills: { fields: ['skills_by_name'], members: ['bySkill'], breaksDown: ['skillCalls'] },
    slashCommandCalls: { fields: ['slash_commands_invocations'], members: ['slashCommandInvocations'] },
    slashCommands: {
      fields: ['slash_commands_by_name'],
      members: ['bySlashCommand'],
      breaksDown: ['slashCommandCalls'],
    },
    hookCalls: { fields: ['hooks_invocations'], members: ['hookInvocations'] },
    hooks: { fields: ['hooks_by_event'], members: ['byHook'], breaksDown: ['hookCalls'] },
    webUsers: { fields: ['web_users'], members: ['webUsers'] },
    autonomyAverage: { fields: ['autonomy_ratio_avg'], members: ['autonomy.avg'] },
    autonomyMedian: { fields: ['autonomy_ratio_p50'], members: ['autonomy.p50'] },
    autonomyUpper: { fields: ['autonomy_ratio_p90'], members: ['autonomy.p90'] },
    toolCallsPerSession: { fields: ['tool_calls_per_session_avg'], members: ['toolCallsPerSession'] },
    userTurnsPerSession: { fields: ['user_turns_per_session_avg'], members: ['userTurnsPerSession'] },
    autonomyLevels: { fields: ['tool_autonomy_level_ratio'], members: ['autonomyLevels'] },
  },
};
