import { isDamaged } from '../../catalog/dataset.ts';
import type { Sample } from '../../catalog/family.ts';
import { ANONYMOUS } from '../../catalog/settings.ts';
import type { View } from '../../catalog/view.ts';
import { type Line, tableOf } from '../table.ts';
import { type FigureName, figuresOf, linesOf, type PeopleColumns } from './columns.ts';
import { type UsersRow, usersDataset } from './dataset.ts';

const users = tableOf(usersDataset);
const detail = { aggregation: 'additive', breakdown: true, dropPriority: 'detail' } as const;

/** Figures about each person, if people are identified. */
export const personFamilies = {
  dailyCreditsByUser: personFamily('credits', {
    name: 'agent_platform_daily_credits_by_user',
    help: 'Standard Credits consumed on the newest complete UTC day, by person.',
    unit: 'credits',
  }),

  dailyToolCallsByUser: personFamily('toolCalls', {
    name: 'agent_platform_daily_tool_calls_by_user',
    help: 'Tool calls on the newest complete UTC day, by person.',
    unit: 'calls',
  }),

  dailySessionsByUser: personFamily('sessions', {
    name: 'agent_platform_daily_sessions_by_user',
    help: 'Sessions started on the newest complete UTC day, by person.',
    unit: 'sessions',
  }),

  dailyMessagesByUser: partsFamily(
    'role',
    { user: 'userMessages', assistant: 'assistantMessages' },
    {
      name: 'agent_platform_daily_messages_by_user',
      help: 'Messages of the newest complete UTC day, by person and role of the author.',
      unit: 'messages',
    },
  ),

  dailyFilesByUser: partsFamily(
    'action',
    { created: 'filesCreated', edited: 'filesEdited' },
    {
      name: 'agent_platform_daily_files_by_user',
      help: 'Files created and edited by the agent on the newest complete UTC day, by person.',
      unit: 'files',
    },
  ),

  dailyGitCommitsByUser: personFamily('commits', {
    name: 'agent_platform_daily_git_commits_by_user',
    help: 'Git commits made via the agent on the newest complete UTC day, by person.',
    unit: 'commits',
  }),

  dailyGitPullRequestsCreatedByUser: personFamily('pullRequests', {
    name: 'agent_platform_daily_git_pull_requests_created_by_user',
    help: 'Pull requests created via the agent on the newest complete UTC day, by person.',
    unit: 'pull requests',
  }),

  dailyMcpCallsByUser: personFamily('mcpCalls', {
    name: 'agent_platform_daily_mcp_calls_by_user',
    help: 'Calls of MCP servers on the newest complete UTC day, by person.',
    unit: 'calls',
  }),

  dailySkillInvocationsByUser: personFamily('skillInvocations', {
    name: 'agent_platform_daily_skill_invocations_by_user',
    help: 'Skill activations on the newest complete UTC day, by person.',
    unit: 'invocations',
  }),

  dailySlashCommandInvocationsByUser: personFamily('slashCommands', {
    name: 'agent_platform_daily_slash_command_invocations_by_user',
    help: 'Slash-command uses on the newest complete UTC day, by person.',
    unit: 'invocations',
  }),

  dailyHookInvocationsByUser: personFamily('hooks', {
    name: 'agent_platform_daily_hook_invocations_by_user',
    help: 'Hook executions on the newest complete UTC day, by person.',
    unit: 'invocations',
  }),

  dailyAutonomyRatioByUser: personFamily('autonomy', {
    name: 'agent_platform_daily_autonomy_ratio_by_user',
    help: 'Tool calls per user turn on the newest complete UTC day, by person.',
    unit: 'calls per turn',
    aggregation: 'ratio',
    breakdown: false,
  }),

  userInfo: users.samples({
    name: 'agent_platform_user_info',
    help: 'Team, most used model and its tier, and delegation level of a person on the newest complete UTC day, always 1. People of teams that are not shown individually have the team other.',
    unit: 'info',
    members: 'model, tier, level',
    aggregation: 'info',
    dropPriority: 'detail',
    labels: ['user', 'team', 'primary_model', 'primary_model_tier', 'delegation_level'],
    samplesOf: (row, view) => {
      const people = peopleOf(row, view);
      return people && infosOf(people);
    },
  }),
};

/** A day's people, if they were identified in the current way. */
function peopleOf({ identity, people }: UsersRow, { settings }: View): PeopleColumns | undefined {
  return identity === (settings.people ?? ANONYMOUS).identity ? people : undefined;
}

/** A family whose samples are a figure of each person. */
function personFamily(figure: FigureName, line: Line) {
  return users.samples({
    ...detail,
    ...line,
    members: figure,
    labels: ['user'],
    samplesOf(row, view) {
      const people = peopleOf(row, view);
      return people && figuresOfEach(row, people, [{ figure, labels: {} }]);
    },
  });
}

/** A family whose samples are some figures of each person, by a label of a closed set. */
function partsFamily<const Label extends string>(
  label: Label,
  parts: Readonly<Record<string, FigureName>>,
  line: Line,
) {
  const figures = Object.entries(parts).map(([part, figure]) => ({
    figure,
    labels: { [label]: part } as Record<Label, string>,
  }));
  return users.samples<'user' | Label>({
    ...detail,
    ...line,
    members: figures.map(({ figure }) => figure).join(', '),
    labels: ['user', label],
    fixedLabels: [label],
    samplesOf(row, view) {
      const people = peopleOf(row, view);
      return people && figuresOfEach(row, people, figures);
    },
  });
}

interface LabelledFigure<Label extends string> {
  readonly figure: FigureName;
  readonly labels: Readonly<Record<Label, string>>;
}

/** Some figures of each person, with the labels of each figure; undefined if nobody has one of them. */
function figuresOfEach<Label extends string = never>(
  row: UsersRow,
  people: PeopleColumns,
  figures: readonly LabelledFigure<Label>[],
): Iterable<Sample<'user' | Label>> | undefined {
  const isSent = people.user === '' || figures.some(({ figure }) => hasFigure(people, figure));
  return isSent || isDamaged(row) ? samplesOfEach(row, people, figures) : undefined;
}

/**
 * The samples. A person without a figure has no sample. But if the figures of some people were unusable, every missing figure is
 * unknown, and so is a figure that was sent for no person.
 */
function* samplesOfEach<Label extends string>(
  row: UsersRow,
  people: PeopleColumns,
  figures: readonly LabelledFigure<Label>[],
): Generator<Sample<'user' | Label>> {
  const isWhole = !isDamaged(row);
  for (const { figure, labels } of figures) {
    const isLeftOut = isWhole && hasFigure(people, figure);
    for (const { user, value } of figuresOf(people, figure)) {
      if (!(isLeftOut && Number.isNaN(value))) yield { labels: { user, ...labels }, value };
    }
  }
}

function hasFigure(people: PeopleColumns, figure: FigureName): boolean {
  for (const { value } of figuresOf(people, figure)) if (!Number.isNaN(value)) return true;
  return false;
}

function* infosOf(people: PeopleColumns) {
  for (const line of linesOf(people, ['user', 'team', 'model', 'tier', 'level'])) {
    const { user, team, model, tier, level } = line;
    const labels = { user, team, primary_model: model, primary_model_tier: tier, delegation_level: level };
    yield { labels, value: 1 };
  }
}
