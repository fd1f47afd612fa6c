import {
  dailyFiles,
  dailyGitCommits,
  dailyGitPullRequestsCreated,
} from '../../../src/collectors/productivity/collector.ts';
import type { Row } from '../dashboard.ts';
import { CHANGE, dailyTotal, NEWEST, total, weekOnWeek } from '../figures.ts';
import { links } from '../links.ts';
import { palette } from '../palette.ts';
import { bars } from '../panels/chart.ts';
import { tile } from '../panels/tile.ts';
import { days, now } from '../query.ts';

/** Output of the agent. */
export const output: Row = {
  title: 'Output',
  panels: [
    tile({
      title: 'Commits',
      text: 'Git commits made through the agent on the newest complete day, and the change from the same weekday a week before.',
      unit: 'short',
      queries: [
        now(total(dailyGitCommits), NEWEST),
        now(weekOnWeek(dailyGitCommits), CHANGE, {
          unit: 'percentunit',
          decimals: 0,
          colour: palette.quiet,
        }),
      ],
      to: links.productivity,
      width: 5,
      height: 5,
    }),
    tile({
      title: 'Pull requests',
      text: 'Pull requests created through the agent on the newest complete day.',
      unit: 'short',
      queries: [now(total(dailyGitPullRequestsCreated), 'pull requests')],
      to: links.productivity,
      width: 4,
      height: 5,
    }),
    tile({
      title: 'Files touched',
      text: 'Files that the agent created or edited on the newest complete day.',
      unit: 'short',
      queries: [now(total(dailyFiles), 'files')],
      to: links.productivity,
      width: 4,
      height: 5,
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
      width: 11,
      height: 5,
    }),
  ],
};
