import {
  dailyFiles,
  dailyGitCommits,
  dailyGitPullRequestsCreated,
} from '../../../src/collectors/productivity/collector.ts';
import { daily } from '../expression.ts';
import { dailyTotal } from '../figures.ts';
import type { Row } from '../layout.ts';
import { coloursOf } from '../palette.ts';
import { bars } from '../panels/chart.ts';
import { tile } from '../panels/tile.ts';
import { days } from '../query.ts';
import { INCOMPLETE, weekWithChange } from '../week.ts';

const NOTE = 'The platform counts only what was made through the agent, not manual work.';

/** Commits, pull requests and files. */
export const output: Row = {
  title: 'Made through the agent',
  panels: [
    tile({
      title: 'Commits',
      text: `Git commits in the 7 days that end with the newest complete day, and the change from the 7 days before. ${NOTE}`,
      unit: 'short',
      noValue: INCOMPLETE,
      queries: weekWithChange(dailyGitCommits),
      width: 8,
    }),
    tile({
      title: 'Pull requests',
      text: `Pull requests created in the 7 days that end with the newest complete day, and the change from the 7 days before. ${NOTE}`,
      unit: 'short',
      noValue: INCOMPLETE,
      queries: weekWithChange(dailyGitPullRequestsCreated),
      width: 8,
    }),
    tile({
      title: 'Files touched',
      text: `Files created or edited in the 7 days that end with the newest complete day, and the change from the 7 days before. ${NOTE}`,
      unit: 'short',
      noValue: INCOMPLETE,
      queries: weekWithChange(dailyFiles),
      width: 8,
    }),
    bars({
      title: 'Commits by day',
      text: `Git commits of each UTC day. ${NOTE}`,
      unit: 'short',
      queries: [days(dailyTotal(dailyGitCommits), 'commits')],
      width: 8,
    }),
    bars({
      title: 'Pull requests by day',
      text: `Pull requests created on each UTC day. ${NOTE}`,
      unit: 'short',
      queries: [days(dailyTotal(dailyGitPullRequestsCreated), 'pull requests')],
      width: 8,
    }),
    bars({
      title: 'Files by day',
      text: `Files that the agent edited and created on each UTC day. ${NOTE}`,
      unit: 'short',
      stack: 'values',
      queries: [days(daily(dailyFiles, { orgs: 'summed' }), '{{action}}', coloursOf(['edited', 'created']))],
      width: 8,
    }),
  ],
};
