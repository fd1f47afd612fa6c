import * as by from '../../../src/collectors/users/user-families.ts';
import { modelLink } from '../credits/variables.ts';
import { newest, overRange } from '../expression.ts';
import type { Row } from '../layout.ts';
import { links } from '../links.ts';
import { orgLink } from '../panels/drill.ts';
import { ranking } from '../panels/ranking.ts';
import { table } from '../panels/table.ts';
import { days, rows } from '../query.ts';
import { teamLink } from './variables.ts';

const OFF = 'Nobody known: identity may be none';
/** Somebody who was not active has no model and no autonomy; the text of the panel would be in each such cell. */
const ABSENT = { id: 'noValue', value: '–' } as const;
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
        rows(newest(by.userInfo, { only: USER })),
      ],
      columns: [
        { of: 'org', title: 'Organization', to: orgLink(links.users), width: 115 },
        { of: 'user', title: 'Person', width: 150 },
        { of: 'team', title: 'Team', properties: [teamLink, ABSENT] },
        { of: 'primary_model', title: 'Model', to: modelLink, width: 165, properties: [ABSENT] },
        { of: 'delegation_level', title: 'Mode', width: 105, properties: [ABSENT] },
        { of: 0, title: 'Credits', total: true },
        { of: 1, title: 'Sessions', total: true },
        { of: 2, title: 'Messages', total: true, width: 85 },
        { of: 3, title: 'Calls', total: true },
        { of: 4, title: 'Autonomy', width: 90, properties: [{ id: 'decimals', value: 1 }, ABSENT] },
        { of: 5, title: 'Files', total: true },
        { of: 6, title: 'Commits', total: true },
        { of: 7, title: 'PRs', total: true },
      ],
      sort: { by: 'Credits', desc: true },
      noValue: OFF,
      height: 11,
    }),
    ranking({
      title: 'Credits in the range',
      text: 'Standard Credits of each person over the days in the range.',
      unit: 'short',
      labels: [{ of: 'user', title: 'Person' }],
      value: 'Credits',
      queries: [days(overRange(by.dailyCreditsByUser, { orgs: 'summed', only: USER }), '{{user}}')],
      noValue: OFF,
      width: 8,
      height: 10,
    }),
    ranking({
      title: 'Commits in the range',
      text: 'Git commits of each person through the agent over the days in the range.',
      unit: 'short',
      labels: [{ of: 'user', title: 'Person' }],
      value: 'Commits',
      queries: [days(overRange(by.dailyGitCommitsByUser, { orgs: 'summed', only: USER }), '{{user}}')],
      noValue: OFF,
      width: 8,
      height: 10,
    }),
    table({
      title: 'Extensions on the newest day',
      text: 'Calls of MCP servers, and uses of skills, slash commands and hooks, of each person on the newest complete day.',
      queries: [
        rows(newest(by.dailyMcpCallsByUser, { orgs: 'summed', only: USER })),
        rows(newest(by.dailySkillInvocationsByUser, { orgs: 'summed', only: USER })),
        rows(newest(by.dailySlashCommandInvocationsByUser, { orgs: 'summed', only: USER })),
        rows(newest(by.dailyHookInvocationsByUser, { orgs: 'summed', only: USER })),
      ],
      columns: [
        { of: 'user', title: 'Person', width: 150 },
        { of: 0, title: 'MCP', total: true },
        { of: 1, title: 'Skills', total: true },
        { of: 2, title: 'Slash', total: true },
        { of: 3, title: 'Hooks', total: true },
      ],
      sort: { by: 'MCP', desc: true },
      noValue: OFF,
      width: 8,
      height: 10,
    }),
  ],
};
