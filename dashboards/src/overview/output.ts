import {
  dailyFiles,
  dailyGitCommits,
  dailyGitPullRequestsCreated,
} from '../../../src/collectors/productivity/collector.ts';
import { dailyTotal } from '../figures.ts';
import type { Row } from '../layout.ts';
import { links } from '../links.ts';
import { bars } from '../panels/chart.ts';
import { tile } from '../panels/tile.ts';
import { days } from '../query.ts';
import { INCOMPLETE, weekWithChange } from '../week.ts';

/** Output of the agent. */
export const output: Row = {
  title: 'Output',
  panels: [
    tile({
      title: 'Commits',
      text: 'Git commits made through the agent in the 7 days that end with the newest complete day, and the change from the 7 days before.',
      unit: 'short',
      noValue: INCOMPLETE,
      queries: weekWithChange(dailyGitCommits),
      to: links.productivity,
      width: 5,
      height: 7,
    }),
    tile({
      title: 'Pull requests',
      text: 'Pull requests created through the agent in the 7 days that end with the newest complete day, and the change from the 7 days before.',
      unit: 'short',
      noValue: INCOMPLETE,
      queries: weekWithChange(dailyGitPullRequestsCreated),
      to: links.productivity,
      width: 5,
      height: 7,
    }),
    tile({
      title: 'Files touched',
      text: 'Files that the agent created or edited in the 7 days that end with the newest complete day, and the change from the 7 days before.',
      unit: 'short',
      noValue: INCOMPLETE,
      queries: weekWithChange(dailyFiles),
      to: links.productivity,
      width: 5,
      height: 7,
    }),
    bars({
      title: 'Commits and pull requests by day',
      text: 'Git commits and pull requests made through the agent on each UTC day.',
      unit: 'short',
      queries: [
        days(dailyTotal(dailyGitCommits), 'commits'),
        days(dailyTotal(dailyGitPullRequestsCreated), 'pull requests', { draw: 'line' }),
      ],
      to: links.productivity,
      width: 9,
      height: 7,
    }),
  ],
};
