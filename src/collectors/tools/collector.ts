import type { DayCollector } from '../../catalog/collector.ts';
import { dayFamily, UNKNOWN } from '../../catalog/family.ts';
import { counts, figure, parts } from '../samples.ts';
import { type ToolsRow, toolsDataset } from './dataset.ts';

const ENDPOINT = '/api/v1/analytics/tools';

export const dailyToolCalls = dayFamily({
  name: 'agent_platform_daily_tool_calls',
  help: 'Tool calls on the newest complete UTC day.',
  labels: [],
  unit: 'calls',
  source: `${ENDPOINT}: data[].tool_calls`,
  aggregation: 'additive',
  samplesOf: (view, day) => figure(view.row(toolsDataset, day)?.toolCalls),
});

export const dailyToolCallsByTool = dayFamily({
  name: 'agent_platform_daily_tool_calls_by_tool',
  help: 'Tool calls on the newest complete UTC day, by tool. Names with control characters or over 128 characters count as invalid.',
  labels: ['tool'],
  unit: 'calls',
  source: `${ENDPOINT}: data[].by_tool[].invocations`,
  aggregation: 'additive',
  breakdown: true,
  part: 'tools',
  samplesOf: (view, day) => counts('tool', view.row(toolsDataset, day)?.byTool),
});

export const dailyMcpUsers = dayFamily({
  name: 'agent_platform_daily_mcp_users',
  help: 'People who used an MCP server on the newest complete UTC day.',
  labels: [],
  unit: 'people',
  source: `${ENDPOINT}: data[].mcp_users_with_mcp`,
  aggregation: 'distinct',
  samplesOf: (view, day) => figure(view.row(toolsDataset, day)?.mcpUsers),
});

export const dailyMcpCallsByServer = dayFamily({
  name: 'agent_platform_daily_mcp_calls_by_server',
  help: 'Calls of MCP servers on the newest complete UTC day, by server name in lower case.',
  labels: ['server'],
  unit: 'calls',
  source: `${ENDPOINT}: data[].mcp_by_server[].invocations`,
  aggregation: 'additive',
  breakdown: true,
  part: 'mcpServers',
  samplesOf: (view, day) => counts('server', view.row(toolsDataset, day)?.mcpByServer),
});

export const dailySkillInvocations = dayFamily({
  name: 'agent_platform_daily_skill_invocations',
  help: 'Skill activations on the newest complete UTC day.',
  labels: [],
  unit: 'invocations',
  source: `${ENDPOINT}: data[].skills_invocations`,
  aggregation: 'additive',
  samplesOf: (view, day) => figure(view.row(toolsDataset, day)?.skillInvocations),
});

export const dailySkillInvocationsBySkill = dayFamily({
  name: 'agent_platform_daily_skill_invocations_by_skill',
  help: 'Skill activations on the newest complete UTC day, by skill.',
  labels: ['skill'],
  unit: 'invocations',
  source: `${ENDPOINT}: data[].skills_by_name[].count`,
  aggregation: 'additive',
  breakdown: true,
  part: 'skills',
  samplesOf: (view, day) => counts('skill', view.row(toolsDataset, day)?.bySkill),
});

export const dailySlashCommandInvocations = dayFamily({
  name: 'agent_platform_daily_slash_command_invocations',
  help: 'Slash-command uses on the newest complete UTC day.',
  labels: [],
  unit: 'invocations',
  source: `${ENDPOINT}: data[].slash_commands_invocations`,
  aggregation: 'additive',
  samplesOf: (view, day) => figure(view.row(toolsDataset, day)?.slashCommandInvocations),
});

export const dailySlashCommandInvocationsByCommand = dayFamily({
  name: 'agent_platform_daily_slash_command_invocations_by_command',
  help: 'Slash-command uses on the newest complete UTC day, by command.',
  labels: ['command'],
  unit: 'invocations',
  source: `${ENDPOINT}: data[].slash_commands_by_name[].count`,
  aggregation: 'additive',
  breakdown: true,
  part: 'slashCommands',
  samplesOf: (view, day) => counts('command', view.row(toolsDataset, day)?.bySlashCommand),
});

export const dailyHookInvocations = dayFamily({
  name: 'agent_platform_daily_hook_invocations',
  help: 'Hook executions on the newest complete UTC day.',
  labels: [],
  unit: 'invocations',
  source: `${ENDPOINT}: data[].hooks_invocations`,
  aggregation: 'additive',
  samplesOf: (view, day) => figure(view.row(toolsDataset, day)?.hookInvocations),
});

export const dailyHookInvocationsByEvent = dayFamily({
  name: 'agent_platform_daily_hook_invocations_by_event',
  help: 'Hook executions on the newest complete UTC day, by event and matcher.',
  labels: ['event', 'matcher'],
  unit: 'invocations',
  source: `${ENDPOINT}: data[].hooks_by_event[].count`,
  aggregation: 'additive',
  breakdown: true,
  part: 'hooks',
  samplesOf: (view, day) =>
    view.row(toolsDataset, day)?.byHook?.map(({ event, matcher, count }) => ({
      labels: { event, matcher },
      value: count ?? UNKNOWN,
    })),
});

export const dailyWebUsers = dayFamily({
  name: 'agent_platform_daily_web_users',
  help: 'People who used the web or workspace interface on the newest complete UTC day.',
  labels: [],
  unit: 'people',
  source: `${ENDPOINT}: data[].web_users`,
  aggregation: 'distinct',
  samplesOf: (view, day) => figure(view.row(toolsDataset, day)?.webUsers),
});

export const dailyAutonomyRatio = dayFamily({
  name: 'agent_platform_daily_autonomy_ratio',
  help: 'Tool calls per user turn on the newest complete UTC day: average, median and 90th percentile. Do not sum over stat.',
  labels: ['stat'],
  fixedLabels: ['stat'],
  unit: 'calls per turn',
  source: `${ENDPOINT}: data[].autonomy_ratio_avg, autonomy_ratio_p50, autonomy_ratio_p90`,
  aggregation: 'ratio',
  samplesOf: (view, day) => parts('stat', view.row(toolsDataset, day)?.autonomy ?? {}),
});

export const dailyToolCallsPerSession = dayFamily({
  name: 'agent_platform_daily_tool_calls_per_session',
  help: 'Average tool calls per session on the newest complete UTC day.',
  labels: [],
  unit: 'calls per session',
  source: `${ENDPOINT}: data[].tool_calls_per_session_avg`,
  aggregation: 'ratio',
  samplesOf: (view, day) => figure(view.row(toolsDataset, day)?.toolCallsPerSession),
});

export const dailyUserTurnsPerSession = dayFamily({
  name: 'agent_platform_daily_user_turns_per_session',
  help: 'Average user messages per session on the newest complete UTC day.',
  labels: [],
  unit: 'turns per session',
  source: `${ENDPOINT}: data[].user_turns_per_session_avg`,
  aggregation: 'ratio',
  samplesOf: (view, day) => figure(view.row(toolsDataset, day)?.userTurnsPerSession),
});

export const dailyAutonomyLevelRatio = dayFamily({
  name: 'agent_platform_daily_autonomy_level_ratio',
  help: 'Share of each autonomy level on the newest complete UTC day.',
  labels: ['level'],
  unit: 'ratio',
  source: `${ENDPOINT}: data[].tool_autonomy_level_ratio`,
  aggregation: 'ratio',
  breakdown: true,
  samplesOf: (view, day) =>
    view.row(toolsDataset, day)?.autonomyLevels?.map(({ level, ratio }) => ({
      labels: { level },
      value: ratio,
    })),
});

/** The organization's use of tools, MCP servers, skills, slash commands and hooks, and its autonomy. */
export const toolsCollector: DayCollector<ToolsRow> = {
  name: 'tools',
  description:
    'Calls of tools, MCP servers, skills, slash commands and hooks, and how autonomously they ran.',
  schedule: 'analytics',
  enabledByDefault: true,
  dataset: toolsDataset,
  families: [
    dailyToolCalls,
    dailyToolCallsByTool,
    dailyMcpUsers,
    dailyMcpCallsByServer,
    dailySkillInvocations,
    dailySkillInvocationsBySkill,
    dailySlashCommandInvocations,
    dailySlashCommandInvocationsByCommand,
    dailyHookInvocations,
    dailyHookInvocationsByEvent,
    dailyWebUsers,
    dailyAutonomyRatio,
    dailyToolCallsPerSession,
    dailyUserTurnsPerSession,
    dailyAutonomyLevelRatio,
  ],
  // Loaded on first use, so that validation code does not delay the first scrape.
  fetch: async (source, window) => (await import('./fetch.ts')).fetchTools(source, window),
};
