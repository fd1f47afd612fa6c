import type { DayCollector } from '../../catalog/collector.ts';
import { UNKNOWN } from '../../catalog/family.ts';
import { tableOf } from '../table.ts';
import { familiesOf, weeksOf } from '../weeks.ts';
import { type ToolsRow, toolsDataset } from './dataset.ts';

const tools = tableOf(toolsDataset);

const daily = {
  dailyToolCalls: tools.figure('toolCalls', {
    name: 'agent_platform_daily_tool_calls',
    help: 'Tool calls on the newest complete UTC day.',
    unit: 'calls',
  }),

  dailyToolCallsByTool: tools.counts('byTool', 'tool', {
    name: 'agent_platform_daily_tool_calls_by_tool',
    help: 'Tool calls on the newest complete UTC day, by tool. Names with control characters or over 128 characters count as invalid.',
    unit: 'calls',
  }),

  dailyMcpUsers: tools.figure('mcpUsers', {
    name: 'agent_platform_daily_mcp_users',
    help: 'People who used an MCP server on the newest complete UTC day.',
    unit: 'people',
    aggregation: 'distinct',
  }),

  dailyMcpCallsByServer: tools.counts('mcpByServer', 'server', {
    name: 'agent_platform_daily_mcp_calls_by_server',
    help: 'Calls of MCP servers on the newest complete UTC day, by server name in lower case.',
    unit: 'calls',
  }),

  dailySkillInvocations: tools.figure('skillInvocations', {
    name: 'agent_platform_daily_skill_invocations',
    help: 'Skill activations on the newest complete UTC day.',
    unit: 'invocations',
  }),

  dailySkillInvocationsBySkill: tools.counts('bySkill', 'skill', {
    name: 'agent_platform_daily_skill_invocations_by_skill',
    help: 'Skill activations on the newest complete UTC day, by skill.',
    unit: 'invocations',
  }),

  dailySlashCommandInvocations: tools.figure('slashCommandInvocations', {
    name: 'agent_platform_daily_slash_command_invocations',
    help: 'Slash-command uses on the newest complete UTC day.',
    unit: 'invocations',
  }),

  dailySlashCommandInvocationsByCommand: tools.counts('bySlashCommand', 'command', {
    name: 'agent_platform_daily_slash_command_invocations_by_command',
    help: 'Slash-command uses on the newest complete UTC day, by command.',
    unit: 'invocations',
  }),

  dailyHookInvocations: tools.figure('hookInvocations', {
    name: 'agent_platform_daily_hook_invocations',
    help: 'Hook executions on the newest complete UTC day.',
    unit: 'invocations',
  }),

  dailyHookInvocationsByEvent: tools.samples({
    name: 'agent_platform_daily_hook_invocations_by_event',
    help: 'Hook executions on the newest complete UTC day, by event and matcher.',
    unit: 'invocations',
    breakdown: true,
    members: 'byHook',
    part: 'hooks',
    labels: ['event', 'matcher'],
    samplesOf: ({ byHook }) =>
      byHook?.map(({ event, matcher, count }) => ({ labels: { event, matcher }, value: count ?? UNKNOWN })),
  }),

  dailyWebUsers: tools.figure('webUsers', {
    name: 'agent_platform_daily_web_users',
    help: 'People who used the web or workspace interface on the newest complete UTC day.',
    unit: 'people',
    aggregation: 'distinct',
  }),

  dailyAutonomyRatio: tools.parts('stat', ({ autonomy }) => autonomy, {
    name: 'agent_platform_daily_autonomy_ratio',
    help: 'Tool calls per user turn on the newest complete UTC day: average, median and 90th percentile. Do not sum over stat.',
    unit: 'calls per turn',
    members: 'autonomy.avg, autonomy.p50, autonomy.p90',
    aggregation: 'ratio',
  }),

  dailyToolCallsPerSession: tools.figure('toolCallsPerSession', {
    name: 'agent_platform_daily_tool_calls_per_session',
    help: 'Average tool calls per session on the newest complete UTC day.',
    unit: 'calls per session',
    aggregation: 'ratio',
  }),

  dailyUserTurnsPerSession: tools.figure('userTurnsPerSession', {
    name: 'agent_platform_daily_user_turns_per_session',
    help: 'Average user messages per session on the newest complete UTC day.',
    unit: 'turns per session',
    aggregation: 'ratio',
  }),

  dailyAutonomyLevelRatio: tools.samples({
    name: 'agent_platform_daily_autonomy_level_ratio',
    help: 'Share of each autonomy level on the newest complete UTC day.',
    unit: 'ratio',
    members: 'autonomyLevels',
    aggregation: 'ratio',
    breakdown: true,
    labels: ['level'],
    samplesOf: ({ autonomyLevels }) =>
      autonomyLevels?.map(({ level, ratio }) => ({ labels: { level }, value: ratio })),
  }),
};

/** The families about tools. */
export const toolFamilies = { ...daily, toolCallWeeks: weeksOf(toolsDataset, daily.dailyToolCalls) };

/** The organization's use of tools, MCP servers, skills, slash commands and hooks, and its autonomy. */
export const toolsCollector: DayCollector<ToolsRow> = {
  name: 'tools',
  schedule: 'analytics',
  enabledByDefault: true,
  dataset: toolsDataset,
  description:
    'Calls of tools, MCP servers, skills, slash commands and hooks, and how autonomously they ran.',
  families: familiesOf(toolFamilies),
};
