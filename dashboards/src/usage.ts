import { activityFamilies as activity } from '../../src/collectors/activity/collector.ts';
import { productivityFamilies as output } from '../../src/collectors/productivity/collector.ts';
import { toolFamilies as tools } from '../../src/collectors/tools/collector.ts';
import type { DashboardSpec } from './dashboard.ts';
import { type Described, daily, named, newest } from './expression.ts';
import { dailyTotal, meanOverOrgs, total, weekWithChange } from './figures.ts';
import { eachByDay, sharesByWeek } from './largest.ts';
import type { Row } from './layout.ts';
import { links } from './links.ts';
import { live } from './live.ts';
import { coloursOf, palette } from './palette.ts';
import { bars, lines } from './panels/chart.ts';
import type { Placed } from './panels/panel.ts';
import { ranking } from './panels/ranking.ts';
import { tile } from './panels/tile.ts';
import { days, now, type Query, weeks } from './query.ts';

/** The values of a label by what is counted over the range, and their shares by week, side by side; `unnamed` are those without one. */
function rankingAndShares<const Label extends string>(
  title: string,
  family: Described<Label>,
  {
    label,
    what,
    unnamed,
  }: { readonly label: NoInfer<Label>; readonly what: string; readonly unnamed?: string },
): readonly Placed[] {
  const counted = daily(family, { orgs: 'summed' });
  return [
    ranking({
      title,
      text: `${what} of each ${label} over the days in the range.`,
      labels: [{ of: label, title: label.replace(/^./, (first) => first.toUpperCase()) }],
      value: what,
      figure: days(unnamed === undefined ? counted : named(counted, label, unnamed)),
      width: 10,
      height: 9,
    }),
    sharesByWeek(family, { label, what: what.toLowerCase(), height: 9 }),
  ];
}

const OUTPUT = ['files', 'commits', 'pull_requests'] as const;

/** The days of some kinds of a figure that has no sum, the mean of the organizations. */
export function byKind<Label extends string>(
  family: Described<Label>,
  label: NoInfer<Label>,
  kinds: readonly string[],
): readonly Query[] {
  return kinds.map((kind) =>
    days(
      meanOverOrgs(daily(family, { only: { [label]: kind } as Record<Label, string> })),
      kind.replace('_', ' '),
    ),
  );
}

const calls: Row = {
  title: 'Tool calls',
  panels: [
    tile({
      title: 'Tool calls',
      text: 'Tool calls in the 7 days that end with the newest complete day, and the change from the 7 days before.',
      queries: weekWithChange(tools.toolCallWeeks, tools.dailyToolCalls, 'calls'),
      width: 8,
    }),
    tile({
      title: 'The newest day',
      text: 'Average tool calls per session on the newest complete day, and the median autonomy ratio: tool calls per user message; the means of the organizations. People who used an MCP server on that day.',
      decimals: 1,
      queries: [
        now(meanOverOrgs(newest(tools.dailyToolCallsPerSession)), 'calls per session'),
        now(
          meanOverOrgs(newest(tools.dailyAutonomyRatio, { only: { stat: 'p50' } })),
          'calls per turn, median',
        ),
        now(total(tools.dailyMcpUsers), 'people with MCP', { decimals: 0 }),
      ],
      width: 16,
    }),
    bars({
      title: 'Tool calls by day',
      text: 'Tool calls of each UTC day.',
      queries: [days(dailyTotal(tools.dailyToolCalls), 'calls')],
      height: 7,
    }),
    lines({
      title: 'Calls per active person',
      text: 'Tool calls per active person and day of each organization, over the 7 days that end with each UTC day.',
      queries: eachByDay(activity.usagePerActiveUser7d, { kind: 'tool_calls' }),
      height: 7,
    }),
    ...rankingAndShares('Tools', tools.dailyToolCallsByTool, { label: 'tool', what: 'Calls' }),
    ...rankingAndShares('MCP servers', tools.dailyMcpCallsByServer, { label: 'server', what: 'Calls' }),
  ],
};

const MEAN = 'the mean of the organizations and of the days of each week up to a Wednesday.';
const weekly = { over: 'weeklyMean' } as const;

const autonomy: Row = {
  title: 'Autonomy',
  panels: [
    lines({
      title: 'Tool calls per turn',
      text: `Tool calls per user message: average, median and 90th percentile of a day; ${MEAN}`,
      decimals: 1,
      queries: [
        weeks(meanOverOrgs(daily(tools.dailyAutonomyRatio, weekly), ['stat']), '{{stat}}', {
          colour: palette.quiet,
          colours: { p90: palette.second, avg: palette.quiet, p50: palette.main },
        }),
      ],
      width: 8,
    }),
    bars({
      title: 'Autonomy levels by week',
      text: `Share of each autonomy level; ${MEAN}`,
      unit: 'percentunit',
      stack: 'shares',
      queries: [
        weeks(
          meanOverOrgs(daily(tools.dailyAutonomyLevelRatio, weekly), ['level']),
          '{{level}}',
          coloursOf(['auto_high', 'auto_medium', 'auto_low', 'manual']),
        ),
      ],
      width: 8,
    }),
    lines({
      title: 'Per session',
      text: `Average tool calls and user messages per session of a day; ${MEAN}`,
      decimals: 1,
      queries: [
        weeks(meanOverOrgs(daily(tools.dailyToolCallsPerSession, weekly)), 'tool calls'),
        weeks(meanOverOrgs(daily(tools.dailyUserTurnsPerSession, weekly)), 'user messages'),
      ],
      width: 8,
    }),
  ],
};

/** A ranking of uses, by one or two labels. */
function uses(
  title: string,
  text: string,
  family: Described,
  labels: readonly (readonly [string, string])[],
): Placed {
  const counted = daily(family, { orgs: 'summed' });
  return ranking({
    title,
    text: `${text} over the days in the range.`,
    labels: labels.map(([of, name]) => ({ of, title: name })),
    value: 'Uses',
    figure: days(labels.length > 1 ? named(counted, 'matcher', 'any') : counted),
    height: 9,
  });
}

const extensions: Row = {
  title: 'Skills, slash commands and hooks',
  panels: [
    lines({
      title: 'Uses by day',
      text: 'Skill activations, uses of slash commands and executions of hooks on each UTC day.',
      queries: [
        days(dailyTotal(tools.dailyHookInvocations), 'hooks'),
        days(dailyTotal(tools.dailySkillInvocations), 'skills'),
        days(dailyTotal(tools.dailySlashCommandInvocations), 'slash commands'),
      ],
      width: 24,
      height: 6,
    }),
    uses('Skills', 'Activations of each skill', tools.dailySkillInvocationsBySkill, [['skill', 'Skill']]),
    uses('Slash commands', 'Uses of each slash command', tools.dailySlashCommandInvocationsByCommand, [
      ['command', 'Command'],
    ]),
    uses('Hooks', 'Executions of hooks by event and matcher', tools.dailyHookInvocationsByEvent, [
      ['event', 'Event'],
      ['matcher', 'Matcher'],
    ]),
  ],
};

const ABOUT_OUTPUT = 'The platform counts only what was made through the agent, not manual work.';

/** The output of a week, in tiles of these widths, files last. */
export function outputTiles(widths: readonly number[]): readonly Placed[] {
  const { dailyGitCommits, dailyGitPullRequestsCreated: created, dailyFiles } = output;
  const all = [
    ['Commits', 'Git commits', weekWithChange(output.commitWeeks, dailyGitCommits, 'commits')],
    ['Pull requests', 'Pull requests created', weekWithChange(output.pullRequestWeeks, created, 'created')],
    ['Files touched', 'Files created or edited', weekWithChange(output.fileWeeks, dailyFiles, 'files')],
  ] as const;
  return all.slice(0, widths.length).map(([title, what, queries], index) =>
    tile({
      title,
      text: `${what} in the 7 days that end with the newest complete day, and the change from the 7 days before. ${ABOUT_OUTPUT}`,
      queries,
      to: links.usage,
      width: widths[index] ?? 0,
    }),
  );
}

const made: Row = {
  title: 'Made through the agent',
  panels: [
    ...outputTiles([8, 8, 8]),
    bars({
      title: 'Commits and pull requests by day',
      text: `Git commits and pull requests of each UTC day. ${ABOUT_OUTPUT}`,
      queries: [
        days(dailyTotal(output.dailyGitCommits), 'commits'),
        days(dailyTotal(output.dailyGitPullRequestsCreated), 'pull requests', { draw: 'line' }),
        days(dailyTotal(output.dailyGitPullRequestsMerged), 'merged', {
          draw: 'dashes',
          colour: palette.third,
        }),
      ],
    }),
    bars({
      title: 'Files by day',
      text: `Files that the agent edited and created on each UTC day. ${ABOUT_OUTPUT}`,
      stack: 'values',
      queries: [
        days(daily(output.dailyFiles, { orgs: 'summed' }), '{{action}}', coloursOf(['edited', 'created'])),
      ],
    }),
    lines({
      title: 'Output per active person',
      text: 'Files touched, commits and pull requests per active person and day over the 7 days that end with each UTC day, the mean of the organizations.',
      decimals: 1,
      queries: byKind(activity.usagePerActiveUser7d, 'kind', OUTPUT),
    }),
    lines({
      title: 'Output per million credits',
      text: 'Files touched, commits and pull requests per million Standard Credits over the 7 days that end with each UTC day, the mean of the organizations. A drop means that the same output costs more.',
      decimals: 1,
      queries: byKind(output.outputPerMillionCredits7d, 'output', OUTPUT),
    }),
    ...rankingAndShares('Languages', output.dailyFileOperationsByLanguage, {
      label: 'language',
      what: 'File operations',
      unnamed: 'unknown',
    }),
    ...rankingAndShares('File extensions', output.dailyFileOperationsByExtension, {
      label: 'extension',
      what: 'File operations',
      unnamed: 'none',
    }),
  ],
};

/** What some platforms count of code itself. */
const code: Row = {
  title: 'Lines and suggestions',
  folded: true,
  panels: [
    lines({
      title: 'Lines by day',
      text: `Lines that were suggested, added and removed on each UTC day, of each organization whose platform counts them. ${ABOUT_OUTPUT}`,
      queries: eachByDay(output.dailyLines),
    }),
    lines({
      title: 'Suggestions by day',
      text: 'Suggestions that were shown and accepted on each UTC day, of each organization whose platform counts them.',
      queries: eachByDay(output.dailySuggestions),
    }),
  ],
};

/** What the agent does: tools, autonomy, output, and sessions as they happen. */
export const usage: DashboardSpec = {
  ...links.usage,
  description:
    'Which tools, MCP servers, skills, commands and hooks are used, how autonomously the agent works, what is made through it, and which sessions wait for a human.',
  rows: [calls, autonomy, extensions, made, live, code],
};
