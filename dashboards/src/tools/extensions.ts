import {
  dailyHookInvocations,
  dailyHookInvocationsByEvent,
  dailySkillInvocations,
  dailySkillInvocationsBySkill,
  dailySlashCommandInvocations,
  dailySlashCommandInvocationsByCommand,
} from '../../../src/collectors/tools/collector.ts';
import { daily, named } from '../expression.ts';
import { dailyTotal } from '../figures.ts';
import type { Row } from '../layout.ts';
import { lines } from '../panels/chart.ts';
import { ranking } from '../panels/ranking.ts';
import { days } from '../query.ts';

/** Skills, slash commands and hooks. */
export const extensions: Row = {
  title: 'Skills, slash commands and hooks',
  panels: [
    lines({
      title: 'Uses by day',
      text: 'Skill activations, uses of slash commands and executions of hooks on each UTC day.',
      unit: 'short',
      queries: [
        days(dailyTotal(dailyHookInvocations), 'hooks'),
        days(dailyTotal(dailySkillInvocations), 'skills'),
        days(dailyTotal(dailySlashCommandInvocations), 'slash commands'),
      ],
      width: 24,
      height: 6,
    }),
    ranking({
      title: 'Skills',
      text: 'Activations of each skill over the days in the range.',
      unit: 'short',
      labels: [{ of: 'skill', title: 'Skill' }],
      value: 'Uses',
      queries: [days(daily(dailySkillInvocationsBySkill, { orgs: 'summed' }), '{{skill}}')],
      height: 10,
    }),
    ranking({
      title: 'Slash commands',
      text: 'Uses of each slash command over the days in the range.',
      unit: 'short',
      labels: [{ of: 'command', title: 'Command' }],
      value: 'Uses',
      queries: [days(daily(dailySlashCommandInvocationsByCommand, { orgs: 'summed' }), '{{command}}')],
      height: 10,
    }),
    ranking({
      title: 'Hooks',
      text: 'Executions of hooks by event and matcher over the days in the range.',
      unit: 'short',
      labels: [
        { of: 'event', title: 'Event' },
        { of: 'matcher', title: 'Matcher' },
      ],
      value: 'Executions',
      queries: [
        days(
          named(daily(dailyHookInvocationsByEvent, { orgs: 'summed' }), 'matcher', 'any'),
          '{{event}} {{matcher}}',
        ),
      ],
      height: 10,
    }),
  ],
};
