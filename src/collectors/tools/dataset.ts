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
    toolCalls: { members: ['toolCalls'] },
    tools: { members: ['byTool'], breaksDown: ['toolCalls'] },
    mcpUsers: { members: ['mcpUsers'] },
    mcpServers: { members: ['mcpByServer'] },
    skillCalls: { members: ['skillInvocations'] },
    skills: { members: ['bySkill'], breaksDown: ['skillCalls'] },
    slashCommandCalls: { members: ['slashCommandInvocations'] },
    slashCommands: {
      members: ['bySlashCommand'],
      breaksDown: ['slashCommandCalls'],
    },
    hookCalls: { members: ['hookInvocations'] },
    hooks: { members: ['byHook'], breaksDown: ['hookCalls'] },
    webUsers: { members: ['webUsers'] },
    autonomyAverage: { members: ['autonomy.avg'] },
    autonomyMedian: { members: ['autonomy.p50'] },
    autonomyUpper: { members: ['autonomy.p90'] },
    toolCallsPerSession: { members: ['toolCallsPerSession'] },
    userTurnsPerSession: { members: ['userTurnsPerSession'] },
    autonomyLevels: { members: ['autonomyLevels'] },
  },
};
