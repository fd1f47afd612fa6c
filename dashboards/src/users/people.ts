import * as by from '../../../src/collectors/users/user-families.ts';
import type { Row } from '../dashboard.ts';
import { daily, newest } from '../expression.ts';
import { ranking } from '../panels/ranking.ts';
import { table } from '../panels/table.ts';
import { days, rows } from '../query.ts';

const OFF = 'Off: identity is none';
const USER = { user: '$user' } as const;

/** Individual people, if the operator enabled their identification. */
export const people: Row = {
  title: 'Individual people',
  panels: [
    table({
      title: 'People on the newest day',
      text: 'Each person on the newest complete day, identified as the privacy settings allow: by a hash, an identifier or an e-mail address.',
      queries: [
        rows(newest(by.dailyCreditsByUser, { only: USER })),
        rows(newest(by.dailySessionsByUser, { only: USER })),
        rows(newest(by.dailyMessagesByUser, { by: ['user'], only: USER })),
        rows(newest(by.dailyToolCallsByUser, { only: USER })),
        rows(newest(by.dailyAutonomyRatioByUser, { only: USER })),
        rows(newest(by.dailyFilesByUser, { by: ['user'], only: USER })),
        rows(newest(by.dailyGitCommitsByUser, { only: USER })),
        rows(newest(by.dailyGitPullRequestsCreatedByUser, { only: USER })),
        rows(newest(by.dailyMcpCallsByUser, { only: USER })),
        rows(newest(by.dailySkillInvocationsByUser, { only: USER })),
        rows(newest(by.dailySlashCommandInvocationsByUser, { only: USER })),
        rows(newest(by.dailyHookInvocationsByUser, { only: USER })),
        rows(newest(by.userInfo, { only: USER })),
      ],
      columns: [
        { of: 'org', title: 'Organization', width: 105 },
        { of: 'user', title: 'Person', width: 170 },
        { of: 'team', title: 'Team' },
        { of: 'primary_model', title: 'Model', width: 155 },
        { of: 'delegation_level', title: 'Mode', width: 105 },
        { of: 0, title: 'Credits' },
        { of: 1, title: 'Sessions' },
        { of: 2, title: 'Messages' },
        { of: 3, title: 'Calls' },
        { of: 4, title: 'Autonomy', properties: [{ id: 'decimals', value: 1 }] },
        { of: 5, title: 'Files' },
        { of: 6, title: 'Commits' },
        { of: 7, title: 'PRs' },
        { of: 8, title: 'MCP' },
        { of: 9, title: 'Skills' },
        { of: 10, title: 'Slash' },
        { of: 11, title: 'Hooks' },
      ],
      sort: { by: 'Credits', desc: true },
      noValue: OFF,
      height: 11,
    }),
    ranking({
      title: 'Credits in the range',
      text: 'Standard Credits of each person over the days in the range.',
      unit: 'short',
      what: 'Person',
      value: 'Credits',
      queries: [days(daily(by.dailyCreditsByUser, { orgs: 'summed', only: USER }), '{{user}}')],
      noValue: OFF,
      width: 12,
    }),
    ranking({
      title: 'Commits in the range',
      text: 'Git commits of each person through the agent over the days in the range.',
      unit: 'short',
      what: 'Person',
      value: 'Commits',
      queries: [days(daily(by.dailyGitCommitsByUser, { orgs: 'summed', only: USER }), '{{user}}')],
      noValue: OFF,
      width: 12,
    }),
  ],
};
