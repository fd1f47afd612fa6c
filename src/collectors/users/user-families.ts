import { isDamaged } from '../../catalog/dataset.ts';
import type { Day } from '../../catalog/day.ts';
import { dayFamily, type Sample } from '../../catalog/family.ts';
import { ANONYMOUS } from '../../catalog/settings.ts';
import type { View } from '../../catalog/view.ts';
import { type Line, lineFamily } from '../table.ts';
import { type FigureName, figuresOf, linesOf, type PeopleColumns } from './columns.ts';
import { USERS_PATH, usersDataset } from './dataset.ts';

const detail = { aggregation: 'additive', breakdown: true, dropPriority: 'detail' } as const;

export const dailyCreditsByUser = userFamily('credits', {
  name: 'agent_platform_daily_credits_by_user',
  help: 'Standard Credits consumed on the newest complete UTC day, by person.',
  unit: 'credits',
  field: 'billable_tokens',
});

export const dailyToolCallsByUser = userFamily('toolCalls', {
  name: 'agent_platform_daily_tool_calls_by_user',
  help: 'Tool calls on the newest complete UTC day, by person.',
  unit: 'calls',
  field: 'tool_calls',
});

export const dailySessionsByUser = userFamily('sessions', {
  name: 'agent_platform_daily_sessions_by_user',
  help: 'Sessions started on the newest complete UTC day, by person.',
  unit: 'sessions',
  field: 'sessions',
});

export const dailyMessagesByUser = dayFamily({
  ...detail,
  name: 'agent_platform_daily_messages_by_user',
  help: 'Messages of the newest complete UTC day, by person and role of the author.',
  labels: ['user', 'role'],
  fixedLabels: ['role'],
  unit: 'messages',
  source: `${USERS_PATH}: data[].user_messages, assistant_messages`,
  samplesOf: (view, day) =>
    byUserAnd(view, day, 'role', { user: 'userMessages', assistant: 'assistantMessages' }),
});

export const dailyFilesByUser = dayFamily({
  ...detail,
  name: 'agent_platform_daily_files_by_user',
  help: 'Files created and edited by the agent on the newest complete UTC day, by person.',
  labels: ['user', 'action'],
  fixedLabels: ['action'],
  unit: 'files',
  source: `${USERS_PATH}: data[].files_created, files_edited`,
  samplesOf: (view, day) =>
    byUserAnd(view, day, 'action', { created: 'filesCreated', edited: 'filesEdited' }),
});

export const dailyGitCommitsByUser = userFamily('commits', {
  name: 'agent_platform_daily_git_commits_by_user',
  help: 'Git commits made via the agent on the newest complete UTC day, by person.',
  unit: 'commits',
  field: 'git_commits',
});

export const dailyGitPullRequestsCreatedByUser = userFamily('pullRequests', {
  name: 'agent_platform_daily_git_pull_requests_created_by_user',
  help: 'Pull requests created via the agent on the newest complete UTC day, by person.',
  unit: 'pull requests',
  field: 'git_prs_created',
});

export const dailyMcpCallsByUser = userFamily('mcpCalls', {
  name: 'agent_platform_daily_mcp_calls_by_user',
  help: 'Calls of MCP servers on the newest complete UTC day, by person.',
  unit: 'calls',
  field: 'mcp_calls',
});

export const dailySkillInvocationsByUser = userFamily('skillInvocations', {
  name: 'agent_platform_daily_skill_invocations_by_user',
  help: 'Skill activations on the newest complete UTC day, by person.',
  unit: 'invocations',
  field: 'skill_calls',
});

export const dailySlashCommandInvocationsByUser = userFamily('slashCommands', {
  name: 'agent_platform_daily_slash_command_invocations_by_user',
  help: 'Slash-command uses on the newest complete UTC day, by person.',
  unit: 'invocations',
  field: 'slash_commands',
});

export const dailyHookInvocationsByUser = userFamily('hooks', {
  name: 'agent_platform_daily_hook_invocations_by_user',
  help: 'Hook executions on the newest complete UTC day, by person.',
  unit: 'invocations',
  field: 'hooks',
});

export const dailyAutonomyRatioByUser = userFamily('autonomy', {
  name: 'agent_platform_daily_autonomy_ratio_by_user',
  help: 'Tool calls per user turn on the newest complete UTC day, by person.',
  unit: 'calls per turn',
  field: 'autonomy_ratio',
  aggregation: 'ratio',
  breakdown: false,
});

export const userInfo = dayFamily({
  name: 'agent_platform_user_info',
  help: 'Team, most used model and its tier, and delegation level of a person on the newest complete UTC day, always 1. People of teams that are not shown individually have the team other.',
  labels: ['user', 'team', 'primary_model', 'primary_model_tier', 'delegation_level'],
  unit: 'info',
  source: `${USERS_PATH}: data[].primary_model, primary_model_tier, delegation_level`,
  aggregation: 'info',
  dropPriority: 'detail',
  samplesOf: infos,
});

/** Figures about each person, if people are identified. */
export const userFamilies = [
  dailyCreditsByUser,
  dailyToolCallsByUser,
  dailySessionsByUser,
  dailyMessagesByUser,
  dailyFilesByUser,
  dailyGitCommitsByUser,
  dailyGitPullRequestsCreatedByUser,
  dailyMcpCallsByUser,
  dailySkillInvocationsByUser,
  dailySlashCommandInvocationsByUser,
  dailyHookInvocationsByUser,
  dailyAutonomyRatioByUser,
  userInfo,
] as const;

/** A day's people, if they were identified in the current way. */
function peopleOf(view: View, day: Day): PeopleColumns | undefined {
  const row = view.row(usersDataset, day);
  const { identity } = view.settings.people ?? ANONYMOUS;
  return row?.identity === identity ? row.people : undefined;
}

/** Each person's figure. One that was not sent is left out, but where some were unusable, each that is missing is unknown. */
function* knownFigures(view: View, day: Day, people: PeopleColumns, figure: FigureName) {
  const isWhole = !isDamaged(view.row(usersDataset, day));
  for (const { user, value } of figuresOf(people, figure)) {
    if (!(isWhole && Number.isNaN(value))) yield { user, value };
  }
}

/** A family whose samples are a figure of each person. */
function userFamily(figure: FigureName, line: Line) {
  return lineFamily(USERS_PATH, ['user'], { ...detail, ...line }, (view, day) => byUser(view, day, figure));
}

function byUser(view: View, day: Day, figure: FigureName): Iterable<Sample<'user'>> | undefined {
  const people = peopleOf(view, day);
  return people && eachUser(knownFigures(view, day, people, figure));
}

function* eachUser(figures: ReturnType<typeof knownFigures>): Generator<Sample<'user'>> {
  for (const { user, value } of figures) yield { labels: { user }, value };
}

function byUserAnd<Label extends 'role' | 'action'>(
  view: View,
  day: Day,
  label: Label,
  figures: Readonly<Record<string, FigureName>>,
): Iterable<Sample<'user' | Label>> | undefined {
  const people = peopleOf(view, day);
  if (people === undefined) return undefined;
  const each = Object.entries(figures).map(
    ([part, figure]) => [part, knownFigures(view, day, people, figure)] as const,
  );
  return eachPart(label, each);
}

function* eachPart<Label extends 'role' | 'action'>(
  label: Label,
  parts: readonly (readonly [string, ReturnType<typeof knownFigures>])[],
): Generator<Sample<'user' | Label>> {
  for (const [part, figures] of parts) {
    for (const { user, value } of figures) {
      yield { labels: { user, [label]: part } as Record<'user' | Label, string>, value };
    }
  }
}

type InfoLabel = 'user' | 'team' | 'primary_model' | 'primary_model_tier' | 'delegation_level';

function infos(view: View, day: Day): Iterable<Sample<InfoLabel>> | undefined {
  const people = peopleOf(view, day);
  return people && eachInfo(people);
}

function* eachInfo(people: PeopleColumns): Generator<Sample<InfoLabel>> {
  for (const { user, team, model, tier, level } of linesOf(people, [
    'user',
    'team',
    'model',
    'tier',
    'level',
  ])) {
    const labels = { user, team, primary_model: model, primary_model_tier: tier, delegation_level: level };
    yield { labels, value: 1 };
  }
}
