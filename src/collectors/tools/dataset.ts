import type { DayDataset } from '../../catalog/dataset.ts';
import type { Count } from '../counts.ts';

export interface HookCount {
  readonly event: string;
  /** Empty where the hook has none. */
  readonly matcher: string;
  readonly count: number;
}

/** What is kept of a day's use of tools: never a hook's command line, which can hold secrets and paths. */
export interface ToolsRow {
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
  idle: {
    toolCalls: 0,
    mcpUsers: 0,
    skillInvocations: 0,
    slashCommandInvocations: 0,
    hookInvocations: 0,
    webUsers: 0,
  },
  total: ({ toolCalls }) => toolCalls,
};
