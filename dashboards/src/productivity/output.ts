import {
  dailyFiles,
  dailyGitCommits,
  dailyGitPullRequestsCreated,
} from '../../../src/collectors/productivity/collector.ts';
import type { Row } from '../dashboard.ts';
import { daily } from '../expression.ts';
import { CHANGE, dailyTotal, NEWEST, total, weekOnWeek } from '../figures.ts';
import { coloursOf, palette } from '../palette.ts';
import { bars } from '../panels/chart.ts';
import { tile } from '../panels/tile.ts';
import { days, now } from '../query.ts';

const NOTE = 'The platform counts only what was made through the agent, not manual work.';

function changed(family: Parameters<typeof total>[0]) {
  return [
    now(total(family), NEWEST),
    now(weekOnWeek(family), CHANGE, { unit: 'percentunit', decimals: 0, colour: palette.quiet }),
  ];
}

/** Commits, pull requests and files. */
export const output: Row = {
  title: 'Made through the agent',
  panels: [
    tile({
      title: 'Commits',
      text: `Git commits of the newest complete day, and the change from the same weekday a week before. ${NOTE}`,
      unit: 'short',
      queries: changed(dailyGitCommits),
      width: 8,
    }),
    tile({
      title: 'Pull requests',
      text: `Pull requests created on the newest complete day, and the change from the same weekday a week before. ${NOTE}`,
      unit: 'short',
      queries: changed(dailyGitPullRequestsCreated),
      width: 8,
    }),
    tile({
      title: 'Files touched',
      text: `Files created or edited on the newest complete day, and the change from the same weekday a week before. ${NOTE}`,
      unit: 'short',
      queries: changed(dailyFiles),
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
